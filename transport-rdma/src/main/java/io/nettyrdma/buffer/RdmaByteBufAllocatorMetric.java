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
 * Figures of an allocator. Taking them costs a lock for each arena, and nothing is counted where buffers are taken and
 * released; so ask now and then. Each is right for some moment during the call; those of one call need not fit those of
 * the next. Thread-safe.
 */
public final class RdmaByteBufAllocatorMetric implements ByteBufAllocatorMetric {

    /**
     * The slots of one size.
     *
     * @param slotBytes their size.
     * @param runs how many pieces of memory are cut into such slots.
     * @param slots how many they have.
     * @param inUse how many of them are buffers of the application or of channels.
     * @param cached how many are in caches of threads.
     */
    public record SizeClass(int slotBytes, int runs, int slots, int inUse, int cached) {
    }

    private final RdmaByteBufAllocator allocator;

    RdmaByteBufAllocatorMetric(RdmaByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    /** Bytes of arrays of heap buffers that are not released. */
    @Override
    public long usedHeapMemory() {
        return allocator.heap().bytes();
    }

    /** {@link #committedBytes}, as Netty's allocators count it: what was taken from the system. */
    @Override
    public long usedDirectMemory() {
        return committedBytes();
    }

    /** The limit of {@link #committedBytes}. */
    public long maxRegisteredBytes() {
        return allocator.config().maxRegisteredBytes();
    }

    /** Bytes of chunks that are taken from the system. */
    public long committedBytes() {
        ChunkPool pool = allocator.poolIfAny();
        return pool == null ? 0 : pool.committedBytes();
    }

    /** Bytes of those chunks that nobody uses, and that are kept. */
    public long idleBytes() {
        ChunkPool pool = allocator.poolIfAny();
        return pool == null ? 0 : pool.keptBytes();
    }

    /** Bytes of slots and chunks that are buffers; slots may be larger than the buffers are. */
    public long inUseBytes() {
        long bytes = largeBytes();
        for (SizeClass sizeClass : sizeClasses()) {
            bytes += (long) sizeClass.inUse() * sizeClass.slotBytes();
        }
        return bytes;
    }

    /** Bytes of slots that are in caches of threads. */
    public long cachedBytes() {
        long bytes = 0;
        for (SizeClass sizeClass : sizeClasses()) {
            bytes += (long) sizeClass.cached() * sizeClass.slotBytes();
        }
        return bytes;
    }

    /** Bytes of buffers that have chunks of their own. */
    public long largeBytes() {
        ChunkPool pool = allocator.poolIfAny();
        return pool == null ? 0 : pool.largeBytes();
    }

    /** All sizes that slots have, from the least on. */
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

    /** Bytes that are registered, those that several protection domains know more than once. */
    public long registeredBytes() {
        long bytes = 0;
        for (RegistrationIndex index : indexes()) {
            bytes += index.registeredBytes();
        }
        return bytes;
    }

    /** The same by name of the device. */
    public Map<String, Long> registeredBytesByDevice() {
        Map<String, Long> bytes = new TreeMap<>();
        for (RegistrationIndex index : indexes()) {
            bytes.merge(index.domain().device().name(), index.registeredBytes(), Long::sum);
        }
        return bytes;
    }

    /** How many registrations the domains that are open have made. It stays the same when all memory is warm. */
    public long registrations() {
        long count = 0;
        for (RegistrationIndex index : indexes()) {
            count += index.registrations();
        }
        return count;
    }

    /** How many registrations devices have refused; what was in there was copied. */
    public long registrationRefusals() {
        long count = 0;
        for (RegistrationIndex index : indexes()) {
            count += index.refusals();
        }
        return count;
    }

    /** How many chunks have no explicit huge pages though they were wanted. */
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
