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
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * The values of {@link RdmaOrTcpOption} of one channel. What is not set is as the system properties said when the
 * channel was created. Any thread.
 */
final class FallbackSettings {

    /**
     * The default of {@link RdmaOrTcpOption#POLICY}.
     *
     * @option.default preferred
     * @option.range required, preferred, tcp
     */
    private static final String POLICY = "io.nettyrdma.policy";
    private static final int MAX_PORT = 65_535;
    private static final List<NumberOption> NUMBERS = List.of(
            new NumberOption(RdmaOrTcpOption.HEAD_START_MILLIS, "headStartMillis", 250, 1, 60_000),
            new NumberOption(RdmaOrTcpOption.SILENT_HOST_MILLIS, "silentHostMillis", 60_000, 0, 3_600_000),
            new NumberOption(RdmaOrTcpOption.RDMA_PORT_OFFSET, "rdmaPortOffset", 0, -MAX_PORT, MAX_PORT));

    private volatile TransportPolicy policy;
    /** In the order of {@link #NUMBERS}. */
    private final AtomicIntegerArray numbers = new AtomicIntegerArray(NUMBERS.size());

    private record NumberOption(ChannelOption<Integer> option, String property, int byDefault, int min, int max) {

        int inRange(Object name, int value) {
            return FallbackSettings.inRange(name, value, min, max);
        }

        int fromProperty() {
            String name = "io.nettyrdma." + property;
            return inRange("-D" + name, SystemPropertyUtil.getInt(name, byDefault));
        }
    }

    /** @throws IllegalArgumentException names the property whose value is wrong. */
    FallbackSettings() {
        String value = SystemPropertyUtil.get(POLICY);
        policy = value == null ? TransportPolicy.RDMA_PREFERRED : TransportPolicy.parse(POLICY, value);
        for (int i = 0; i < NUMBERS.size(); i++) {
            numbers.set(i, NUMBERS.get(i).fromProperty());
        }
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
        return get(RdmaOrTcpOption.HEAD_START_MILLIS);
    }

    int silentHostMillis() {
        return get(RdmaOrTcpOption.SILENT_HOST_MILLIS);
    }

    int portOffset() {
        return get(RdmaOrTcpOption.RDMA_PORT_OFFSET);
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
        return option == RdmaOrTcpOption.POLICY || indexOf(option) >= 0;
    }

    /** Negative if it is none of the numbers. */
    private static int indexOf(ChannelOption<?> option) {
        for (int i = 0; i < NUMBERS.size(); i++) {
            if (NUMBERS.get(i).option() == option) {
                return i;
            }
        }
        return -1;
    }

    /** Call only for an option that this {@linkplain #has has}. */
    @SuppressWarnings("unchecked")
    <T> T get(ChannelOption<T> option) {
        return option == RdmaOrTcpOption.POLICY ? (T) policy : (T) (Integer) numbers.get(indexOf(option));
    }

    /** Call only for an option that this {@linkplain #has has}. */
    void set(ChannelOption<?> option, Object value) {
        if (option == RdmaOrTcpOption.POLICY) {
            policy = (TransportPolicy) value;
        } else {
            int i = indexOf(option);
            numbers.set(i, NUMBERS.get(i).inRange(option, (Integer) value));
        }
    }

    void addTo(Map<ChannelOption<?>, Object> options) {
        options.put(RdmaOrTcpOption.POLICY, policy);
        NUMBERS.forEach(each -> options.put(each.option(), get(each.option())));
    }
}
