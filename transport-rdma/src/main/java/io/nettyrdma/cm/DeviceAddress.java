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
package io.nettyrdma.cm;

import io.nettyrdma.verbs.VerbsException;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.NoRouteToHostException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * An address of this machine that the connection manager finds a device by. GIDs do not tell: on iWARP they are
 * addresses of the link.
 *
 * @param address what to bind to, and to connect to. Never link-local: that would need a scope.
 * @param device name of the device that it leads to.
 */
public record DeviceAddress(InetAddress address, String device) {

    /** Any port; nothing is sent there. */
    private static final int DISCARD = 9;

    /**
     * All there are, those that other machines can reach first.
     *
     * @throws IOException if this machine's network interfaces cannot be read, or rdma_cm cannot be used.
     */
    public static List<DeviceAddress> list() throws IOException {
        List<DeviceAddress> found = new ArrayList<>();
        try (CmEventChannel channel = CmEventChannel.open()) {
            for (NetworkInterface each : Collections.list(NetworkInterface.getNetworkInterfaces())) {
                for (InetAddress address : Collections.list(each.getInetAddresses())) {
                    String device = address.isLinkLocalAddress() || !isOwnSource(address) ? null
                            : deviceOf(channel, address);
                    if (device != null) {
                        found.add(new DeviceAddress(address, device));
                    }
                }
            }
        }
        found.sort(Comparator.comparing(each -> each.address.isLoopbackAddress()));
        return found;
    }

    /**
     * What two programs of this machine meet at: the loopback address if it leads to a device, as on the software
     * device, for nobody else reaches it; else the first of {@link #list}.
     *
     * @throws IOException as {@link #list}, and if there is none.
     */
    public static DeviceAddress forLocalUse() throws IOException {
        List<DeviceAddress> all = list();
        return all.stream().filter(each -> each.address.isLoopbackAddress()).findFirst()
                .or(() -> all.stream().findFirst())
                .orElseThrow(() -> new NoRouteToHostException("no address of this machine leads to an RDMA device: "
                        + "give the network interface of one an address; bin/rdma-info shows the devices"));
    }

    /**
     * Who connects to a further address of an interface comes from the first one. Then the two ends of a connection
     * within this machine have different addresses, which surprises.
     */
    private static boolean isOwnSource(InetAddress address) throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            // Sends nothing; it has the kernel choose a source.
            socket.connect(address, DISCARD);
            return socket.getLocalAddress().equals(address);
        }
    }

    /** The kernel takes loopback addresses for "any" on RoCE, and binds them to no device: {@code null}. */
    private static String deviceOf(CmEventChannel channel, InetAddress address) throws IOException {
        try (CmId id = CmId.create(channel, CmPortSpace.TCP)) {
            id.bind(new InetSocketAddress(address, 0));
            return id.deviceName();
        } catch (VerbsException e) {
            // No device has it.
            return null;
        }
    }
}
