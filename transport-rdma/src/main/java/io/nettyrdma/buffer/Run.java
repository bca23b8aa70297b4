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
 * Consecutive pages that are divided into slots of one size. A slot is represented by its buffer object, which is
 * created on first use; the run holds the objects of free slots. Guarded by the lock of its arena.
 *
 * <pre>
 *   | in use | here | in use | here | never used   |
 *                                    ^ fresh        ^ slots
 * </pre>
 *
 * The run does not refer to buffers in use: a buffer that the application leaks becomes garbage, so the leak detector
 * finds it.
 */
final class Run {

    /** Initial capacity for buffers: a run may exist for a single one. */
    private static final int FEW = 8;

    /**
     * {@code null} if the run is a whole chunk for one buffer. Written while no buffer is in use. A thread that
     * releases one got it, in the end, from the thread that took it afterwards.
     */
    Arena arena;
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

    /** Neighbours in the arena's list of runs with a free slot. */
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

    /** Creates a run of a whole chunk, for one buffer. */
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

    /** Takes a slot. The run must have a free one. */
    RdmaByteBuf take() {
        if (hereCount > 0) {
            RdmaByteBuf buffer = here[--hereCount];
            here[hereCount] = null;
            return buffer;
        }
        return new RdmaByteBuf(allocator, this, start + fresh++ * slotBytes);
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

    /** Whether it has so few buffers that they may wait for its next use: a large buffer is a run of its own. */
    boolean isSmall() {
        return slots <= FEW;
    }

    /** Whether no slot is in use. */
    boolean isUnused() {
        return hereCount == fresh;
    }
}
