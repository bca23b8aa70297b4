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

/**
 * Caches released buffers by size, so that a thread can take and return them without a lock. Buffers that were not
 * needed for a long time return to the arena. Only the owning thread may use it.
 */
final class ThreadCache {

    private static final int MOST_SLOTS = 512;
    private static final int MOST_AT_ONCE = 32;
    /** Number of buffers taken between two trims. */
    private static final int TAKES_PER_TRIM = 8192;

    /** A stack of one size. */
    private static final class Bin {
        final RdmaByteBuf[] buffers;
        int count;
        /** Minimum number of buffers in the bin since the last trim: that many were not needed. */
        int minCount;

        Bin(int limit) {
            buffers = new RdmaByteBuf[limit];
        }
    }

    private final Arena arena;
    private final Bin[] bins;
    private int takesUntilTrim = TAKES_PER_TRIM;

    /** @param bytesPerClass bytes to cache of each size class. */
    ThreadCache(Arena arena, SizeClasses classes, int bytesPerClass) {
        this.arena = arena;
        bins = new Bin[classes.count()];
        for (int i = 0; i < bins.length; i++) {
            bins[i] = new Bin(Math.min(MOST_SLOTS, bytesPerClass / classes.size(i)));
        }
    }

    Arena arena() {
        return arena;
    }

    RdmaByteBuf take(int sizeClass) {
        if (--takesUntilTrim == 0) {
            trimUnneeded();
        }
        Bin bin = bins[sizeClass];
        int count = bin.count;
        if (count == 0) {
            return refill(sizeClass, bin);
        }
        count--;
        RdmaByteBuf buffer = bin.buffers[count];
        bin.buffers[count] = null;
        bin.count = count;
        if (count < bin.minCount) {
            bin.minCount = count;
        }
        return buffer;
    }

    void give(RdmaByteBuf buffer) {
        Bin bin = bins[buffer.run().sizeClass];
        if (bin.count < bin.buffers.length) {
            bin.buffers[bin.count++] = buffer;
        } else {
            overflow(bin, buffer);
        }
    }

    /** Number of cached buffers of a size class. Another thread may see a stale value. */
    int count(int sizeClass) {
        return bins[sizeClass].count;
    }

    /** Returns all buffers to the arena. */
    void clear() {
        for (Bin bin : bins) {
            giveAway(bin, bin.count);
        }
    }

    private RdmaByteBuf refill(int sizeClass, Bin bin) {
        bin.minCount = 0;
        if (bin.buffers.length == 0) {
            return arena.take(sizeClass);
        }
        if (takeReturned(bin)) {
            return take(sizeClass);
        }
        bin.count = arena.take(sizeClass, bin.buffers, Math.max(1, Math.min(MOST_AT_ONCE, bin.buffers.length / 2))) - 1;
        RdmaByteBuf buffer = bin.buffers[bin.count];
        bin.buffers[bin.count] = null;
        return buffer;
    }

    /** Takes the buffers, of all sizes, that other threads have returned. Returns whether {@code bin} has some now. */
    private boolean takeReturned(Bin bin) {
        RdmaByteBuf buffer = arena.takeReturned();
        while (buffer != null) {
            RdmaByteBuf below = buffer.below;
            buffer.below = null;
            give(buffer);
            buffer = below;
        }
        return bin.count > 0;
    }

    private void overflow(Bin bin, RdmaByteBuf buffer) {
        giveAway(bin, (bin.count + 1) / 2);
        arena.giveNow(buffer);
    }

    private void giveAway(Bin bin, int number) {
        if (number == 0) {
            return;
        }
        bin.count -= number;
        arena.give(bin.buffers, bin.count, number);
        bin.minCount = Math.min(bin.minCount, bin.count);
    }

    private void trimUnneeded() {
        takesUntilTrim = TAKES_PER_TRIM;
        for (Bin bin : bins) {
            giveAway(bin, bin.minCount);
            bin.minCount = bin.count;
        }
    }
}
