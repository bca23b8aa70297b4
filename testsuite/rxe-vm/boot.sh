#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# boot.sh COMMAND [ARG...]: boots the VM, runs COMMAND in it as root, in this directory, on this machine's files, and
# returns its exit status. What COMMAND writes is lost, but for its output and what it puts into $RXE_VM_RUN_DIR.
#
# Own exit statuses: 124 the VM was ended after RXE_VM_TIMEOUT, 125 the guest went down without telling a status.
#
# Environment:
#   RXE_VM_TIMEOUT   seconds until the VM is ended, 840
#   RXE_VM_MEMORY    MiB, 4096
#   RXE_VM_CPUS      2
#   RXE_VM_ACCEL     a QEMU -accel value, instead of trying KVM first
#   RXE_VM_RUN_DIR   an empty directory for logs and results, instead of a new one below testsuite/target/rxe-vm
set -euo pipefail

here=$(dirname "$(realpath "$0")")
timeout=${RXE_VM_TIMEOUT:-840}

say() {
    echo "rxe-vm: $*" >&2
}

(( $# > 0 )) || { echo "usage: boot.sh COMMAND [ARG...]" >&2; exit 2; }
for program in qemu-system-x86_64 busybox depmod cpio; do
    command -v $program > /dev/null || { say "$program is missing: run bin/setup rxe"; exit 1; }
done

if [[ -n ${RXE_VM_RUN_DIR:-} ]]; then
    run=$(realpath "$RXE_VM_RUN_DIR")
else
    runs=$(realpath "$here/..")/target/rxe-vm
    mkdir -p "$runs"
    run=$(mktemp -d "$runs/$(date +%H%M%S)-XXXX")
fi

kernel=$("$here/kernel.sh")
"$here/initramfs.sh" "$kernel" "$run/initramfs"
say "$(qemu-system-x86_64 --version | head -n 1)"
accel=$("$here/accel.sh" "$kernel" "$run/initramfs" "$run")
say "guest kernel $(basename "$kernel"), ${RXE_VM_CPUS:-2} CPUs, ${RXE_VM_MEMORY:-4096} MiB, at most $timeout s, logs in $run"

# What the guest must know, quoted for the shells that read it there.
{
    printf '%s=%q\n' RXE_VM_DIR "$here" RXE_VM_KERNEL "$kernel" RXE_VM_CWD "$PWD"
    printf 'export %s=%q\n' RXE_VM_RUN_DIR "$run" RXE_VM_ACCEL "$accel"
    for name in PATH HOME LANG JAVA_HOME; do
        [[ -z ${!name:-} ]] || printf 'export %s=%q\n' $name "${!name}"
    done
} > "$run/guest.env"
printf '%q ' "$@" > "$run/command"

shares=(
    # multidevs=remap: inode numbers of the host's several file systems must not collide in the one the guest sees.
    -virtfs "local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap"
    -virtfs "local,path=$run,mount_tag=run,security_model=none"
)
: > "$run/output.log"
# timeout(1) ends QEMU by its process id, whatever becomes of this script.
timeout --kill-after=5 "$timeout" "$here/qemu.sh" "$accel" "$kernel" "$run/initramfs" "$run/console.log" "" \
    "${shares[@]}" > "$run/qemu.log" 2>&1 &
qemu=$!
trap 'kill "$qemu" 2> /dev/null || true' EXIT
tail -n +1 -f -s 0.2 --pid="$qemu" "$run/output.log" &
tail=$!
ended=0
wait "$qemu" || ended=$?
trap - EXIT
wait "$tail" || true
rm "$run/initramfs"

if [[ -e $run/status ]]; then
    exit "$(< "$run/status")"
fi
say "end of the guest's console:"
tail -n 60 "$run/console.log" >&2 || true
cat "$run/qemu.log" >&2
if (( ended == 124 || ended == 137 )); then
    say "the VM was ended after $timeout s (RXE_VM_TIMEOUT)"
    exit 124
fi
say "the guest went down without an exit status of: $*"
exit 125
