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
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;

/** Addresses that lead to nobody. */
public final class Addresses {

    private Addresses() {
    }

    /** An address of the ranges that exist only in documentation (RFC 5737, RFC 3849). */
    public static InetAddress documentation(IpFamily family) throws IOException {
        return InetAddress.getByName(family == IpFamily.IPV4 ? "192.0.2.77" : "2001:db8::77");
    }

    /** An address of the same network that hardly anybody has: all bits of the host part are set but the last. */
    public static InetAddress neighbour(InetAddress own) throws IOException {
        byte[] bytes = own.getAddress();
        // Networks of IPv4 have 24 bits or fewer for themselves, those of IPv6 have 64.
        for (int i = bytes.length == 4 ? 3 : 8; i < bytes.length; i++) {
            bytes[i] = (byte) (i == bytes.length - 1 ? 0xfd : 0xbe);
        }
        return InetAddress.getByAddress(bytes);
    }

    /** Whether this machine knows no way to the address. */
    public static boolean hasNoRoute(InetSocketAddress address) throws SocketException {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(address);
            return false;
        } catch (SocketException e) {
            return true;
        }
    }
}
