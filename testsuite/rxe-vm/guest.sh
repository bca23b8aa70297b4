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

power_off() {
    sync
    echo o > /proc/sysrq-trigger
    sleep 60
}
# What goes wrong here goes to the console. No status is written, and boot.sh shows the console's end.
trap 'echo "rxe-vm: guest set-up failed in line $LINENO: $BASH_COMMAND"; power_off' ERR

mount -t tmpfs tmpfs /run
mkdir /dev/shm /dev/pts
mount -t tmpfs tmpfs /dev/shm
mount -t devpts devpts /dev/pts
ln -s /proc/self/fd /dev/fd

release=$(uname -r)
if [[ $RXE_VM_KERNEL/lib/modules/$release != /lib/modules/$release ]]; then
    mkdir -p "/lib/modules/$release"
    mount --bind "$RXE_VM_KERNEL/lib/modules/$release" "/lib/modules/$release"
fi

echo rxe-vm > /proc/sys/kernel/hostname
cat > /etc/hosts << END
127.0.0.1 localhost
::1 localhost
10.9.0.1 rxe-vm
fd00:9::1 rxe-vm
END

ip link set lo up
# Some distributions let the module make a dummy0 when it is loaded, some do not.
modprobe dummy numdummies=0
ip link add dummy0 type dummy
# The path MTU is what fits into the netdev's: 1500 gives 1024, 4200 and more give 4096.
# arp on: a dummy device takes every address for its own neighbour else, and no address would ever fail to resolve.
ip link set dummy0 mtu 4300 arp on up
ip address add 10.9.0.1/24 dev dummy0
ip address add 10.9.0.2/24 dev dummy0
# nodad: usable at once, nobody on a dummy device could object.
ip address add fd00:9::1/64 dev dummy0 nodad
ip address add fd00:9::2/64 dev dummy0 nodad

# Without the crc32 modules `rdma link add` fails with ENOENT. Newer kernels have them built in, under other names.
modprobe -a -q crc32_generic crc32c_generic crc32_pclmul || true
modprobe -a rdma_rxe ib_uverbs rdma_ucm
rdma link add rxe0 type rxe netdev dummy0
rdma link add rxe1 type rxe netdev lo

ulimit -l unlimited
status=0
trap - ERR
(
    cd "$RXE_VM_CWD"
    eval "exec $(< "$run/command")"
) > "$run/output.log" 2>&1 < /dev/null || status=$?
# Renamed, so that a half written status is never read.
echo "$status" > "$run/status.tmp"
mv "$run/status.tmp" "$run/status"
power_off
