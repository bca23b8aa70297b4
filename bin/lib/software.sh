# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced after command.sh. The software device of a command's tests, and the command's options for it: --personality NAME,
# --late, --seed SEED.

# shellcheck source=testsuite/lanes/table.sh
. "${root:?}/testsuite/lanes/table.sh"

personality=rc
late=false
seed=1

# software_option WORD...: reads the option that the words begin with, and sets `taken` to the number of its words.
# shellcheck disable=SC2034
software_option() {
    taken=2
    case $1 in
        --personality)
            needs_value "$@"
            [[ $2 =~ ^(rc|iwarp|minimal|efa|efa44|efa0)$ ]] ||
                usage_error "$1 cannot be $2: use rc, iwarp, minimal, efa, efa44 or efa0"
            personality=$2
            ;;
        --late)
            late=true
            taken=1
            ;;
        --seed)
            needs_number "$@"
            seed=$2
            ;;
    esac
}

# choose_software FABRIC: the device of what this command runs, in a fabric of its own; `software_jvm` has the JVM's options.
choose_software() {
    local faults=late
    if $late; then
        [[ $personality != iwarp ]] || faults=late-iwarp
        SOFTHCA_ALWAYS=$(lane_faults $faults "$seed")
        export SOFTHCA_ALWAYS
    fi
    export SOFTHCA_PERSONALITY=$personality SOFTHCA_QUIET=1
    export SOFTHCA_FABRIC=${SOFTHCA_FABRIC:-$1.$$}
    # The quick compiler only, as in Maven's lanes: most classes end before the better one would pay.
    software_jvm="-XX:TieredStopAtLevel=1 -Dio.nettyrdma.device=software"
    software_jvm+=" -Dio.nettyrdma.test.seed=$seed -Dio.nettyrdma.testsuite.seed=$seed"
}
