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

import java.util.Arrays;

/**
 * Pages in a row that are cut into slots of one size. A slot is represented by its buffer, which is made when the slot
 * is used first; the run has those that nobody else has. Belongs to its arena, under the lock.
 *
 * <pre>
 *   | in use | here | in use | here | never used   |
 *                                    ^ fresh        ^ slots
 * </pre>
 *
 * What is in use the run does not refer to: a buffer that the application has lost is then garbage, and its leak is
 * found.
 */
final class Run {

    /** Room for buffers at first: a run may come and go for one. */
    private static final int FEW = 8;

    /** {@code null} if the run is a chunk of its own. */
    final Arena arena;
    final Chunk chunk;
    final int sizeClass;
    final int slotBytes;
    final int firstPage;
    final int pages;

    private final RdmaByteBufAllocator allocator;
    private final int slots;
    private final int start;
    private RdmaByteBuf[] here;
    private int hereCount;
    private int fresh;

    /** Neighbours in the arena's list of runs that have a slot. */
    Run previous;
    Run next;

    Run(RdmaByteBufAllocator allocator, Arena arena, Chunk chunk, int sizeClass, int slotBytes, int firstPage,
        int pages, int pageBytes) {
        this.allocator = allocator;
        this.arena = arena;
        this.chunk = chunk;
        this.sizeClass = sizeClass;
        this.slotBytes = slotBytes;
        this.firstPage = firstPage;
        this.pages = pages;
        start = firstPage * pageBytes;
        slots = pages * pageBytes / slotBytes;
        here = new RdmaByteBuf[Math.min(slots, FEW)];
    }

    /** All of a chunk, for one buffer. */
    Run(RdmaByteBufAllocator allocator, Chunk chunk) {
        this.allocator = allocator;
        this.chunk = chunk;
        arena = null;
        sizeClass = -1;
        slotBytes = chunk.length;
        firstPage = 0;
        pages = 0;
        start = 0;
        slots = 1;
        here = null;
    }

    /** A slot; there is one. */
    RdmaByteBuf take() {
        if (hereCount > 0) {
            RdmaByteBuf buffer = here[--hereCount];
            here[hereCount] = null;
            return buffer;
        }
        return RdmaByteBuf.newBuffer(allocator, this, start + fresh++ * slotBytes);
    }

    void give(RdmaByteBuf buffer) {
        if (hereCount == here.length) {
            here = Arrays.copyOf(here, Math.min(slots, 2 * hereCount));
        }
        here[hereCount++] = buffer;
    }

    boolean hasSlot() {
        return hereCount > 0 || fresh < slots;
    }

    /** Whether none of its slots is in use. */
    boolean isUnused() {
        return hereCount == fresh;
    }
}
