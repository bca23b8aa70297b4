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
import io.nettyrdma.jni.AbiLayout;
import io.nettyrdma.jni.NativeMemory;

/**
 * The state of a port at the time of the query ({@code struct ibv_port_attr}).
 *
 * @param maxMtu largest MTU that the port supports, in bytes.
 * @param activeMtu MTU in use, in bytes. EFA reports only the nearest value of {@code enum ibv_mtu}; see
 *        {@code maxMessageBytes}.
 * @param gidTableLength number of entries of the GID table, including empty ones.
 * @param maxMessageBytes length of the longest message, for any operation.
 * @since 0.1.0
 */
@UnstableApi
public record PortAttributes(State state, LinkLayer linkLayer, int maxMtu, int activeMtu, int gidTableLength,
                             int partitionKeyTableLength, long maxMessageBytes, int lid) {

    /** {@code enum ibv_port_state}, in the same order. */
    public enum State {

        /** Reserved. */
        NOP,
        /** Without a link. */
        DOWN,
        /** Has a link; the subnet manager has not configured it. */
        INIT,
        /** Passes management packets alone. */
        ARMED,
        /** Can be used. */
        ACTIVE,
        /** Was active, and has lost its link for a moment. */
        ACTIVE_DEFER
    }

    /** {@code IBV_LINK_LAYER_*}, in the same order. */
    public enum LinkLayer {

        /** Not said. */
        UNSPECIFIED,
        /** InfiniBand. */
        INFINIBAND,
        /** Ethernet: RoCE or iWARP. */
        ETHERNET
    }

    private static final int SMALLEST_MTU = 256;
    private static final int LARGEST_MTU_NUMBER = 5;

    static PortAttributes read(NativeMemory record) {
        int linkLayer = record.u32(AbiLayout.PortAttributes.LINK_LAYER);
        return new PortAttributes(
                State.values()[Math.min(record.u32(AbiLayout.PortAttributes.STATE), State.values().length - 1)],
                linkLayer < LinkLayer.values().length ? LinkLayer.values()[linkLayer] : LinkLayer.UNSPECIFIED,
                mtuBytes(record.u32(AbiLayout.PortAttributes.MAX_MTU)),
                mtuBytes(record.u32(AbiLayout.PortAttributes.ACTIVE_MTU)),
                record.u32(AbiLayout.PortAttributes.GID_TBL_LEN),
                record.u32(AbiLayout.PortAttributes.PKEY_TBL_LEN),
                Integer.toUnsignedLong(record.u32(AbiLayout.PortAttributes.MAX_MSG_SZ)),
                record.u32(AbiLayout.PortAttributes.LID));
    }

    /** The number in {@code enum ibv_mtu}: 1 is 256 bytes, and each further number doubles the size. */
    static int mtuNumber(int bytes) {
        for (int number = 1; number <= LARGEST_MTU_NUMBER; number++) {
            if (mtuBytes(number) == bytes) {
                return number;
            }
        }
        throw new IllegalArgumentException("an MTU must be 256, 512, 1024, 2048 or 4096 bytes, not " + bytes);
    }

    static int mtuBytes(int number) {
        return number == 0 ? 0 : SMALLEST_MTU << number - 1;
    }
}
