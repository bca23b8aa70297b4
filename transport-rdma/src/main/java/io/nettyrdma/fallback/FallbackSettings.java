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
package io.nettyrdma.fallback;

import io.netty.channel.ChannelOption;
import io.netty.util.internal.SystemPropertyUtil;

import java.net.InetSocketAddress;
import java.util.Map;

/**
 * The values of {@link RdmaOrTcpOption} of one channel. What is not set is as the system properties said when the
 * channel was created. Any thread.
 */
final class FallbackSettings {

    static final String POLICY = "io.nettyrdma.policy";
    static final String HEAD_START = "io.nettyrdma.headStartMillis";
    static final String PORT_OFFSET = "io.nettyrdma.rdmaPortOffset";

    private static final int DEFAULT_HEAD_START = 250;
    private static final int MAX_HEAD_START = 60_000;
    private static final int MAX_PORT = 65_535;

    private volatile TransportPolicy policy;
    private volatile int headStart;
    private volatile int portOffset;

    /** @throws IllegalArgumentException names the property whose value is wrong. */
    FallbackSettings() {
        String value = SystemPropertyUtil.get(POLICY);
        policy = value == null ? TransportPolicy.RDMA_PREFERRED : TransportPolicy.parse(POLICY, value);
        headStart = inRange("-D" + HEAD_START, SystemPropertyUtil.getInt(HEAD_START, DEFAULT_HEAD_START), 1,
                MAX_HEAD_START);
        portOffset = inRange("-D" + PORT_OFFSET, SystemPropertyUtil.getInt(PORT_OFFSET, 0), -MAX_PORT, MAX_PORT);
    }

    private static int inRange(Object name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " is " + value + ", not within " + min + " to " + max);
        }
        return value;
    }

    TransportPolicy policy() {
        return policy;
    }

    int headStartMillis() {
        return headStart;
    }

    int portOffset() {
        return portOffset;
    }

    /** The address with the port for RDMA. */
    static InetSocketAddress forRdma(InetSocketAddress address, int portOffset) {
        int port = address.getPort();
        if (portOffset == 0 || port == 0) {
            return address;
        }
        int moved = inRange("the port for RDMA", port + portOffset, 1, MAX_PORT);
        return new InetSocketAddress(address.getAddress(), moved);
    }

    static boolean has(ChannelOption<?> option) {
        return option == RdmaOrTcpOption.POLICY || option == RdmaOrTcpOption.HEAD_START_MILLIS
                || option == RdmaOrTcpOption.RDMA_PORT_OFFSET;
    }

    /** Call only for an option that this {@linkplain #has has}. */
    @SuppressWarnings("unchecked")
    <T> T get(ChannelOption<T> option) {
        if (option == RdmaOrTcpOption.POLICY) {
            return (T) policy;
        }
        return (T) (Integer) (option == RdmaOrTcpOption.HEAD_START_MILLIS ? headStart : portOffset);
    }

    /** Call only for an option that this {@linkplain #has has}. */
    void set(ChannelOption<?> option, Object value) {
        if (option == RdmaOrTcpOption.POLICY) {
            policy = (TransportPolicy) value;
        } else if (option == RdmaOrTcpOption.HEAD_START_MILLIS) {
            headStart = inRange(option, (Integer) value, 1, MAX_HEAD_START);
        } else {
            portOffset = inRange(option, (Integer) value, -MAX_PORT, MAX_PORT);
        }
    }

    void addTo(Map<ChannelOption<?>, Object> options) {
        options.put(RdmaOrTcpOption.POLICY, policy);
        options.put(RdmaOrTcpOption.HEAD_START_MILLIS, headStart);
        options.put(RdmaOrTcpOption.RDMA_PORT_OFFSET, portOffset);
    }
}
