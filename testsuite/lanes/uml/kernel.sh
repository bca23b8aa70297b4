#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: testsuite/lanes/uml/kernel.sh
#
# Builds a kernel that runs as an ordinary program (User Mode Linux), with the kernel's own rxe and siw, and prints the
# path of that program. The source is Debian's package linux-source-7.3, of a newer release than the machine's own: apt
# gets it with lists and a cache of its own, and nothing is installed.
#
# The program is cached per version of the package and hash of its configuration. It is built beside its final path and
# renamed, so a run that was interrupted leaves nothing that a later run would take for a kernel.
set -euo pipefail
# shellcheck source=bin/lib/command.sh
. "$(dirname "$(realpath "$0")")/../../../bin/lib/command.sh"
check_options "$@"
(( $# == 0 )) || usage_error "no argument $1"

package=linux-source-7.3
release=trixie-backports
here=$(dirname "$(realpath "$0")")
cache=${XDG_CACHE_HOME:-$HOME/.cache}/netty-transport-rdma/uml
# With UML_ODP=y rxe's memory regions may be paged on demand, and another kernel is built.
config=$(sed "s/^\\(CONFIG_INFINIBAND_ON_DEMAND_PAGING\\)=.*/\\1=${UML_ODP:-n}/" "$here/kernel.config")

# Where this machine gets Debian from.
repository() {
    # shellcheck disable=SC2016 # apt's own variables
    apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' 'Created-By: Packages' |
        sed -n 's/^Debian Debian //p' | head -n 1
}

# apt_here COMMAND...: apt with the one source and folders of ours, under any user.
apt_here() {
    local command=$1
    shift
    "$command" -qq -o Dir::Etc::sourcelist="$cache/apt/sources.list" -o Dir::Etc::sourceparts=- \
        -o Dir::State::lists="$cache/apt/lists" -o Dir::Cache="$cache/apt/cache" -o APT::Sandbox::User=root "$@"
}

refresh() {
    local from
    from=$(repository)
    [[ -n $from ]] || die "this machine's apt knows no repository of Debian's: give KERNEL the path of a kernel"
    mkdir -p "$cache"/apt/lists/partial "$cache"/apt/cache/archives/partial
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $from $release main" > "$cache/apt/sources.list"
    apt_here apt-get update >&2 || die "cannot read the package lists of $release from $from"
}

# The version that is there now; of the last time, if there is no network.
version() {
    apt_here apt-cache show --no-all-versions $package 2> /dev/null | sed -n 's/^Version: //p'
}

build() {
    local id=$1 log=$cache/build.log
    say "building $id, which takes some minutes; log in $log" >&2
    rm -rf "$cache/building"
    mkdir "$cache/building"
    cd "$cache/building"
    apt_here apt-get download $package >&2 || die "cannot download $package"
    dpkg -x ./*.deb . && rm ./*.deb
    mkdir source out
    tar -xf usr/src/linux-source-*.tar.xz -C source --strip-components=1
    rm -r usr
    echo "$config" > config
    {
        make -C source ARCH=um O="$PWD/out" KCONFIG_ALLCONFIG="$PWD/config" allnoconfig
        make -C out ARCH=um -j"$(nproc)" linux
    } > "$log" 2>&1 || { tail -n 20 "$log" >&2; die "the kernel does not build"; }
    strip out/linux
    mv out/linux "$cache/$id"
    rm -rf "$cache/building"
}

if [[ -n ${KERNEL:-} ]]; then
    [[ -x $KERNEL ]] || die "KERNEL is $KERNEL, which cannot be run"
    realpath "$KERNEL"
    exit
fi
[[ $(uname -m) == x86_64 ]] || die "the kernel runs this machine's own programs, and is built for x86_64 only"
for program in apt-get dpkg flex bison bc gcc make xz; do
    command -v $program > /dev/null || die "$program is missing: run bin/setup kernel"
done
mkdir -p "$cache"
# Two runs at once: the second waits, and finds the kernel of the first.
exec 9> "$cache/lock"
flock 9
[[ -e $cache/apt/sources.list && -n $(find "$cache/apt/sources.list" -mtime -7) && -n $(version) ]] || refresh
found=$(version)
[[ -n $found ]] || die "$release has no $package"
id=linux-$found-$(echo "$config" | sha256sum | cut -c 1-12)
[[ -e $cache/$id ]] || build "$id"
echo "$cache/$id"
