#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: testsuite/lanes/vm/boot.sh COMMAND [ARG...]
#
# Boots the VM, runs COMMAND in it as root, in this directory, on this machine's files, and
# returns its exit status. Files that COMMAND writes are lost, except for its output and
# those in $RXE_VM_RUN_DIR.
#
# Own exit statuses: 124 the VM was ended after RXE_VM_TIMEOUT, 125 the guest went down without a status.
#
# Environment:
#   RXE_VM_TIMEOUT   seconds until the VM is ended, 840
#   RXE_VM_MEMORY    MiB, 4096
#   RXE_VM_CPUS      2
#   RXE_VM_ACCEL     a QEMU -accel value, instead of trying KVM first
#   RXE_VM_RUN_DIR   an empty directory for logs and results, instead of a new one below testsuite/target/rxe-vm
set -euo pipefail
# shellcheck source=bin/lib/command.sh
. "$(dirname "$(realpath "$0")")/../../../bin/lib/command.sh"
check_options "${1:-}"
(( $# > 0 )) || usage_error "no command"

here=$(dirname "$(realpath "$0")")
lane=rxe-vm
# shellcheck source=testsuite/lanes/guest/boot-common.sh
. "$here/../guest/boot-common.sh"
timeout=${RXE_VM_TIMEOUT:-840}

need "qemu-system-x86_64 busybox depmod cpio" rxe
run=$(run_directory "${RXE_VM_RUN_DIR:-}" "$(realpath "$here/../..")/target/rxe-vm")
kernel=$("$here/kernel.sh")
"$here/initramfs.sh" "$kernel" "$run/initramfs"
say "$(qemu-system-x86_64 --version | head -n 1)"
accel=$("$here/accel.sh" "$kernel" "$run/initramfs" "$run")
say "guest kernel $(basename "$kernel"), ${RXE_VM_CPUS:-2} CPUs, ${RXE_VM_MEMORY:-4096} MiB, at most $timeout s, logs in $run"
write_guest_env "$run" "$@" << END
RXE_VM_DIR=$here
RXE_VM_KERNEL=$kernel
RXE_VM_RUN_DIR=$run
RXE_VM_ACCEL=$accel
END

shares=(
    # multidevs=remap: inode numbers of the host's several file systems must not collide in the one the guest sees.
    -virtfs "local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap"
    -virtfs "local,path=$run,mount_tag=run,security_model=none"
)
# timeout(1) ends QEMU by its process id, whatever becomes of this script.
timeout --kill-after=5 "$timeout" "$here/qemu.sh" "$accel" "$kernel" "$run/initramfs" "$run/console.log" "" \
    "${shares[@]}" > "$run/qemu.log" 2>&1 &
status=0
await_guest "$run" $! "$timeout" RXE_VM_TIMEOUT || status=$?
rm "$run/initramfs"
[[ -e $run/status ]] || cat "$run/qemu.log" >&2
exit "$status"
