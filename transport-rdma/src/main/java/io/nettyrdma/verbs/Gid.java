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
package io.nettyrdma.verbs;

import io.nettyrdma.annotation.UnstableApi;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/**
 * A global identifier: 128 bits in network byte order that name a port; an IP address on RoCE v2. Immutable.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class Gid {

    /** The protocol that a GID table entry is for. */
    public enum Type {
        /** Of InfiniBand. */
        INFINIBAND,
        /** Of RoCE version 1: an Ethernet frame, not routed. */
        ROCE_V1,
        /** Of RoCE version 2: a UDP datagram. */
        ROCE_V2,
        /** libibverbs is too old to report the type. */
        UNKNOWN;

        static Type of(int number) {
            return number >= 0 && number < UNKNOWN.ordinal() ? values()[number] : UNKNOWN;
        }
    }

    /** Length of a GID in bytes. */
    public static final int LENGTH = 16;

    private final byte[] raw;

    /**
     * Copies the bytes.
     *
     * @param raw {@link #LENGTH} bytes.
     */
    public Gid(byte[] raw) {
        if (raw.length != LENGTH) {
            throw new IllegalArgumentException("a GID has 16 bytes, not " + raw.length);
        }
        this.raw = raw.clone();
    }

    /** {@return a copy of the {@link #LENGTH} bytes} */
    public byte[] bytes() {
        return raw.clone();
    }

    /** {@return whether this is the zero GID, which marks an empty table entry} */
    public boolean isZero() {
        return Arrays.equals(raw, new byte[LENGTH]);
    }

    /** {@return the IP address of a RoCE v2 GID; an IPv4 address if the GID is an IPv4-mapped address} */
    public InetAddress toAddress() {
        try {
            return InetAddress.getByAddress(raw);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("16 bytes are always an address", e);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Gid && Arrays.equals(raw, ((Gid) other).raw);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(raw);
    }

    /** As {@code ibv_devinfo} writes it: eight groups of four hexadecimal digits, or {@code ::ffff:a.b.c.d}. */
    @Override
    public String toString() {
        InetAddress address = toAddress();
        if (!(address instanceof Inet6Address)) {
            return "::ffff:" + address.getHostAddress();
        }
        StringBuilder text = new StringBuilder(39);
        for (int i = 0; i < LENGTH; i += 2) {
            text.append(i == 0 ? "" : ":").append(String.format("%02x%02x", raw[i], raw[i + 1]));
        }
        return text.toString();
    }
}
