# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced. Which JDK a command runs on: JAVA_HOME, else javac on the PATH, else the oldest fitting one in /usr/lib/jvm.

# The feature release of the JDK in a directory, 0 if there is none. Asks its file `release` and not the JVM,
# which takes seconds in an emulated machine.
release_of() {
    [[ -x $1/bin/javac && $(cat "$1/release" 2> /dev/null) =~ JAVA_VERSION=\"([0-9]+) ]] || { echo 0; return; }
    echo "${BASH_REMATCH[1]}"
}

# first_jdk LEAST MOST DIRECTORY...: the first directory whose release is in the range; fails if none is.
first_jdk() {
    local least=$1 most=$2 dir release
    shift 2
    for dir; do
        release=$(release_of "$dir")
        if (( release >= least && release <= most )); then
            echo "$dir"
            return
        fi
    done
    return 1
}

installed_jdks() { printf '%s\n' /usr/lib/jvm/* | sort --version-sort; }

# Sets JAVA_HOME for us and all that we call; fails if there is no JDK 17 or newer.
choose_java_home() {
    local on_path installed
    on_path=$(command -v javac || true)
    mapfile -t installed < <(installed_jdks)
    JAVA_HOME=$(first_jdk 17 999 "${JAVA_HOME:-/none}" \
        "$(dirname "$(dirname "$(realpath "${on_path:-/none/none/none}")")")" "${installed[@]}") || {
        echo "${0##*/}: no JDK 17 or newer in JAVA_HOME, on the PATH or in /usr/lib/jvm: run bin/setup" >&2
        return 1
    }
    export JAVA_HOME
}
