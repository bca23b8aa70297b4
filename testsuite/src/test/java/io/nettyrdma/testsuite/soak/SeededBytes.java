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
package io.nettyrdma.testsuite.soak;

import io.netty.buffer.ByteBuf;

/** An endless sequence of bytes, each determined by seed and position: both ends compute it, and neither stores it. */
final class SeededBytes {

    private static final long GOLDEN_RATIO = 0x9e3779b97f4a7c15L;

    private final long seed;
    private long position;

    SeededBytes(long seed) {
        this(seed, 0);
    }

    SeededBytes(long seed, long position) {
        this.seed = seed;
        this.position = position;
    }

    long seed() {
        return seed;
    }

    /** The position of the next byte. */
    long position() {
        return position;
    }

    void writeTo(ByteBuf buffer, int count) {
        for (int left = count; left > 0;) {
            if (left >= Long.BYTES && isAtWord()) {
                buffer.writeLongLE(word());
                position += Long.BYTES;
                left -= Long.BYTES;
            } else {
                buffer.writeByte(nextByte());
                left--;
            }
        }
    }

    /** @return the position of the first byte that differs, or -1 if none does and all have been read. */
    long firstDifference(ByteBuf buffer, int count) {
        for (int left = count; left > 0;) {
            if (left >= Long.BYTES && isAtWord() && buffer.getLongLE(buffer.readerIndex()) == word()) {
                buffer.skipBytes(Long.BYTES);
                position += Long.BYTES;
                left -= Long.BYTES;
            } else if (buffer.readByte() == nextByte()) {
                left--;
            } else {
                return position - 1;
            }
        }
        return -1;
    }

    private boolean isAtWord() {
        return position % Long.BYTES == 0;
    }

    private byte nextByte() {
        int shift = (int) (position % Long.BYTES) * Byte.SIZE;
        byte next = (byte) (word() >>> shift);
        position++;
        return next;
    }

    /** The eight bytes around the position, lowest byte first: the SplitMix64 finalizer of their number. */
    private long word() {
        long mixed = seed + position / Long.BYTES * GOLDEN_RATIO;
        mixed = (mixed ^ mixed >>> 30) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
        return mixed ^ mixed >>> 31;
    }
}
