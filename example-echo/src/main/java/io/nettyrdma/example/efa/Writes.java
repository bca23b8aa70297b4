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
package io.nettyrdma.example.efa;

import io.netty.buffer.ByteBuf;

import java.util.Random;

/**
 * The two writes, and the bytes that they bring:
 *
 * <pre>
 *   memory of the target:   0 | LARGE, 1,024,000 bytes | SMALL, 8 bytes | {@value #MEMORY}
 * </pre>
 */
enum Writes {
    LARGE(1, 0, 1_024_000),
    SMALL(2, 1_024_000, 8);

    /** Bytes of the target's memory. */
    static final int MEMORY = 1_024_008;

    private final int immediate;
    private final int offset;
    private final int length;

    Writes(int immediate, int offset, int length) {
        this.immediate = immediate;
        this.offset = offset;
        this.length = length;
    }

    int immediate() {
        return immediate;
    }

    int offset() {
        return offset;
    }

    int length() {
        return length;
    }

    /** {@code null} if it is of none. */
    static Writes of(int immediate) {
        for (Writes each : values()) {
            if (each.immediate == immediate) {
                return each;
            }
        }
        return null;
    }

    /** Appends the bytes. */
    void write(ByteBuf to) {
        Random random = new Random(immediate);
        for (int i = 0; i < length; i += Long.BYTES) {
            to.writeLong(random.nextLong());
        }
    }

    /** Whether the target's memory contains the bytes. */
    boolean isIn(ByteBuf memory) {
        Random random = new Random(immediate);
        for (int i = 0; i < length; i += Long.BYTES) {
            if (memory.getLong(offset + i) != random.nextLong()) {
                return false;
            }
        }
        return true;
    }
}
