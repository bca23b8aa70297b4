# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced after command.sh. Builds a Java program of this tree and runs it.

# shellcheck source=bin/lib/jdk.sh
. "${root:?}/bin/lib/jdk.sh"

# build MODULE: sets up and builds. Shows what that says only if it fails: the output is the program's alone.
build() {
    local log
    log=$(mktemp)
    say "sets up and builds, which takes some minutes" >&2
    if ! { bin/setup build && choose_java_home && mvn -B -q package -DskipTests -pl "$1" -am; } > "$log" 2>&1; then
        cat "$log" >&2
        rm -f "$log"
        die "the build failed, as shown above"
    fi
    rm -f "$log"
}

# All that a class path names is there; `mvn clean` in one module takes some of it away.
is_built() {
    local file files
    [[ -f $1 ]] || return 1
    IFS=: read -ra files < "$1"
    for file in "${files[@]}"; do
        [[ -e $file ]] || return 1
    done
}

# run_java CLASSPATH_FILE MAIN WORD...: this process becomes the JVM. Its options are those in `jvm`, then the user's.
# What is only shown or measured runs on the software device where there is no other.
jvm=(-Dio.nettyrdma.device=any)
run_java() {
    local classpath=$1 options
    shift
    choose_java_home || exit 1
    read -ra options <<< "${JAVA_OPTS:-}"
    # JDK 24 and later warn about native libraries otherwise.
    exec "$JAVA_HOME/bin/java" --enable-native-access=ALL-UNNAMED "${jvm[@]}" "${options[@]}" \
        -cp "$(< "$classpath")" "$@"
}
