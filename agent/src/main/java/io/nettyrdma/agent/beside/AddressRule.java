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
package io.nettyrdma.agent.beside;

import io.netty.util.NetUtil;

import java.net.InetSocketAddress;

/**
 * {@code HOST[/BITS][:PORT[-PORT]]}, where either may be missing.
 *
 * @param host the address; empty for any.
 * @param bits of it that count.
 */
record AddressRule(byte[] host, int bits, int firstPort, int lastPort) {

    private static final int MAX_PORT = 65_535;

    static AddressRule parse(String text) {
        int colon = text.indexOf(':', Math.max(text.indexOf(']'), 0));
        String host = colon < 0 ? text : text.substring(0, colon);
        String[] ports = colon < 0 ? new String[] {"0", String.valueOf(MAX_PORT)}
                : text.substring(colon + 1).split("-");
        int slash = host.indexOf('/');
        String address = (slash < 0 ? host : host.substring(0, slash)).replace("[", "").replace("]", "");
        byte[] bytes = address.isEmpty() ? new byte[0] : NetUtil.createByteArrayFromIpAddressString(address);
        int bits = slash < 0 ? bytes.length * Byte.SIZE : Integer.parseInt(host.substring(slash + 1));
        return new AddressRule(bytes, Math.min(bits, bytes.length * Byte.SIZE), Integer.parseInt(ports[0]),
                Integer.parseInt(ports[ports.length - 1]));
    }

    boolean matches(InetSocketAddress address) {
        return address.getPort() >= firstPort && address.getPort() <= lastPort
                && (host.length == 0 || !address.isUnresolved() && matches(address.getAddress().getAddress()));
    }

    private boolean matches(byte[] address) {
        if (address.length != host.length) {
            return false;
        }
        for (int bit = 0; bit < bits; bit++) {
            int mask = 1 << Byte.SIZE - 1 - bit % Byte.SIZE;
            if (((address[bit / Byte.SIZE] ^ host[bit / Byte.SIZE]) & mask) != 0) {
                return false;
            }
        }
        return true;
    }
}
