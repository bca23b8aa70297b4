# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced. Which JDK a command runs on: JAVA_HOME, else javac on the PATH, else the oldest fitting one in /usr/lib/jvm.
# Running Java needs java and no javac.

# release_of DIRECTORY TOOL: the feature release of the JDK there, 0 if there is none that has the tool. Asks its file
# `release` and not the JVM, which takes seconds in an emulated machine.
release_of() {
    [[ -x $1/bin/$2 && $(cat "$1/release" 2> /dev/null) =~ JAVA_VERSION=\"([0-9]+) ]] || { echo 0; return; }
    echo "${BASH_REMATCH[1]}"
}

# first_jdk TOOL LEAST MOST DIRECTORY...: the first directory whose release is in the range; fails if none is.
first_jdk() {
    local tool=$1 least=$2 most=$3 dir release
    shift 3
    for dir; do
        release=$(release_of "$dir" "$tool")
        if (( release >= least && release <= most )); then
            echo "$dir"
            return
        fi
    done
    return 1
}

installed_jdks() { printf '%s\n' /usr/lib/jvm/* | sort --version-sort; }

# choose_java_home TOOL: sets JAVA_HOME for us and all that we call; fails if there is no JDK 17 or newer that has the
# tool: javac to build, java to run. A JAVA_HOME that does not fit is an error: its user expects it to be used.
choose_java_home() {
    local tool=$1 on_path installed
    if [[ -n ${JAVA_HOME:-} ]]; then
        first_jdk "$tool" 17 999 "$JAVA_HOME" > /dev/null && return
        echo "${command_name:-${0##*/}}: JAVA_HOME=$JAVA_HOME has no $tool of release 17 or newer: correct it, or unset it" >&2
        return 1
    fi
    on_path=$(command -v "$tool" || true)
    mapfile -t installed < <(installed_jdks)
    JAVA_HOME=$(first_jdk "$tool" 17 999 "$(dirname "$(dirname "$(realpath "${on_path:-/none/none/none}")")")" \
        "${installed[@]}") || {
        echo "${command_name:-${0##*/}}: no $tool of release 17 or newer on the PATH or in /usr/lib/jvm: run bin/setup, or set JAVA_HOME" >&2
        return 1
    }
    export JAVA_HOME
}
