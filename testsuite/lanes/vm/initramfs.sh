#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: testsuite/lanes/vm/initramfs.sh KERNEL_DIR OUT
#
# Writes the smallest initramfs that can reach the host's root file system. All other
# modules are loaded later, with the real modprobe, from KERNEL_DIR, which the guest sees too.
set -euo pipefail
# shellcheck source=bin/lib/command.sh
. "$(dirname "$(realpath "$0")")/../../../bin/lib/command.sh"
check_options "${1:-}"
(( $# == 2 )) || usage_error "two arguments are needed"

kernel=$(realpath "$1")
out=$(realpath "$2")
release=$(< "$kernel/release")
here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir -p "$work"/{bin,modules,proc,sys,dev,run,host,rw,root}
cp "$(command -v busybox)" "$work/bin/busybox"
cp "$here/init" "$work/init"

# `modprobe --show-depends` prints each module after the ones it needs ("builtin" lines need nothing). The numbers keep
# that order for `insmod` in the guest.
n=100
modprobe -d "$kernel" -S "$release" -a --show-depends virtio_pci 9pnet_virtio 9p overlay |
    awk '$1 == "insmod" && !seen[$2]++ { print $2 }' |
    while read -r module; do
        n=$((n + 1))
        target=$work/modules/$n-$(basename "$module")
        case $module in
            # busybox has no zstd, and these are few.
            *.zst) zstd -dqc "$module" > "${target%.zst}" ;;
            *.xz) xz -dc "$module" > "${target%.xz}" ;;
            *) cp "$module" "$target" ;;
        esac
    done

# Not compressed: unpacking is slower on an emulated CPU than reading a few more megabytes.
(cd "$work" && find . | cpio -o -H newc --quiet) > "$out"
