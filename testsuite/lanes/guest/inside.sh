# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by process 1 of a guest, vm/guest.sh and uml/guest.sh, which has set run, the run
# directory (see boot-common.sh), lane, its name, and power_off.

# What goes wrong here goes to the console. No status is written, and boot.sh shows the console's end.
set -E
trap 'echo "${lane:?}: guest set-up failed in line $LINENO: $BASH_COMMAND"; power_off' ERR

mkdir -p /dev/shm /dev/pts
mount -t tmpfs tmpfs /dev/shm
mount -t devpts devpts /dev/pts
ln -sf /proc/self/fd /dev/fd
echo "$lane" > /proc/sys/kernel/hostname
cat > /etc/hosts << END
127.0.0.1 localhost
::1 localhost
10.9.0.1 $lane
END
ip link set lo up

# add_netdev NAME NUMBER SIX: a network of its own, 10.9.NUMBER.1 and .2, SIX::1 and ::2
add_netdev() {
    local host
    ip link add "$1" type dummy
    # The path MTU is what fits into the netdev's: 1500 gives 1024, 4200 and more give 4096, the largest.
    # arp on: a dummy device takes every address for its own neighbour else, and no address would ever fail to resolve.
    ip link set "$1" mtu 4300 arp on up
    for host in 1 2; do
        ip address add "10.9.$2.$host/24" dev "$1"
        # nodad: usable at once, no host on a dummy device could object.
        ip address add "$3::$host/64" dev "$1" nodad
    done
}

# What the guest is for; the end of it.
run_command() {
    local status=0
    ulimit -l unlimited
    trap - ERR
    (
        cd "$GUEST_CWD"
        eval "exec $(< "$run/command")"
    ) > "$run/output.log" 2>&1 < /dev/null || status=$?
    # Renamed, so that a half written status is never read.
    echo "$status" > "$run/status.tmp"
    mv "$run/status.tmp" "$run/status"
    power_off
}
