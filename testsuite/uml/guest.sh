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

power_off() {
    dmesg > "$run/dmesg.log" || true
    sync
    exec busybox poweroff -f
}
# What goes wrong here goes to the console. No status is written, and boot.sh shows the console's end.
trap 'echo "uml: guest set-up failed in line $LINENO: $BASH_COMMAND"; power_off' ERR

mkdir -p /dev/shm /dev/pts
mount -t tmpfs tmpfs /dev/shm
mount -t devpts devpts /dev/pts
ln -sf /proc/self/fd /dev/fd

echo uml > /proc/sys/kernel/hostname
cat > /etc/hosts << END
127.0.0.1 localhost
::1 localhost
10.9.0.1 uml
END

# add_device TYPE NUMBER SIX: a device of the driver, on a network of its own
add_device() {
    local netdev=${1}net host
    ip link add "$netdev" type dummy
    # The path MTU is what fits into the netdev's: 4300 gives 4096, the largest.
    # arp on: a dummy device takes every address for its own neighbour else, and no address would ever fail to resolve.
    ip link set "$netdev" mtu 4300 arp on up
    for host in 1 2; do
        ip address add "10.9.$2.$host/24" dev "$netdev"
        # nodad: usable at once, nobody on a dummy device could object.
        ip address add "$3::$host/64" dev "$netdev" nodad
    done
    # A host that is there for who asks where it is, and silent for who connects to it.
    ip neighbour add "10.9.$2.77" lladdr 02:00:00:00:00:77 dev "$netdev"
    rdma link add "${1}0" type "$1" netdev "$netdev"
}

ip link set lo up
for device in $UML_DEVICES; do
    case $device in
        rxe) add_device rxe 0 fd00:9 ;;
        siw) add_device siw 1 fd00:9:1 ;;
        *) echo "uml: UML_DEVICES names $device; there are rxe and siw"; false ;;
    esac
done

ulimit -l unlimited
status=0
trap - ERR
(
    cd "$UML_CWD"
    eval "exec $(< "$run/command")"
) > "$run/output.log" 2>&1 < /dev/null || status=$?
# Renamed, so that a half written status is never read.
echo "$status" > "$run/status.tmp"
mv "$run/status.tmp" "$run/status"
power_off
