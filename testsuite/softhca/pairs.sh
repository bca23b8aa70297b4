# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced. Runs other people's verbs programs on the software device, alone or as server and client, and counts what
# failed. From the top of the tree, behind bin/lib/command.sh, with
#   pattern   a glob: only programs whose names match run
#   logs      an empty directory of the caller's

. testsuite/lanes/outcome.sh

suite=${command_name##*/}
limit=60
port=$((20000 + RANDOM % 20000))
export SOFTHCA_FABRIC=$suite.$$ SOFTHCA_QUIET=1
passed=0
failed=()

soft() { timeout "$limit" bin/softhca "$@"; }

report() {
    local name=$1 status=$2
    if (( status == 0 )); then
        passed=$((passed + 1))
        printf '%s: ok      %s\n' "$suite" "$name"
        return
    fi
    failed+=("$name")
    printf '%s: FAILED  %s (status %s)\n' "$suite" "$name" "$status"
    tail -n 40 "$logs"/* 2> /dev/null | sed 's/^/    /'
}

# Whether a TCP socket listens on the port: the programs that meet by TCP do so before they take a device's address.
listens_tcp() { grep -qE "^ *[0-9]+: [0-9A-F]+:$(printf '%04X' "$1") [0-9A-F]+:0000 0A" /proc/net/tcp /proc/net/tcp6; }

# control PROCESS COMMAND: to the program that a process, a timeout, runs.
control() {
    local child
    child=$(< "/proc/$1/task/$1/children")
    bin/softhca --control "${child%% *}" "$2"
} 2> /dev/null

# await PROCESS COMMAND...: until the command succeeds, or the process is gone, or 500 tries have failed.
await() {
    local process=$1 tries
    shift
    for (( tries = 0; tries < 500; tries++ )); do
        if "$@"; then return 0; fi
        kill -0 "$process" 2> /dev/null || return 1
        sleep 0.02
    done
    return 1
}

# pair NAME WAY EXPECTED -- SERVER... -- CLIENT...
#   WAY        how they meet: tcp, cm, or cm:NUMBER for a server that has a port of its own; the client is started when the
#              server listens. With a plus behind it the server does not end by itself, and is ended with its client.
#              cm-twice: they meet over one connection of rdma_cm, then the server listens again while the client already
#              connects. A client that comes too early is refused, and perftest's way of trying again crashes before
#              26.04; so what it sends after its first two messages, a request and a confirmation, is lost until the
#              server listens for the second time.
#   EXPECTED   a pattern that the client's output must have
#   PORT in the command lines stands for a fresh port.
pair() {
    local name=$1 way=${2%+} expected=$3 stays=${2//[^+]/} side=0 word status=0 server client listen_port
    local -a server_words=() client_words=()
    shift 4
    # shellcheck disable=SC2053
    [[ $name == $pattern ]] || return 0
    port=$((port + 1))
    for word; do
        if [[ $word == -- ]]; then
            side=1
        elif (( side == 0 )); then
            server_words+=("${word//PORT/$port}")
        else
            client_words+=("${word//PORT/$port}")
        fi
    done
    rm -f "$logs"/*
    # Not by soft, which would be one process more.
    timeout "$limit" bin/softhca "${server_words[@]}" > "$logs/server" 2>&1 &
    server=$!
    listen_port=$port
    if [[ $way == cm:* ]]; then listen_port=${way#cm:}; fi
    case $way in
        tcp) await "$server" listens_tcp "$port" ;;
        *) await "$server" control "$server" "listens $listen_port" ;;
    esac
    if [[ $way == cm-twice ]]; then
        SOFTHCA_FAULTS=message@3+ SOFTHCA_CM_TIMEOUT_MS=8000 \
            timeout "$limit" bin/softhca "${client_words[@]}" > "$logs/client" 2>&1 &
        client=$!
        await "$client" control "$server" "listens $listen_port 2" && control "$client" 'faults off'
        wait "$client" || status=$?
    else
        soft "${client_words[@]}" > "$logs/client" 2>&1 || outcome $? "$logs/client" || status=$?
    fi
    if (( status == 0 )) && [[ -z $stays ]]; then
        wait "$server" || outcome $? "$logs/server" || status=$?
    else
        kill "$server" 2> /dev/null
        wait "$server"
    fi
    if (( status == 0 )) && ! grep -qE -- "$expected" "$logs/client"; then
        echo "the client did not print: $expected" >> "$logs/client"
        status=1
    fi
    report "$name" "$status"
}

# alone NAME EXPECTED -- PROGRAM...
alone() {
    local name=$1 expected=$2 status=0
    shift 3
    # shellcheck disable=SC2053
    [[ $name == $pattern ]] || return 0
    rm -f "$logs"/*
    soft "$@" > "$logs/output" 2>&1 || status=$?
    if (( status == 0 )) && ! grep -qE -- "$expected" "$logs/output"; then
        echo "it did not print: $expected" >> "$logs/output"
        status=1
    fi
    report "$name" "$status"
}

# The last line of all, with a status.
summary() {
    printf '%s: %s passed, %s failed%s\n' "$suite" "$passed" "${#failed[@]}" "${failed:+: ${failed[*]}}"
    (( ${#failed[@]} == 0 ))
}
