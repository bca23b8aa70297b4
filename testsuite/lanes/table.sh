# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced. Reads testsuite/lanes/table, whose comments say what is in it.

lane_table=$(dirname "$(realpath "${BASH_SOURCE[0]}")")/table

# table_values KIND NAME: what the line of the kind has behind the name, or nothing.
table_values() {
    awk -v kind="$1" -v name="$2" '$1 == kind && $2 == name { $1 = $2 = ""; sub(/^ +/, ""); print }' "$lane_table"
}

# table_names KIND: of all its lines, in order.
table_names() { awk -v kind="$1" '$1 == kind { print $2 }' "$lane_table"; }

# lane_faults NAME SEED: the faults of this name, for SOFTHCA_ALWAYS.
lane_faults() { table_values faults "$1" | sed "s/SEED/$2/"; }
