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

/**
 * The operation of a send work request ({@code enum ibv_wr_opcode}).
 *
 * @since 0.1.0
 */
@UnstableApi
public enum SendOpcode {
    /** {@link SendBatch#write}. */
    RDMA_WRITE(0, Kind.SENDS),
    /** {@link SendBatch#writeWithImmediate}. */
    RDMA_WRITE_WITH_IMMEDIATE(1, Kind.SENDS),
    /** {@link SendBatch#send}. */
    SEND(2, Kind.SENDS),
    /** {@link SendBatch#sendWithImmediate}. */
    SEND_WITH_IMMEDIATE(3, Kind.SENDS),
    /** {@link SendBatch#read}. */
    RDMA_READ(4, Kind.READS),
    /** {@link SendBatch#compareAndSwap}. */
    COMPARE_AND_SWAP(5, Kind.ATOMIC),
    /** {@link SendBatch#fetchAndAdd}. */
    FETCH_AND_ADD(6, Kind.ATOMIC);

    private enum Kind { SENDS, READS, ATOMIC }

    final int number;
    /** Of a set of opcodes. */
    final int bit;
    final boolean isAtomic;
    /** Whether a request can take its bytes along, because it only sends them. */
    final boolean allowsInline;

    SendOpcode(int number, Kind kind) {
        this.number = number;
        bit = 1 << number;
        isAtomic = kind == Kind.ATOMIC;
        allowsInline = kind == Kind.SENDS;
    }
}
