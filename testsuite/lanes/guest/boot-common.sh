# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by the scripts that boot a guest on this machine's files, vm/boot.sh and uml/boot.sh.
# Each guest has a run directory, in which it leaves what is to stay:
#
#   guest.env    what it must know         output.log    what the command writes
#   command      what it runs              status        the exit status of that, when it has ended
#   console.log  what its kernel says
#
# The sourcing script sets lane, the name that its messages begin with.

say() {
    echo "${lane:?}: $*" >&2
}

# need TOOLS SETUP: programs that must be there, and the arguments of bin/setup that install them.
need() {
    local program
    for program in $1; do
        command -v "$program" > /dev/null || { say "$program is missing: run bin/setup $2"; exit 1; }
    done
}

# run_directory GIVEN PARENT: the one that was given, else a new one below PARENT.
run_directory() {
    if [[ -n $1 ]]; then
        realpath "$1"
    else
        mkdir -p "$2"
        mktemp -d "$2/$(date +%H%M%S)-XXXX"
    fi
}

# write_guest_env RUN COMMAND [ARG...]: writes the lines NAME=VALUE of standard input, and the variables that programs
# need, to guest.env, quoted for the shells that read it.
write_guest_env() {
    local run=$1 name value
    shift
    {
        while IFS== read -r name value; do
            printf 'export %s=%q\n' "$name" "$value"
        done
        printf 'export GUEST_CWD=%q\n' "$PWD"
        for name in PATH HOME LANG JAVA_HOME; do
            [[ -z ${!name:-} ]] || printf 'export %s=%q\n' "$name" "${!name}"
        done
    } > "$run/guest.env"
    printf '%q ' "$@" > "$run/command"
    : > "$run/output.log"
}

# await_guest RUN PID SECONDS VARIABLE: shows what the command writes, and returns its status; else 124 if the guest was
# ended after SECONDS, which VARIABLE has set, and 125 if it went down.
await_guest() {
    local run=$1 guest=$2 seconds=$3 variable=$4 tail ended=0
    # shellcheck disable=SC2064
    trap "kill $guest 2> /dev/null || true" EXIT
    tail -n +1 -f -s 0.2 --pid="$guest" "$run/output.log" &
    tail=$!
    wait "$guest" || ended=$?
    trap - EXIT
    wait "$tail" || true
    if [[ -e $run/status ]]; then
        return "$(< "$run/status")"
    fi
    say "end of the guest's console:"
    tail -n 60 "$run/console.log" >&2 || true
    if (( ended == 124 || ended == 137 )); then
        say "it was ended after $seconds s ($variable)"
        return 124
    fi
    say "the guest went down without an exit status of: $(< "$run/command")"
    return 125
}
