# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced after command.sh. Builds a Java program of this tree, unless it is built, and runs it.

# shellcheck source=bin/lib/jdk.sh
. "${root:?}/bin/lib/jdk.sh"
# shellcheck source=bin/lib/progress.sh
. "$root/bin/lib/progress.sh"

# build MODULE: sets up and builds. Shows what that says only if it fails: the output is the program's alone.
build() {
    local log
    log=$(mktemp)
    say "sets up and builds $1, which takes a minute or some" >&2
    start_progress build "$1"
    if ! { bin/setup build && choose_java_home javac && mvn -B -q package -DskipTests -pl "$1" -am; } > "$log" 2>&1; then
        cat "$log" >&2
        rm -f "$log"
        die "the build failed, as shown above"
    fi
    end_progress
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

# A tree that cannot be written to is built in a copy, which stays for the next time.
go_to_copy() {
    local copy
    copy=${XDG_CACHE_HOME:-$HOME/.cache}/netty-transport-rdma/tree-$(cksum <<< "$root" | cut -d ' ' -f 1)
    say "$root cannot be written to: builds in $copy" >&2
    mkdir -p "$copy"
    tar -C "$root" --exclude=./.git --exclude=target -cf - . | tar -C "$copy" -xf -
    root=$copy
}

# prepare MODULE FILE: builds the module unless it is built, and sets `classpath` to FILE, which has its class path.
prepare() {
    classpath=$root/$2
    if ! is_built "$classpath"; then
        [[ -w $root ]] || go_to_copy
        classpath=$root/$2
        is_built "$classpath" || (cd "$root" && build "$1")
    fi
}

# run_java MAIN WORD...: this process becomes the JVM, on the class path of `prepare`. Its options are those in `jvm`,
# then the user's. Commands that only show or measure run on the software device where there is no other.
jvm=(-Dio.nettyrdma.device=any)
run_java() {
    local main=$1 options
    shift
    choose_java_home java || exit 1
    read -ra options <<< "${JAVA_OPTS:-}"
    # JDK 24 and later warn about native libraries otherwise.
    exec "$JAVA_HOME/bin/java" --enable-native-access=ALL-UNNAMED "${jvm[@]}" "${options[@]}" \
        -cp "$(< "$classpath")" "$main" "$@"
}
