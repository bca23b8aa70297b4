#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: testsuite/lanes/vm/kernel.sh
#
# Unpacks the distribution's own kernel, never installs it, and prints the directory that holds it:
#
#   vmlinuz                       what QEMU boots
#   lib/modules/<release>/        with its modules.dep
#   release                       the <release> above, as `uname -r` prints it in the guest
#
# The directory is cached per package version. It is built beside its final path and renamed, so a run that
# was interrupted leaves nothing that a later run would take for a kernel.
set -euo pipefail
# shellcheck source=bin/lib/command.sh
. "$(dirname "$(realpath "$0")")/../../../bin/lib/command.sh"
check_options "$@"
(( $# == 0 )) || usage_error "no argument $1"

cache=${XDG_CACHE_HOME:-$HOME/.cache}/netty-transport-rdma/rxe-vm

# The packages to unpack, one per line, the one with vmlinuz first. Meta packages name the current kernel in
# their dependencies: linux-image-amd64 on Debian, linux-image-generic on Ubuntu, whose kernel is spread over
# linux-image-X, linux-modules-X and linux-modules-extra-X (rdma_rxe sits in the last).
apt_packages() {
    local meta=$1 direct
    direct=$(apt-cache depends --important "$meta" 2>/dev/null | kernel_packages)
    [[ -n $direct ]] || return 1
    # shellcheck disable=SC2086 # one word per package
    { echo "$direct"; apt-cache depends --important $direct | kernel_packages; } | awk '!seen[$0]++'
}

kernel_packages() {
    sed -nE 's/^ *Depends: (linux-(image|modules|modules-extra)-[0-9].*)$/\1/p'
}

apt_meta() {
    # shellcheck source=/dev/null
    case $(. /etc/os-release && echo "$ID ${ID_LIKE:-}") in
        *ubuntu*) echo linux-image-generic ;;
        *) echo linux-image-amd64 ;;
    esac
}

apt_refresh() {
    (( EUID == 0 )) || die "apt does not know the kernel package, or knows one that is gone: run 'sudo apt-get update' and try again"
    say "refreshing the package lists" >&2
    apt-get update -qq >&2
}

apt_download() {
    # apt drops to the user _apt to download, who may not write here; the packages' signatures are checked all the same.
    apt-get download -qq -o APT::Sandbox::User=root "$@" >&2
}

apt_kernel() {
    local meta packages id
    meta=$(apt_meta)
    packages=$(apt_packages "$meta") || { apt_refresh; packages=$(apt_packages "$meta"); } ||
        die "apt knows no package $meta"
    # shellcheck disable=SC2086
    set -- $packages
    id=$1_$(apt-cache show --no-all-versions "$1" | sed -n 's/^Version: //p')
    if [[ ! -e $cache/$id ]]; then
        say "unpacking $* into $cache/$id" >&2
        start_building
        apt_download "$@" || { apt_refresh; apt_download "$@"; } || die "cannot download $*"
        local package
        for package in *.deb; do
            dpkg -x "$package" .
            rm "$package"
        done
        finish_building "$id" boot/vmlinuz-*
    fi
    echo "$cache/$id"
}

# Fedora keeps vmlinuz beside the modules; the modules themselves are spread over several packages.
dnf_kernel() {
    local id
    id=kernel-core-$(dnf -q repoquery --latest-limit 1 --arch x86_64 --qf '%{version}-%{release}' kernel-core | head -n 1)
    [[ $id != kernel-core- ]] || die "dnf knows no package kernel-core"
    if [[ ! -e $cache/$id ]]; then
        say "unpacking $id into $cache/$id" >&2
        start_building
        local version=${id#kernel-core-} package
        dnf -q download --arch x86_64 "$id" "kernel-modules-core-$version" "kernel-modules-$version" >&2 ||
            die "cannot download $id and its modules"
        for package in *.rpm; do
            rpm2cpio "$package" | cpio -idm --quiet
            rm "$package"
        done
        finish_building "$id" lib/modules/*/vmlinuz
    fi
    echo "$cache/$id"
}

start_building() {
    rm -rf "$cache/building"
    mkdir "$cache/building"
    cd "$cache/building"
}

finish_building() {
    local id=$1 vmlinuz=$2 release
    # Newer packages follow the merged /usr.
    [[ -d lib/modules ]] || mv usr/lib lib
    [[ -e $vmlinuz ]] || die "$id holds no kernel image"
    mv "$vmlinuz" vmlinuz
    release=$(ls lib/modules)
    depmod -b . "$release"
    [[ -n $(find lib -name 'rdma_rxe.ko*') ]] || die "$id has no rdma_rxe module: this distribution's kernel cannot run the lane"
    echo "$release" > release
    rm -rf usr boot
    cd "$cache"
    mv -T building "$id"
}

[[ $(uname -m) == x86_64 ]] ||
    die "the VM runs the host's own programs, and is written for x86_64; this machine is $(uname -m). Use bin/test-rxe --host"
mkdir -p "$cache"
# Two runs at once: the second waits, and finds the kernel of the first.
exec 9> "$cache/lock"
flock 9
if command -v apt-get > /dev/null; then
    apt_kernel
elif command -v dnf > /dev/null; then
    dnf_kernel
else
    die "knows how to get a kernel with apt or dnf only"
fi
