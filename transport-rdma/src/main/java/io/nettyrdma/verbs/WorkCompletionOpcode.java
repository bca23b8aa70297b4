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

import java.util.Arrays;

/**
 * The operation of a successful work request ({@code enum ibv_wc_opcode}).
 *
 * @since 0.1.0
 */
@UnstableApi
public enum WorkCompletionOpcode {
    /** A send. */
    SEND(0),
    /** A write. */
    RDMA_WRITE(1),
    /** A read. */
    RDMA_READ(2),
    /** A compare and swap. */
    COMPARE_AND_SWAP(3),
    /** A fetch and add. */
    FETCH_AND_ADD(4),
    /** A receive: a message has arrived. */
    RECEIVE(128),
    /** A receive that a peer's write with immediate has consumed. */
    RECEIVE_RDMA_WITH_IMMEDIATE(129),
    /** An operation that this binding never posts. */
    OTHER(-1);

    private static final WorkCompletionOpcode[] BY_NUMBER = new WorkCompletionOpcode[256];

    static {
        Arrays.fill(BY_NUMBER, OTHER);
        for (WorkCompletionOpcode opcode : values()) {
            if (opcode != OTHER) {
                BY_NUMBER[opcode.number] = opcode;
            }
        }
    }

    private final int number;

    WorkCompletionOpcode(int number) {
        this.number = number;
    }

    /** {@return whether this is the completion of a receive, consumed by a send or by a write with immediate data} */
    public boolean isReceive() {
        return this == RECEIVE || this == RECEIVE_RDMA_WITH_IMMEDIATE;
    }

    static WorkCompletionOpcode of(int number) {
        return BY_NUMBER[number & 0xff];
    }
}
