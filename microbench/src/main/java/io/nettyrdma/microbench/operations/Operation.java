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
package io.nettyrdma.microbench.operations;

import io.nettyrdma.verbs.DeviceCapabilities;

import java.util.List;

/** The operations to compare. */
enum Operation {
    SEND("SEND"),
    WRITE("WRITE"),
    /** The peer's program learns of the write from the message behind it. */
    WRITE_AND_SEND("WRITE + SEND of 8 B"),
    WRITE_WITH_IMMEDIATE("WRITE with immediate"),
    READ("READ"),
    FETCH_AND_ADD("fetch and add"),
    COMPARE_AND_SWAP("compare and swap");

    /** Bytes of the message behind a write. */
    static final int NOTICE = 8;

    private final String title;

    Operation(String title) {
        this.title = title;
    }

    boolean isAtomic() {
        return this == FETCH_AND_ADD || this == COMPARE_AND_SWAP;
    }

    /**
     * Whether the peer's program gets to know of it. The peer then answers with the same operation, and the time is
     * half of both. The other operations take until they are complete, as no other party sees the end of them.
     */
    boolean isAnswered() {
        return this == SEND || this == WRITE_AND_SEND || this == WRITE_WITH_IMMEDIATE;
    }

    /** Bytes that the peer's program gets as a message. */
    int messageBytes(int size) {
        return this == SEND ? size : this == WRITE_AND_SEND ? NOTICE : 0;
    }

    boolean isSupported(DeviceCapabilities device) {
        return isAtomic() ? device.atomics() : this != WRITE_WITH_IMMEDIATE || device.immediate();
    }

    /** The sizes among those asked for. */
    List<Integer> sizes(List<Integer> asked) {
        return isAtomic() ? List.of(Long.BYTES) : asked;
    }

    @Override
    public String toString() {
        return title;
    }
}
