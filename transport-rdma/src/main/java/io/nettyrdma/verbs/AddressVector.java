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
import io.nettyrdma.jni.AbiLayout.AddressHandleAttributes;
import io.nettyrdma.jni.NativeMemory;

/**
 * The path to a remote port ({@code struct ibv_ah_attr}). A connected queue pair has one, and an address handle is
 * created from one.
 *
 * @param gid the remote port's GID; {@code null} to address by {@code lid} alone (InfiniBand within a subnet).
 * @param lid the remote port's LID; 0 on Ethernet.
 * @param port local port, from 1.
 * @param gidIndex index of the local GID that becomes the source address.
 * @param hopLimit number of routers that a packet may pass; normally {@link #DEFAULT_HOP_LIMIT}.
 * @param trafficClass IPv4 TOS or IPv6 traffic class, 0 to 255.
 * @param serviceLevel 0 to 15.
 * @since 0.1.0
 */
@UnstableApi
public record AddressVector(Gid gid, int lid, int port, int gidIndex, int hopLimit, int trafficClass,
                            int serviceLevel) {

    /** Routers that a packet may pass. */
    public static final int DEFAULT_HOP_LIMIT = 64;

    /**
     * Checks the ranges.
     *
     * @param gid as the component.
     * @param lid as the component.
     * @param port as the component.
     * @param gidIndex as the component.
     * @param hopLimit as the component.
     * @param trafficClass as the component.
     * @param serviceLevel as the component.
     * @throws IllegalArgumentException if a number is out of its range.
     */
    public AddressVector {
        range("lid", lid, 0, 0xffff);
        range("port", port, 1, 255);
        range("gidIndex", gidIndex, 0, 255);
        range("hopLimit", hopLimit, 0, 255);
        range("trafficClass", trafficClass, 0, 255);
        range("serviceLevel", serviceLevel, 0, 15);
    }

    /**
     * An address vector for RoCE, or for InfiniBand when addressing by GID.
     *
     * @param gid of the peer's port.
     * @param port the local port, from 1.
     * @param gidIndex the entry of the local port's GID table that is the source.
     */
    public AddressVector(Gid gid, int port, int gidIndex) {
        this(gid, 0, port, gidIndex, DEFAULT_HOP_LIMIT, 0, 0);
    }

    /**
     * Changes the traffic class.
     *
     * @param value 0 to 255.
     * @return a copy with the change.
     */
    public AddressVector withTrafficClass(int value) {
        return new AddressVector(gid, lid, port, gidIndex, hopLimit, value, serviceLevel);
    }

    /**
     * Reads the record that starts at {@code base}.
     *
     * @param record filled by a native call.
     * @param base where it starts.
     * @return the address.
     */
    public static AddressVector read(NativeMemory record, int base) {
        boolean global = record.u8(base + AddressHandleAttributes.IS_GLOBAL) != 0;
        return new AddressVector(
                global ? new Gid(record.bytes(base + AddressHandleAttributes.DGID, Gid.LENGTH)) : null,
                record.u16(base + AddressHandleAttributes.DLID),
                Math.max(1, record.u8(base + AddressHandleAttributes.PORT_NUM)),
                record.u8(base + AddressHandleAttributes.SGID_INDEX),
                record.u8(base + AddressHandleAttributes.HOP_LIMIT),
                record.u8(base + AddressHandleAttributes.TRAFFIC_CLASS),
                record.u8(base + AddressHandleAttributes.SL) & 0xf);
    }

    void write(NativeMemory record, int base) {
        if (gid != null) {
            record.putBytes(base + AddressHandleAttributes.DGID, gid.bytes());
        }
        record.putU8(base + AddressHandleAttributes.IS_GLOBAL, gid == null ? 0 : 1)
                .putU16(base + AddressHandleAttributes.DLID, lid)
                .putU8(base + AddressHandleAttributes.PORT_NUM, port)
                .putU8(base + AddressHandleAttributes.SGID_INDEX, gidIndex)
                .putU8(base + AddressHandleAttributes.HOP_LIMIT, hopLimit)
                .putU8(base + AddressHandleAttributes.TRAFFIC_CLASS, trafficClass)
                .putU8(base + AddressHandleAttributes.SL, serviceLevel);
    }

    private static void range(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " is " + value + ", not within " + min + " to " + max);
        }
    }
}
