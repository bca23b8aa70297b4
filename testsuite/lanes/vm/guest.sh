#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# guest.sh RUN_DIR: process 1 of the guest once the host's programs are there. Sets up network and RDMA devices, runs
# RUN_DIR/command, leaves its exit status in RUN_DIR/status, powers off.
#
#   rxe0 on dummy0  10.9.0.1 10.9.0.2  fd00:9::1 fd00:9::2    the device under test
#   rxe1 on lo      127.0.0.1, ::1                            a second device, for plain verbs: rdma_cm does not route
#                                                             to a loopback address on RoCE (ENODEV)
set -euo pipefail

run=$1
# shellcheck source=/dev/null
. "$run/guest.env"

lane=rxe-vm

power_off() {
    sync
    echo o > /proc/sysrq-trigger
    sleep 60
}

mount -t tmpfs tmpfs /run
# shellcheck source=testsuite/lanes/guest/inside.sh
. "$RXE_VM_DIR/../guest/inside.sh"

release=$(uname -r)
if [[ $RXE_VM_KERNEL/lib/modules/$release != /lib/modules/$release ]]; then
    mkdir -p "/lib/modules/$release"
    mount --bind "$RXE_VM_KERNEL/lib/modules/$release" "/lib/modules/$release"
fi

# Some distributions let the module make a dummy0 when it is loaded, some do not.
modprobe dummy numdummies=0
add_netdev dummy0 0 fd00:9
echo "fd00:9::1 $lane" >> /etc/hosts

# Without the crc32 modules `rdma link add` fails with ENOENT. Newer kernels have them built in, under other names.
modprobe -a -q crc32_generic crc32c_generic crc32_pclmul || true
modprobe -a rdma_rxe ib_uverbs rdma_ucm
rdma link add rxe0 type rxe netdev dummy0
rdma link add rxe1 type rxe netdev lo

run_command
