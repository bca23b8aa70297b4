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

import io.nettyrdma.jni.Errno;
import io.nettyrdma.verbs.VerbsException;

import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.DatagramSocket;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.NoRouteToHostException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * A local IP address that the connection manager maps to a device. The GID table cannot provide these addresses: on
 * iWARP, GIDs are link addresses.
 *
 * @param address address to bind or to connect to. Never link-local, which would require a scope.
 * @param device name of the device that the address leads to.
 * @since 0.1.0
 */
public record DeviceAddress(InetAddress address, String device) {

    /** An arbitrary port; nothing is sent to it. */
    private static final int DISCARD = 9;
    /** More than rdma-core opens at a time for a device: its entries in sysfs, commands, events. */
    private static final int FILES_OF_A_DEVICE = 8;

    /**
     * {@return all such addresses} Those that other machines can reach come first, and of these those of IPv4.
     *
     * @throws IOException if the network interfaces cannot be listed, or rdma_cm cannot be used; and if there is none,
     *         while this process has too few file descriptors to open a device.
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
            if (found.isEmpty()) {
                checkDescriptors();
            }
        }
        found.sort(Comparator.comparing((DeviceAddress each) -> each.address.isLoopbackAddress())
                .thenComparing(each -> each.address instanceof Inet6Address));
        return found;
    }

    /**
     * {@return an address at which two programs on this machine can connect} This is the loopback address if it leads
     * to a device, as with the software device, because other machines cannot reach it; otherwise the first of {@link
     * #list}.
     *
     * @throws IOException as {@link #list}, and if no address leads to a device.
     */
    public static DeviceAddress forLocalUse() throws IOException {
        List<DeviceAddress> all = list();
        return all.stream().filter(each -> each.address.isLoopbackAddress()).findFirst()
                .or(() -> all.stream().findFirst())
                .orElseThrow(() -> new NoRouteToHostException("no address of this machine leads to an RDMA device: "
                        + "assign an address to the network interface of a device; rdma-info shows the devices"));
    }

    /** A device that rdma-core cannot open is to rdma_cm no device at the address. */
    private static void checkDescriptors() throws IOException {
        List<InputStream> files = new ArrayList<>();
        try {
            for (int i = 0; i < FILES_OF_A_DEVICE; i++) {
                files.add(new FileInputStream("/dev/null"));
            }
        } catch (FileNotFoundException e) {
            throw new VerbsException("rdma_bind_addr", "each address of this machine", Errno.EMFILE);
        } finally {
            for (InputStream file : files) {
                file.close();
            }
        }
    }

    /**
     * Whether a connection to {@code address} has it as its source too. If an interface has several addresses, the
     * kernel chooses the first as the source, and the two ends of a local connection would have different addresses.
     */
    private static boolean isOwnSource(InetAddress address) throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            // Sends nothing, but makes the kernel choose the source address.
            socket.connect(address, DISCARD);
            return socket.getLocalAddress().equals(address);
        }
    }

    /**
     * Name of the device that the address leads to; {@code null} if there is none. That includes loopback addresses
     * with RoCE: the kernel treats them as the wildcard address and binds them to no device.
     */
    private static String deviceOf(CmEventChannel channel, InetAddress address) throws IOException {
        try (CmId id = CmId.create(channel, CmPortSpace.TCP)) {
            id.bind(new InetSocketAddress(address, 0));
            return id.deviceName();
        } catch (VerbsException e) {
            if (e.errno() == Errno.ENODEV || e.errno() == Errno.EADDRNOTAVAIL) {
                // No device has this address.
                return null;
            }
            throw e;
        }
    }
}
