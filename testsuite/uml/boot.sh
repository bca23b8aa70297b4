#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# boot.sh COMMAND [ARG...]: boots the kernel of kernel.sh as a program, runs COMMAND in it as root, in this directory, on
# this machine's files, and returns its exit status. What COMMAND writes is lost, but for its output and what it puts
# into $UML_RUN_DIR.
#
# Own exit statuses: 124 it was ended after UML_TIMEOUT, 125 it went down without telling a status.
#
# Environment:
#   UML_TIMEOUT   seconds until it is ended, 840
#   UML_MEMORY    MiB, 3072
#   UML_CPU       the processor that it runs on, 0: its threads lose up to ten times their speed to others'
#   UML_DEVICES   which there are in it, of "rxe siw"
#   UML_RUN_DIR   an empty directory for logs and results, instead of a new one below testsuite/target/uml
set -euo pipefail

here=$(dirname "$(realpath "$0")")
timeout=${UML_TIMEOUT:-840}

say() {
    echo "uml: $*" >&2
}

(( $# > 0 )) || { echo "usage: boot.sh COMMAND [ARG...]" >&2; exit 2; }
for program in busybox taskset rdma ip; do
    command -v $program > /dev/null || { say "$program is missing: run bin/setup kernel"; exit 1; }
done

if [[ -n ${UML_RUN_DIR:-} ]]; then
    run=$(realpath "$UML_RUN_DIR")
else
    runs=$(realpath "$here/..")/target/uml
    mkdir -p "$runs"
    run=$(mktemp -d "$runs/$(date +%H%M%S)-XXXX")
fi
kernel=$("$here/kernel.sh")
say "guest kernel $(basename "$kernel"), ${UML_MEMORY:-3072} MiB, at most $timeout s, logs in $run"

# What the guest must know, quoted for the shells that read it there.
{
    printf '%s=%q\n' UML_CWD "$PWD"
    printf 'export %s=%q\n' UML_RUN_DIR "$run" UML_DEVICES "${UML_DEVICES:-rxe siw}"
    for name in PATH HOME LANG JAVA_HOME; do
        [[ -z ${!name:-} ]] || printf 'export %s=%q\n' $name "${!name}"
    done
} > "$run/guest.env"
printf '%q ' "$@" > "$run/command"
: > "$run/output.log"

# timeout(1) ends the kernel by its process id, whatever becomes of this script. Its memory is a file that is mapped for
# execution too, in TMPDIR or in shared memory.
timeout --kill-after=5 "$timeout" taskset -c "${UML_CPU:-0}" "$kernel" mem="${UML_MEMORY:-3072}M" seccomp=on \
    root=/dev/root rootfstype=hostfs rootflags=/ ro init="$here/init" UML_HERE="$here" UML_RUN_DIR="$run" \
    con=null con0=null,fd:2 con1=fd:0,fd:1 console=tty0 panic=-1 umid="uml-$$" \
    > "$run/console.log" 2>&1 < /dev/null &
uml=$!
trap 'kill "$uml" 2> /dev/null || true' EXIT
tail -n +1 -f -s 0.2 --pid="$uml" "$run/output.log" &
tail=$!
ended=0
wait "$uml" || ended=$?
trap - EXIT
wait "$tail" || true

if [[ -e $run/status ]]; then
    exit "$(< "$run/status")"
fi
say "end of the guest's console:"
tail -n 60 "$run/console.log" >&2 || true
if (( ended == 124 || ended == 137 )); then
    say "it was ended after $timeout s (UML_TIMEOUT)"
    exit 124
fi
say "the guest went down without an exit status of: $*"
exit 125
