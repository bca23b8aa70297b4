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
package io.nettyrdma.testsuite.support;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

/** Addresses that no host answers at. */
public final class Addresses {

    private Addresses() {
    }

    /** An address from the ranges reserved for documentation (RFC 5737, RFC 3849). */
    public static InetAddress documentation(IpFamily family) throws IOException {
        return InetAddress.getByName(family == IpFamily.IPV4 ? "192.0.2.77" : "2001:db8::77");
    }

    /** An address in the same network whose host part is unlikely to be in use. Skips the test if there is none. */
    public static InetAddress neighbour(InetAddress own) throws IOException {
        assumeFalse(own instanceof Inet4Address && own.isLoopbackAddress(), "127.0.0.0/8 is this machine's");
        byte[] bytes = own.getAddress();
        // The host part has at least 8 bits in IPv4 networks and 64 bits in IPv6 networks.
        for (int i = bytes.length == 4 ? 3 : 8; i < bytes.length; i++) {
            bytes[i] = (byte) (i == bytes.length - 1 ? 0xfd : 0xbe);
        }
        return InetAddress.getByAddress(bytes);
    }

    /** Whether this machine has no route to the address. */
    public static boolean hasNoRoute(InetSocketAddress address) throws SocketException {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(address);
            return false;
        } catch (SocketException e) {
            return true;
        }
    }
}
