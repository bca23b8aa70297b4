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

import io.nettyrdma.annotation.UnstableApi;

import java.util.Locale;

/**
 * Which transport a channel of this package may use. {@link RdmaOrTcpOption#POLICY} sets it for a channel, the system
 * property {@code io.nettyrdma.policy} for all that are not set: {@code required}, {@code preferred} or {@code tcp}.
 *
 * @since 0.1.0
 */
@UnstableApi
public enum TransportPolicy {

    /**
     * RDMA, or no connection. Never falls back, whatever an attacker blocks. A server listens on RDMA alone.
     */
    RDMA_REQUIRED("required"),

    /**
     * The default. RDMA if both ends have it and reach each other within {@link RdmaOrTcpOption#HEAD_START_MILLIS},
     * else TCP. A server listens on both if there is a device, else on TCP.
     */
    RDMA_PREFERRED("preferred"),

    /** TCP, as if there were no RDMA. */
    TCP_ONLY("tcp");

    private final String property;

    TransportPolicy(String property) {
        this.property = property;
    }

    /** @throws IllegalArgumentException names the property, its value and what it may be. */
    static TransportPolicy parse(String name, String value) {
        for (TransportPolicy each : values()) {
            if (each.property.equals(value.trim().toLowerCase(Locale.ROOT))) {
                return each;
            }
        }
        throw new IllegalArgumentException("-D" + name + "=" + value + " is none of required, preferred and tcp");
    }
}
