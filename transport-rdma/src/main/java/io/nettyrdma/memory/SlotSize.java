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
package io.nettyrdma.memory;

/**
 * The slots of one size that a {@link SlotPool} has, and which of its slabs have a free one. All slabs of the size have
 * the same number of slots, as many as fit into the pool's slabs, at least one.
 */
final class SlotSize {

    private static final int CACHE_LINE = 64;

    /** Bytes of a slot. */
    final int bytes;
    /** Bytes from one slot to the next. */
    final int stride;
    /** Slots of a slab. */
    final int slots;
    /** Slabs with a free slot. The lowest is used first, so that others become empty. */
    final NumberSet free = new NumberSet();
    /** Slabs without a slot in use. */
    final NumberSet unused = new NumberSet();
    private int unusedCount;
    /** The fewest since {@link #takeUnneeded}. */
    private int leastUnused;
    /** Slots that were taken and have not come back. */
    int inUse;
    /** Slots of all slabs. */
    int capacity;
    /** Attempts to grow that are not made, because one has failed. */
    int patience;

    private SlotSize(int bytes, int stride, int slots) {
        this.bytes = bytes;
        this.stride = stride;
        this.slots = slots;
    }

    static SlotSize ofSlab(int bytes, int slabBytes) {
        int stride = stride(bytes);
        return new SlotSize(bytes, stride, Math.max(1, slabBytes / stride));
    }

    /** @param slots rounded up to a power of two. */
    static SlotSize ofSlots(int bytes, int slots) {
        if (bytes <= 0 || slots <= 0) {
            throw new IllegalArgumentException("a pool of " + bytes + " bytes times " + slots);
        }
        int stride = stride(bytes);
        Math.multiplyExact(stride, 1 << bits(slots));
        return new SlotSize(bytes, stride, 1 << bits(slots));
    }

    /** The bits that number so many slots. */
    static int bits(int slots) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(slots - 1);
    }

    private static int stride(int bytes) {
        return Math.multiplyExact((bytes + CACHE_LINE - 1) / CACHE_LINE, CACHE_LINE);
    }

    /** No slot of the slab is in use. Returns how many such slabs there are. */
    int addUnused(int slab) {
        unused.add(slab);
        return ++unusedCount;
    }

    /** A slot of an unused slab is taken, or the slab goes. */
    void removeUnused(int slab) {
        unused.remove(slab);
        unusedCount--;
        leastUnused = Math.min(leastUnused, unusedCount);
    }

    /** Returns how many of the unused slabs, but for one, have not been needed since the last call. */
    int takeUnneeded() {
        int unneeded = Math.min(leastUnused, unusedCount - 1);
        leastUnused = unusedCount;
        return unneeded;
    }

    /** Whether there are unused slabs besides the one that stays. */
    boolean hasSpare() {
        return unusedCount > 1;
    }

    /** Bytes of a slab. */
    int slabBytes() {
        return stride * slots;
    }
}
