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

import io.nettyrdma.jni.AbiLayout.SocketAddress;
import io.nettyrdma.jni.NativeMemory;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** Converts socket addresses to and from {@code struct nrdma_sockaddr}. */
final class AddressRecord {

    private static final int NONE = 0;
    private static final int IPV4 = 4;
    private static final int IPV6 = 6;
    private static final int IPV4_LENGTH = 4;
    private static final int IPV6_LENGTH = 16;
    private static final int MOST_PORT = 0xffff;

    private AddressRecord() {
    }

    static void checkPort(InetSocketAddress destination) {
        if (destination.getPort() == 0) {
            throw new IllegalArgumentException("the destination " + destination + " has no port; ports are 1 to "
                    + MOST_PORT);
        }
    }

    /** @param role what the address is for; goes into the exception message. */
    static NativeMemory write(String role, InetSocketAddress address) {
        if (address == null) {
            throw new NullPointerException("the " + role + " address is null");
        }
        InetAddress ip = address.getAddress();
        if (ip == null) {
            throw new IllegalArgumentException("the " + role + " address " + address
                    + " is not resolved: look its name up first");
        }
        NativeMemory record = new NativeMemory(SocketAddress.SIZE)
                .putBytes(SocketAddress.ADDR, ip.getAddress())
                .putU16(SocketAddress.PORT, address.getPort())
                .putU8(SocketAddress.FAMILY, ip instanceof Inet6Address ? IPV6 : IPV4);
        if (ip instanceof Inet6Address) {
            record.putU32(SocketAddress.SCOPE_ID, ((Inet6Address) ip).getScopeId());
        }
        return record;
    }

    /** The address, or {@code null} if the record has none. */
    static InetSocketAddress read(NativeMemory record) {
        int family = record.u8(SocketAddress.FAMILY);
        if (family == NONE) {
            return null;
        }
        byte[] bytes = record.bytes(SocketAddress.ADDR, family == IPV4 ? IPV4_LENGTH : IPV6_LENGTH);
        int scope = record.u32(SocketAddress.SCOPE_ID);
        try {
            // Only link-local addresses have a scope. Without a scope, getByAddress returns an IPv4-mapped address as
            // an IPv4 address.
            InetAddress ip = family == IPV6 && scope != 0
                    ? Inet6Address.getByAddress(null, bytes, scope)
                    : InetAddress.getByAddress(bytes);
            return new InetSocketAddress(ip, record.u16(SocketAddress.PORT));
        } catch (UnknownHostException e) {
            throw new IllegalStateException("4 and 16 bytes are always an address", e);
        }
    }
}
