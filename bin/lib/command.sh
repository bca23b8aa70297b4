# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced. What all commands share: their help, and errors of one line. A failure ends with status 1, wrong usage with 2.
# The help of a script is the comment at its top, from line 4 on, and names all of its options.

self=$(realpath "$0")
root=$(realpath "${BASH_SOURCE[0]%/*}/../..")
# As a user calls it from the top of the tree.
command_name=${self#"$root"/}

help() { sed -n '4,$ { /^#/! q; s/^# \{0,1\}//p }' "$self"; }

say() { printf '%s: %s\n' "$command_name" "$*"; }

die() { say "$*" >&2; exit 1; }

usage_error() { say "$*: see $command_name --help" >&2; exit 2; }

# check_options WORD...: answers --help, and refuses an option that the help does not name. What follows -- is free.
check_options() {
    local word options
    options=$(help)
    options=" ${options//[!-a-z]/ } "
    for word; do
        case $word in
            --) return ;;
            -h | --help) help; exit ;;
            -[a-z-]*) [[ $options == *" ${word%%=*} "* ]] || usage_error "no option $word" ;;
        esac
    done
}

# check_long_options WORD...: the same for a script whose words with a single dash are another program's.
check_long_options() {
    local word
    for word; do
        case $word in
            --) return ;;
            --*) check_options "$word" ;;
        esac
    done
}

# separate WORD...: sets `words` to the words, the first as two if it is --name=value. JUnit's options stay as they are.
separate() {
    words=("$@")
    case ${1-} in
        --select-* | --include-* | --exclude-*) ;;
        --?*=*) words=("${1%%=*}" "${1#*=}" "${@:2}") ;;
    esac
}

# needs_value OPTION [WORD...]: refuses an option that nothing follows.
needs_value() { [[ -n ${2-} ]] || usage_error "$1 needs a value"; }

# needs_number OPTION [WORD...]: refuses an option that no whole number follows.
needs_number() {
    needs_value "$@"
    [[ $2 =~ ^[0-9]{1,9}$ ]] || usage_error "$1 is $2, which is no number"
}

# numbers WORD...: refuses what is no whole number.
numbers() {
    local word
    for word; do
        [[ $word =~ ^[0-9]{1,9}$ ]] || usage_error "$word is no number"
    done
}

# launcher_options WORD...: as check_options, for words that go to JUnit's console launcher.
launcher_options() {
    local word
    for word; do
        case $word in
            --) return ;;
            --select-* | --include-* | --exclude-*) ;;
            *) check_options "$word" ;;
        esac
    done
}
