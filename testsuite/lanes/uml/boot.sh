#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: testsuite/lanes/uml/boot.sh COMMAND [ARG...]
#
# Boots the kernel of kernel.sh as a program, runs COMMAND in it as root, in this directory, on
# this machine's files, and returns its exit status. Files that COMMAND writes are lost, except for
# its output and those in $UML_RUN_DIR.
#
# Own exit statuses: 124 it was ended after UML_TIMEOUT, 125 it went down without a status.
#
# Environment:
#   UML_TIMEOUT   seconds until it is ended, 840
#   UML_MEMORY    MiB, 4096
#   UML_CPU       the processor that it runs on, 0: its threads lose up to ten times their speed to others'
#   UML_DEVICES   which there are in it, of "rxe siw"
#   UML_RUN_DIR   an empty directory for logs and results, instead of a new one below testsuite/target/uml
set -euo pipefail
# shellcheck source=bin/lib/command.sh
. "$(dirname "$(realpath "$0")")/../../../bin/lib/command.sh"
check_options "${1:-}"
(( $# > 0 )) || usage_error "no command"

here=$(dirname "$(realpath "$0")")
lane=uml
# shellcheck source=testsuite/lanes/guest/boot-common.sh
. "$here/../guest/boot-common.sh"
timeout=${UML_TIMEOUT:-840}

need "busybox taskset rdma ip" kernel
run=$(run_directory "${UML_RUN_DIR:-}" "$(realpath "$here/../..")/target/uml")
kernel=$("$here/kernel.sh")
say "guest kernel $(basename "$kernel"), ${UML_MEMORY:-4096} MiB, at most $timeout s, logs in $run"
write_guest_env "$run" "$@" << END
UML_RUN_DIR=$run
UML_DEVICES=${UML_DEVICES:-rxe siw}
END

# timeout(1) ends the kernel by its process id, whatever becomes of this script. Its memory is a file that is mapped for
# execution too, in TMPDIR or in shared memory.
timeout --kill-after=5 "$timeout" taskset -c "${UML_CPU:-0}" "$kernel" mem="${UML_MEMORY:-4096}M" seccomp=on \
    root=/dev/root rootfstype=hostfs rootflags=/ ro init="$here/init" UML_HERE="$here" UML_RUN_DIR="$run" \
    con=null con0=null,fd:2 con1=fd:0,fd:1 console=tty0 panic=-1 umid="uml-$$" \
    > "$run/console.log" 2>&1 < /dev/null &
await_guest "$run" $! "$timeout" UML_TIMEOUT
