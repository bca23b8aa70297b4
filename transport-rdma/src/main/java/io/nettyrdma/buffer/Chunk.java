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
 * The unit of memory that is committed, registered and released. A chunk of an arena is divided into 64 pages, from
 * which the arena takes runs under its lock. A chunk that is larger than the configured size belongs to a single
 * buffer.
 */
final class Chunk {

    private static final long ALL = -1L;

    /** First of the units of the address range that the chunk occupies. */
    final int firstUnit;
    final int units;

    final long address;
    /** Committed bytes; may be less than the size of its units. */
    final int length;
    final ByteBuffer memory;

    /** Keeps the address range reachable while the chunk is in use. */
    private final AddressRange range;

    /** A bit for each page, set if the page is free. */
    private long freePages = ALL;
    /** By its first page, the run that ended there last, if it was {@link #keep kept}. */
    private final Run[] ended = new Run[SizeClasses.PAGES];

    Chunk(AddressRange range, int firstUnit, int units, int length) {
        this.range = range;
        this.firstUnit = firstUnit;
        this.units = units;
        this.length = length;
        address = range.address(firstUnit);
        memory = MemoryNative.view(address, length);
    }

    /** Takes {@code count} consecutive pages; returns the first, or -1 if no such range is free. */
    int takePages(int count) {
        long starts = freePages;
        // Bit i is set if the done pages from i on are free. Each round doubles done; the last one adds the rest.
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

    /** A run has ended. The next one of its size that begins at the same page is this one, with its buffers. */
    void keep(Run run) {
        ended[run.firstPage] = run;
    }

    /** Returns the run that was kept at a page, maybe of another size; {@code null} if none was. */
    Run takeKept(int firstPage) {
        Run run = ended[firstPage];
        ended[firstPage] = null;
        return run;
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
