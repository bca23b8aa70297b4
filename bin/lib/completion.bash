# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Completion of options and of their values, for the scripts of this project as they are called from the top of the
# tree:
#
#   . bin/lib/completion.bash
#
# What it proposes is in the script's own --help, which needs no build.

_nettyrdma_complete() {
    local help option word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} values
    COMPREPLY=()
    # bash takes an equals sign for a word.
    [[ $word != = ]] || { before='=' word=''; COMP_CWORD=$((COMP_CWORD + 1)); }
    option=$before
    [[ $before != = ]] || option=${COMP_WORDS[COMP_CWORD - 2]}
    help=$("$1" --help 2> /dev/null) || return 0
    if [[ $option == --* && $word != -* ]]; then
        # [--name one | two | ANY]: values of an option are in its usage, those in capitals stand for any.
        values=$(tr '\n' ' ' <<< "$help" | grep -oE -- "\\[$option [^]]*\\|[^]]*\\]" | head -n 1 | tr -d '[]' |
            tr '| ' '\n\n' | grep -E '^[a-z0-9]' || true)
        [[ -z $values ]] || mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
    elif [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "--help $(grep -oE -- '(^|[^-a-z])--[a-z][a-z-]*' <<< "$help" |
            grep -oE -- '--[a-z-]+' | sort -u)" -- "$word")
    fi
}

# Each by its whole path: `complete echo` would be for the command echo of the system.
_nettyrdma_register() {
    local script
    for script in bin/* microbench/* stress/run testsuite/lanes/* testsuite/softhca/*; do
        [[ ! -f $script || ! -x $script ]] || complete -o default -F _nettyrdma_complete "$script" "./$script"
    done
}
_nettyrdma_root=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)
_nettyrdma_before=$PWD
cd "$_nettyrdma_root" && _nettyrdma_register
cd "$_nettyrdma_before" || true
unset _nettyrdma_root _nettyrdma_before
