/*
 * Copyright 2026 The netty-transport-rdma Project
 *
 * The netty-transport-rdma Project licenses this file to you under the Apache License,
 * version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at:
 *
 *   https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the
 * License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND,
 * either express or implied. See the License for the specific language governing permissions
 * and limitations under the License.
 */
package io.nettyrdma.info.check;

import java.util.ArrayList;
import java.util.List;

/** The MTU of RoCE ports against that of their network interfaces, which bounds it. */
public final class MtuCheck implements Check {

    private static final String NAME = "MTU";

    /** What the kernel subtracts for headers: {@code iboe_get_mtu} in {@code include/rdma/ib_addr.h}. */
    private static final int HEADERS = 40 + 8 + 12 + 4 + 28 + 4;
    private static final int LARGEST = 4096;

    private final List<RocePort> ports;

    /**
     * A port of a device that runs over Ethernet.
     *
     * @param device name of the device.
     * @param number of the port, from 1.
     * @param activeMtu bytes of a packet now.
     * @param maxMtu bytes of a packet that the device is capable of.
     * @param netInterface name of its network interface.
     */
    public record RocePort(String device, int number, int activeMtu, int maxMtu, String netInterface) {
    }

    MtuCheck(List<RocePort> ports) {
        this.ports = ports;
    }

    @Override
    public List<Finding> findings(Machine machine) {
        if (machine.software()) {
            return List.of(Finding.ok(NAME, "the software device has 4096, whatever interfaces have"));
        }
        List<Finding> findings = new ArrayList<>();
        for (RocePort port : ports) {
            findings.add(finding(machine, port));
        }
        return findings.isEmpty() ? List.of(Finding.ok(NAME, "no port depends on a network interface")) : findings;
    }

    private static Finding finding(Machine machine, RocePort port) {
        String name = port.device() + " port " + port.number();
        int ofInterface = (int) machine.files().number("sys/class/net/" + port.netInterface() + "/mtu");
        int possible = Math.min(port.maxMtu(), largestBelow(ofInterface - HEADERS));
        String text = name + " sends packets of " + port.activeMtu() + " bytes, and its interface "
                + port.netInterface() + " has an MTU of " + ofInterface;
        if (port.activeMtu() < possible) {
            return Finding.warning(NAME, text + ", which permits " + possible, machine.container().onHost(
                    "ip link set dev " + port.netInterface() + " down, then up, so that the port takes it over"));
        }
        if (port.activeMtu() < Math.min(port.maxMtu(), LARGEST)) {
            return Finding.note(NAME, text, machine.container().onHost("ip link set dev " + port.netInterface()
                    + " mtu 4200, if each switch and each peer has as much: else large packets are lost"));
        }
        return Finding.ok(NAME, text);
    }

    /** MTUs of ports are powers of two from 256. */
    private static int largestBelow(int bytes) {
        return Math.min(LARGEST, bytes < 256 ? 256 : Integer.highestOneBit(bytes));
    }
}
