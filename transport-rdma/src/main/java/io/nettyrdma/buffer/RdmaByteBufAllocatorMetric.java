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

import io.netty.buffer.ByteBufAllocatorMetric;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Metrics of an allocator. Allocation and release count nothing; instead, reading a metric takes the lock of each
 * arena, so do not read metrics often. A value is exact for some instant during its call; the values of different calls
 * need not be consistent with each other. Thread-safe. Any thread.
 *
 * @since 0.1.0
 */
public final class RdmaByteBufAllocatorMetric implements ByteBufAllocatorMetric {

    /**
     * The slots of one size.
     *
     * @param slotBytes size of a slot in bytes.
     * @param runs number of runs that are divided into such slots.
     * @param slots number of slots in these runs.
     * @param inUse number of slots that are in use by the application or by channels.
     * @param cached number of slots in thread caches.
     */
    public record SizeClass(int slotBytes, int runs, int slots, int inUse, int cached) {
    }

    private final RdmaByteBufAllocator allocator;

    RdmaByteBufAllocatorMetric(RdmaByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    /** Bytes of the arrays of heap buffers that are not released. */
    @Override
    public long usedHeapMemory() {
        return allocator.heap().bytes();
    }

    /** Same as {@link #committedBytes}: like Netty's allocators, this counts the memory taken from the system. */
    @Override
    public long usedDirectMemory() {
        return committedBytes();
    }

    /** {@return the limit of {@link #committedBytes}} */
    public long maxRegisteredBytes() {
        return allocator.config().maxRegisteredBytes();
    }

    /** {@return the bytes of all chunks, which is the memory taken from the system} */
    public long committedBytes() {
        ChunkPool pool = allocator.poolIfAny();
        return pool == null ? 0 : pool.committedBytes();
    }

    /** {@return the bytes of unused chunks that are kept for reuse} */
    public long idleBytes() {
        ChunkPool pool = allocator.poolIfAny();
        return pool == null ? 0 : pool.keptBytes();
    }

    /** {@return the bytes of slots and chunks that are in use as buffers} A slot may be larger than its buffer. */
    public long inUseBytes() {
        long bytes = largeBytes();
        for (SizeClass sizeClass : sizeClasses()) {
            bytes += (long) sizeClass.inUse() * sizeClass.slotBytes();
        }
        return bytes;
    }

    /**
     * {@return the bytes in use by channels for themselves: memory to receive into and to assemble frames in, and
     * copies of unread data} They are about half of {@link #maxRegisteredBytes} at most.
     */
    public long transportBytes() {
        return allocator.transportMemory().bytes();
    }

    /** {@return the bytes of slots in thread caches} */
    public long cachedBytes() {
        long bytes = 0;
        for (SizeClass sizeClass : sizeClasses()) {
            bytes += (long) sizeClass.cached() * sizeClass.slotBytes();
        }
        return bytes;
    }

    /** {@return the bytes of chunks that belong to a single buffer} */
    public long largeBytes() {
        ChunkPool pool = allocator.poolIfAny();
        return pool == null ? 0 : pool.largeBytes();
    }

    /** {@return all slot sizes, in ascending order} */
    public List<SizeClass> sizeClasses() {
        SizeClasses classes = allocator.classes();
        int[] runs = new int[classes.count()];
        int[] out = new int[classes.count()];
        int[] cached = new int[classes.count()];
        for (Arena arena : allocator.arenas()) {
            arena.count(runs, out, cached);
        }
        List<SizeClass> all = new ArrayList<>(classes.count());
        for (int i = 0; i < classes.count(); i++) {
            int slots = runs[i] * (classes.runPages(i) * classes.pageBytes() / classes.size(i));
            all.add(new SizeClass(classes.size(i), runs[i], slots, out[i] - cached[i], cached[i]));
        }
        return all;
    }

    /** {@return registered bytes} Memory that is registered with several protection domains counts once for each. */
    public long registeredBytes() {
        long bytes = 0;
        for (RegistrationIndex index : indexes()) {
            bytes += index.registeredBytes();
        }
        return bytes;
    }

    /** {@return registered bytes by device name} */
    public Map<String, Long> registeredBytesByDevice() {
        Map<String, Long> bytes = new TreeMap<>();
        for (RegistrationIndex index : indexes()) {
            bytes.merge(index.domain().device().name(), index.registeredBytes(), Long::sum);
        }
        return bytes;
    }

    /**
     * {@return the number of registrations that the open protection domains have made} It stops growing once all memory
     * is warm.
     */
    public long registrations() {
        long count = 0;
        for (RegistrationIndex index : indexes()) {
            count += index.registrations();
        }
        return count;
    }

    /** {@return the number of registrations that devices have refused} Data in such memory is copied. */
    public long registrationRefusals() {
        long count = 0;
        for (RegistrationIndex index : indexes()) {
            count += index.refusals();
        }
        return count;
    }

    /** {@return the number of chunks without explicit huge pages although these were requested} */
    public long hugePageFallbacks() {
        ChunkPool pool = allocator.poolIfAny();
        return pool == null ? 0 : pool.hugePageFallbacks();
    }

    private List<RegistrationIndex> indexes() {
        ChunkPool pool = allocator.poolIfAny();
        return pool == null ? List.of() : pool.indexes();
    }

    @Override
    public String toString() {
        return committedBytes() + " of " + maxRegisteredBytes() + " bytes committed (" + idleBytes() + " idle), "
                + inUseBytes() + " in use, " + cachedBytes() + " cached, " + registeredBytesByDevice() + " registered";
    }
}
