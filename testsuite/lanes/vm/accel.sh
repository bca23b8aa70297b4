#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: testsuite/lanes/vm/accel.sh KERNEL_DIR INITRAMFS WORK_DIR
#
# Prints the QEMU accelerator to take, and on stderr why.
#
# A /dev/kvm that exists proves nothing: inside some VMs it opens but never boots an ordinary kernel. So the kernel is
# booted once, up to its first program.
set -euo pipefail
# shellcheck source=bin/lib/command.sh
. "$(dirname "$(realpath "$0")")/../../../bin/lib/command.sh"
check_options "${1:-}"
(( $# == 3 )) || usage_error "three arguments are needed"

kernel=$1 initramfs=$2 work=$3
here=$(dirname "$(realpath "$0")")
# One thread for all virtual CPUs on purpose. With thread=multi (QEMU 7.2) a JVM crashed in its collector within a
# minute; no crash that only multi shows is ours.
tcg=tcg,thread=single

decide() {
    echo "rxe-vm: accelerator $1 ($2)" >&2
    echo "$1"
    exit
}

[[ -z ${RXE_VM_ACCEL:-} ]] || decide "$RXE_VM_ACCEL" "as RXE_VM_ACCEL says"
[[ -e /dev/kvm ]] || decide $tcg "there is no /dev/kvm"
[[ -r /dev/kvm && -w /dev/kvm ]] || decide $tcg "/dev/kvm is not open to this user"
timeout --kill-after=2 10 "$here/qemu.sh" kvm "$kernel" "$initramfs" "$work/kvm-probe.log" rxe_vm=probe \
    > "$work/kvm-probe.out" 2>&1 || true
if grep -q "the guest is up" "$work/kvm-probe.log" 2> /dev/null; then
    decide kvm "/dev/kvm boots the kernel"
fi
decide $tcg "/dev/kvm is there but did not boot the kernel within 10 s"
