# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced. The figures of a script for microbench/report, in the format of RawResults.

# result PROGRAM SERIES VARIANT FIGURE BASELINE ROUNDS: appends a line to PROGRAM.tsv in the directory RESULTS, if it is
# set. ROUNDS are numbers with a space between them.
result() {
    [[ -z ${RESULTS:-} ]] || printf '%s\t%s\t%s\t%s\t%s\n' "${@:2}" >> "$RESULTS/$1.tsv"
}
