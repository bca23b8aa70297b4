# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced after command.sh and jdk.sh. Compiles the Java sources and the C libraries that changed, in seconds and without
# Maven, for bin/test-one. Maven has built the tree once; what it has made besides, the generated CMake tree and the list
# of the tests' libraries, is used as it is.
#
#   target/test-one/NAME       classes and resources of one source tree
#   target/test-one/NAME.key   digests of all that they were made of: in the first line of the compiler and the trees that
#                              this one needs, in the others of each file
#
# A tree whose digests differ is compiled again, all of it: so nothing remains of a source that was moved or deleted. Only
# of tests that changed, and that no other source names, nothing else can depend: they are compiled alone.

compiled=${root:?}/target/test-one
library_classpath=$root/testsuite/target/lane.classpath
case $(uname -m) in aarch64) platform=linux-aarch_64 ;; *) platform=linux-x86_64 ;; esac
# shellcheck disable=SC2034
cmake_build=$root/transport-rdma-native/target/cmake/$platform

build_files=("$root"/pom.xml "$root"/{testsuite,programs,transport-rdma,transport-efa,transport-rdma-native}/pom.xml)

# is_tree_built: whether Maven has built it, with these build files: they are older, or have the contents of the last time.
is_tree_built() {
    local file files
    [[ -f $library_classpath && -f $cmake_build/CMakeCache.txt ]] || return 1
    if [[ ! -f $compiled/poms.key || $(< "$compiled/poms.key") != "$(sha256sum "${build_files[@]}")" ]]; then
        for file in "${build_files[@]}"; do
            [[ ! $file -nt $library_classpath ]] || return 1
        done
    fi
    IFS=: read -ra files < "$library_classpath"
    for file in "${files[@]}"; do
        [[ $file == */target/* || -e $file ]] || return 1
    done
}

# build_tree: what is_tree_built looks for. A CMake tree remembers where it was made.
build_tree() {
    local made
    if [[ -f $cmake_build/CMakeCache.txt ]]; then
        made=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$cmake_build/CMakeCache.txt")
        [[ $made == "$root/transport-rdma-native" ]] || die "$cmake_build was made in $made: delete it, and try again"
    fi
    mkdir -p "$compiled"
    if ! is_tree_built; then
        say "builds the tree once, which takes some minutes"
        "$root/bin/setup" build
        mvn -B -q package -DskipTests -Dcheckstyle.skip -pl testsuite -am -f "$root/pom.xml" ||
            die "the build failed, as shown above"
    fi
    sha256sum "${build_files[@]}" > "$compiled/poms.key"
}

# build_native TARGET...: brings targets of the CMake tree up to date. Prints only what fails.
build_native() {
    local log
    log=$(mktemp)
    if ! cmake --build "$cmake_build" --target "$@" -- -j "$(nproc)" > "$log" 2>&1; then
        cat "$log" >&2
        rm -f "$log"
        die "the C code does not compile, as shown above"
    fi
    rm -f "$log"
}

# pom_property NAME [MODULE]: of the pom.xml of the module, or of the root.
pom_property() { sed -n "s|.*<$1>\\(.*\\)</$1>.*|\\1|p" "$root/${2:-.}/pom.xml" | head -n 1; }

# start_compiling: what the functions below need. Libraries are the published ones; ours come from `compiled`.
start_compiling() {
    libraries=$(tr ':' '\n' < "$library_classpath" | grep -v '/target/' | paste -sd :)
    # As in pom.xml. javac is over before its JVM's better compiler would pay.
    compiler=("$JAVA_HOME/bin/javac" -J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC --release 17 -proc:none
        -XDstringConcat=inline)
    # Later compilers know more lints.
    [[ $(release_of "$JAVA_HOME" javac) != 17 ]] || compiler+=(-Werror)
    # Another test-one may run what is compiled here. Shared while classes are used, exclusive while they change.
    exec 9> "$compiled/lock"
    flock -s 9
}

# compile NAME TREE [NEEDED...]: `TREE/java` with `TREE/resources` and `TREE/filtered`.
compile() {
    local tree=$2 sources=$root/$2 classes=$compiled/$1 list=$compiled/$1.sources path key needed lint start=$SECONDS
    shift 2
    # A module may leave out more lints than the others.
    lint=$(pom_property lint.args "${tree%%/src/*}")
    lint=${lint:-$(pom_property lint.args)}
    path=$libraries
    for needed; do path=$compiled/$needed:$path; done
    key=$(
        {
            printf '%s\n' "${compiler[@]}" "$lint" "$path"
            for needed; do cat "$compiled/$needed.key"; done
        } | sha256sum
        cd "$sources" && find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum
    )
    [[ ! -f $classes.key || $(< "$classes.key") != "$key" ]] || return 0

    flock 9
    local where=(-cp "$path")
    if list_lonely_changes "$sources" "$classes.key" "$key" > "$list"; then
        where=(-cp "$classes:$path")
        while read -r file; do
            file=$classes/${file#"$sources/java/"}
            rm -f "${file%.java}.class" "${file%.java}\$"*.class
        done < "$list"
    else
        rm -rf "$classes"
        mkdir "$classes"
        find "$sources/java" -name '*.java' > "$list"
        [[ ! -d $sources/resources ]] || cp -r "$sources/resources/." "$classes"
        [[ ! -d $sources/filtered ]] || filter "$sources/filtered" "$classes"
        [[ ! -f $sources/java/module-info.java ]] || where=(--module-path "$path")
    fi
    rm -f "$classes.key"
    "${compiler[@]}" "$lint" "${where[@]}" -d "$classes" "@$list" || die "$tree does not compile, as shown above"
    printf '%s\n' "$key" > "$classes.key"
    flock -s 9
    say "compiled $(wc -l < "$list") files of $tree in $((SECONDS - start)) s"
}

# list_lonely_changes SOURCES OLD_KEY_FILE NEW_KEY: the files that changed, or are new, if these are tests that no other
# source names; fails else, and if anything besides changed.
list_lonely_changes() {
    local sources=$1 old=$2 files names
    [[ -f $old && $(head -n 1 "$old") == "$(head -n 1 <<< "$3")" ]] || return 1
    # Digest, blanks and ./path.
    [[ -z $(comm -23 <(cut -c 67- "$old" | sort) <(cut -c 67- <<< "$3" | sort)) ]] || return 1
    files=$(comm -13 <(sort "$old") <(sort <<< "$3") | cut -c 69-)
    [[ -n $files ]] && ! grep -qv '^java/.*Test\.java$' <<< "$files" || return 1
    names=$(sed 's|.*/||; s|\.java$||' <<< "$files" | paste -sd '|')
    ! (cd "$sources" && grep -rlwE "$names" java) | grep -qvxF "$files" || return 1
    awk -v sources="$sources" '{ print sources "/" $0 }' <<< "$files"
}

# filter FROM TO: Maven's filter, for the one property that our files use.
filter() {
    local file version
    version=$(sed -n 's|.*<version>\(.*\)</version>.*|\1|p' "$root/pom.xml" | head -n 1)
    while read -r file; do
        mkdir -p "$(dirname "$2/$file")"
        sed "s/\${project\.version}/$version/g" "$1/$file" > "$2/$file"
    done < <(cd "$1" && find . -type f)
}

# jar_native: the C libraries as tests find them, in a jar, but with their symbols.
jar_native() {
    local jar=$compiled/native.jar file files
    build_native shim softhca softhca-control module
    files=("$cmake_build"/{libnetty_transport_rdma,libsofthca}_"${platform#linux-}".so "$cmake_build/module/module-info.class")
    for file in "${files[@]}"; do
        [[ ! $file -nt $jar ]] || rm -f "$jar"
    done
    [[ ! -f $jar ]] || return 0
    flock 9
    rm -rf "$compiled/native"
    mkdir -p "$compiled/native/META-INF/native"
    cp "${files[@]:0:2}" "$compiled/native/META-INF/native"
    cp "${files[2]}" "$compiled/native"
    "$JAVA_HOME/bin/jar" --create --no-compress --file "$jar" -C "$compiled/native" . || die "cannot make $jar"
    flock -s 9
}
