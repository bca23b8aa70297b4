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
package io.nettyrdma.buffer;

import io.nettyrdma.jni.MemoryNative;

import java.nio.ByteBuffer;

/**
 * Memory that comes from the system, and goes to it, at once; and is registered at once. One that is in an arena is
 * divided into 64 pages, of which runs are made, under the arena's lock. One that is larger than others belongs to a
 * single buffer.
 */
final class Chunk {

    private static final long ALL = -1L;

    /** Units of the range that it takes up. */
    final int firstUnit;
    final int units;

    final long address;
    /** Bytes that are committed, which can be fewer than its units have. */
    final int length;
    final ByteBuffer memory;

    /** The range must not go while a part of it is in use. */
    private final AddressRange range;

    /** A bit for each page. */
    private long freePages = ALL;

    Chunk(AddressRange range, int firstUnit, int units, int length) {
        this.range = range;
        this.firstUnit = firstUnit;
        this.units = units;
        this.length = length;
        address = range.address(firstUnit);
        memory = MemoryNative.view(address, length);
    }

    /** Takes pages in a row; returns the first, or -1 if there are not so many. */
    int takePages(int count) {
        long starts = freePages;
        // Bit i stays if pages i to i + done are free; each round doubles done, the last one adds the rest.
        for (int done = 1; done < count && starts != 0;) {
            int more = Math.min(done, count - done);
            starts &= starts >>> more;
            done += more;
        }
        if (starts == 0) {
            return -1;
        }
        int first = Long.numberOfTrailingZeros(starts);
        freePages &= ~mask(first, count);
        return first;
    }

    void givePages(int first, int count) {
        freePages |= mask(first, count);
    }

    boolean isUnused() {
        return freePages == ALL;
    }

    private static long mask(int first, int count) {
        return ALL >>> Long.SIZE - count << first;
    }

    @Override
    public String toString() {
        return "chunk of " + length + " bytes at 0x" + Long.toHexString(address) + " of " + range.bytes();
    }
}
