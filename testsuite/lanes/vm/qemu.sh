#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: testsuite/lanes/vm/qemu.sh ACCEL KERNEL_DIR INITRAMFS CONSOLE_LOG KERNEL_ARGS [QEMU_OPTION...]
#
# Runs the machine, in the foreground.
set -euo pipefail
# shellcheck source=bin/lib/command.sh
. "$(dirname "$(realpath "$0")")/../../../bin/lib/command.sh"
check_options "${1:-}"
(( $# >= 5 )) || usage_error "five arguments are needed"

accel=$1 kernel=$2 initramfs=$3 console=$4 args=$5
shift 5

options=(
    -accel "$accel"
    # Everything the accelerator can do; the guest runs the host's programs and they may use any of it.
    -cpu max -smp "${RXE_VM_CPUS:-2}" -m "${RXE_VM_MEMORY:-4096}"
    # No disk, no network card, no screen, no monitor: what is not there need not be probed.
    -nodefaults -no-user-config -nic none -display none
    -serial "file:$console"
    # A panic reboots at once (panic=-1), and a reboot ends QEMU.
    -no-reboot
    -kernel "$kernel/vmlinuz" -initrd "$initramfs"
    # oops=panic: a driver that crashed leaves its callers hanging for good, so end there and show the console.
    # mitigations=off: they are slow under emulation and guard nothing here.
    -append "console=ttyS0 quiet panic=-1 oops=panic mitigations=off $args"
)
exec qemu-system-x86_64 "${options[@]}" "$@" < /dev/null
