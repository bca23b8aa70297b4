#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# guest.sh RUN_DIR: process 1 of the guest once the machine's programs are there. Sets up network and RDMA devices, runs
# RUN_DIR/command, leaves its exit status in RUN_DIR/status, powers off.
#
#   rxe0 on rxenet   10.9.0.1 10.9.0.2  fd00:9::1 fd00:9::2        Soft-RoCE
#   siw0 on siwnet   10.9.1.1 10.9.1.2  fd00:9:1::1 fd00:9:1::2    Soft-iWARP
#
# UML_DEVICES says which of the two there are.
set -Eeuo pipefail

run=$1
# shellcheck source=/dev/null
. "$run/guest.env"

lane=uml

power_off() {
    dmesg > "$run/dmesg.log" || true
    sync
    exec busybox poweroff -f
}

# shellcheck source=testsuite/lanes/guest/inside.sh
. "$(dirname "$0")/../guest/inside.sh"

# add_device TYPE NUMBER SIX: a device of the driver, on a network of its own
add_device() {
    add_netdev "${1}net" "$2" "$3"
    # A host that is there for who asks where it is, and silent for who connects to it.
    ip neighbour add "10.9.$2.77" lladdr 02:00:00:00:00:77 dev "${1}net"
    rdma link add "${1}0" type "$1" netdev "${1}net"
}

for device in $UML_DEVICES; do
    case $device in
        rxe) add_device rxe 0 fd00:9 ;;
        siw) add_device siw 1 fd00:9:1 ;;
        *) echo "uml: UML_DEVICES names $device; there are rxe and siw"; false ;;
    esac
done

# siw's ports are those of TCP, and rdma_cm, which chooses them, does not see what TCP keeps for a minute after a close.
# Our channels try another port then; tests with ids of their own do not.
echo 0 > /proc/sys/net/ipv4/tcp_max_tw_buckets
run_command
