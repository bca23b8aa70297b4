# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced after command.sh. A last line on the terminal of a command that takes long: how long it has run and, if it has
# succeeded here before, how long it took then. Nothing of it gets into a pipe, a file or the log of CI.

progress_pid=
progress_times=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/netty-transport-rdma/times

# start_progress [WORD...]: until the script ends, or calls end_progress. Commands with equal words take about as long.
# A script that another one calls leaves the line to that. Sets the trap EXIT: a script that sets it too calls
# end_progress there.
start_progress() {
    [[ -t 1 && -t 2 && -z ${CI-} && -z ${IN_PROGRESS-} ]] || return 0
    export IN_PROGRESS=yes
    progress_file=$progress_times/$(cksum <<< "$command_name $*" | cut -d ' ' -f 1)
    exec 7>&1 8>&2 > >(trap '' INT; draw_progress "$(cat "$progress_file" 2> /dev/null)") 2>&1
    progress_pid=$!
    trap end_progress EXIT
}

# end_progress: removes the line, and keeps the time of a command that succeeded.
end_progress() {
    local status=$? tries
    [[ -n $progress_pid ]] || return 0
    exec 1>&7 2>&8 7>&- 8>&-
    # A process that goes on in the background keeps the pipe open.
    for (( tries = 0; tries < 20; tries++ )); do
        kill -0 "$progress_pid" 2> /dev/null || break
        sleep 0.05
    done
    kill "$progress_pid" 2> /dev/null || true
    progress_pid=
    if (( status == 0 )); then
        { mkdir -p "$progress_times" && echo "$SECONDS" > "$progress_file"; } 2> /dev/null || true
    fi
}

# draw_progress [USUAL]: copies its input, with the line below, until the input ends. USUAL is in seconds.
draw_progress() {
    local usual=${1:-0} start=$SECONDS part='' line ended now
    while true; do
        ended=0
        IFS= read -r -t 1 line || ended=$?
        part+=$line
        if (( ended == 0 )); then
            printf '\r\e[K%s\n' "$part"
            part=
        elif (( ended <= 128 )); then
            printf '\r\e[K%s' "$part"
            return
        elif [[ -z $part ]]; then
            now=$((SECONDS - start))
            printf '\r\e[K%s: %d:%02d so far' "$command_name" $((now / 60)) $((now % 60))
            (( usual <= now )) || printf ', about %d:%02d left' $(((usual - now) / 60)) $(((usual - now) % 60))
        fi
    done
}
