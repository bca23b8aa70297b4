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

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.buffer.CompositeByteBuf;
import io.netty.util.concurrent.FastThreadLocal;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.nettyrdma.verbs.ProtectionDomain;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Direct buffers in memory that devices can reach: what is written from them is not copied on its way out. They behave
 * as Netty's pooled ones.
 *
 * <pre>
 *   buffer --- slot of a run --- pages of a chunk --- units of one range of addresses
 *   64 B ...   one size each     2 MiB, comes from    tells the key of any address
 *                                and goes to the
 *                                system at once
 * </pre>
 *
 * Buffers that are larger than a chunk have one of their own. Event loops have a cache and chunks of their own, and
 * take and release without a lock; other threads share. Memory is taken from the system when it is wanted, up to
 * {@link Builder#maxRegisteredBytes}, and registered with a loop's protection domain when that loop first sends from
 * it. A chunk that no buffer uses goes back to the system, but for {@link Builder#idleBytes}; no view of its buffers
 * may be used then, and one that is ends the process.
 *
 * <p>Heap buffers are ordinary ones, and are copied when they are sent. Thread-safe.
 */
public final class RdmaByteBufAllocator extends AbstractByteBufAllocator implements ByteBufAllocatorMetricProvider {

    /** Made with the system properties {@code io.nettyrdma.allocator.*}; RDMA channels use it unless told otherwise. */
    public static final RdmaByteBufAllocator DEFAULT = builder().build();

    /** Arenas of threads that have none of their own. */
    private static final int SHARED = 4;

    private final RdmaByteBufAllocatorConfig config;
    private final SizeClasses classes;
    private final HeapMemory heap = new HeapMemory();
    private final RdmaByteBufAllocatorMetric metric = new RdmaByteBufAllocatorMetric(this);
    private final List<Arena> arenas = new CopyOnWriteArrayList<>();
    private final Arena[] shared = new Arena[SHARED];

    /** Arenas whose threads have ended; under its own lock. */
    private final Deque<Arena> orphans = new ArrayDeque<>();

    /** Made with the first buffer: the class is loaded also where there is no native library. */
    private volatile ChunkPool pool;

    private final FastThreadLocal<ThreadCache> caches = new FastThreadLocal<>() {
        @Override
        protected ThreadCache initialValue() {
            return newCache();
        }

        @Override
        protected void onRemoval(ThreadCache cache) {
            cache.clear();
            cache.arena().orphan();
            synchronized (orphans) {
                orphans.push(cache.arena());
            }
        }
    };

    private RdmaByteBufAllocator(RdmaByteBufAllocatorConfig config) {
        super(true);
        this.config = config;
        classes = new SizeClasses(config.alignment(), config.chunkBytes());
    }

    public static Builder builder() {
        return new Builder();
    }

    @Override
    public RdmaByteBufAllocatorMetric metric() {
        return metric;
    }

    /**
     * Gives back to the system what is kept for later: the calling thread's cache, and all unused chunks. What other
     * threads have in their caches stays there.
     */
    public void trim() {
        ThreadCache cache = caches.getIfExists();
        if (cache != null) {
            cache.clear();
        }
        arenas.forEach(Arena::drain);
        if (pool != null) {
            pool.trim();
        }
    }

    /**
     * Lets a protection domain use this memory. Who asks closes the index before the domain.
     */
    public RegistrationIndex indexFor(ProtectionDomain domain) {
        return pool().indexFor(domain);
    }

    @Override
    public boolean isDirectBufferPooled() {
        return true;
    }

    // Netty's answer, where it may not use Unsafe, is a heap buffer: it could not free a direct one in time. We can.

    @Override
    public ByteBuf buffer() {
        return directBuffer();
    }

    @Override
    public ByteBuf buffer(int initialCapacity) {
        return directBuffer(initialCapacity);
    }

    @Override
    public ByteBuf buffer(int initialCapacity, int maxCapacity) {
        return directBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public CompositeByteBuf compositeBuffer() {
        return compositeDirectBuffer();
    }

    @Override
    public CompositeByteBuf compositeBuffer(int maxNumComponents) {
        return compositeDirectBuffer(maxNumComponents);
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        return heap.newBuffer(this, initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        RdmaByteBuf buffer = take(initialCapacity);
        buffer.begin(initialCapacity, maxCapacity);
        return toLeakAwareBuffer(buffer);
    }

    /** A slot of so many bytes at least; {@link #give} takes it back. */
    RdmaByteBuf take(int bytes) {
        if (bytes > config.chunkBytes()) {
            return new Run(this, pool().take(bytes)).take();
        }
        int sizeClass = classes.of(bytes);
        if (FastThreadLocalThread.currentThreadWillCleanupFastThreadLocals()) {
            return caches.get().take(sizeClass);
        }
        return sharedArena().take(sizeClass);
    }

    void give(RdmaByteBuf buffer) {
        Arena arena = buffer.run().arena;
        if (arena == null) {
            pool.give(buffer.run().chunk);
        } else {
            arena.give(buffer);
        }
    }

    SizeClasses classes() {
        return classes;
    }

    RdmaByteBufAllocatorConfig config() {
        return config;
    }

    HeapMemory heap() {
        return heap;
    }

    List<Arena> arenas() {
        return arenas;
    }

    /** {@code null} before the first buffer. */
    ChunkPool poolIfAny() {
        return pool;
    }

    private ChunkPool pool() {
        ChunkPool current = pool;
        if (current == null) {
            synchronized (this) {
                current = pool;
                if (current == null) {
                    current = new ChunkPool(config);
                    pool = current;
                }
            }
        }
        return current;
    }

    private ThreadCache newCache() {
        Arena arena;
        synchronized (orphans) {
            arena = orphans.poll();
        }
        if (arena == null) {
            arena = newArena();
        }
        ThreadCache cache = new ThreadCache(arena, classes, config.threadCacheBytes());
        arena.adopt(cache);
        return cache;
    }

    private Arena sharedArena() {
        int number = (int) (Thread.currentThread().getId() % SHARED);
        Arena arena = shared[number];
        if (arena == null) {
            synchronized (shared) {
                arena = shared[number];
                if (arena == null) {
                    arena = newArena();
                    shared[number] = arena;
                }
            }
        }
        return arena;
    }

    private Arena newArena() {
        Arena arena = new Arena(this, classes, pool());
        arenas.add(arena);
        return arena;
    }

    @Override
    public String toString() {
        return "RdmaByteBufAllocator(" + config + ')';
    }

    /** Begins with the system properties {@code io.nettyrdma.allocator.*}, and the defaults named here. */
    public static final class Builder {

        private RdmaByteBufAllocatorConfig config = RdmaByteBufAllocatorConfig.fromProperties();

        private Builder() {
        }

        /**
         * Most bytes that are taken from the system at a time; at first the greatest size of the Java heap. Each device
         * that all of them are sent from counts them against {@code ulimit -l} once more for each of its loops.
         */
        public Builder maxRegisteredBytes(long bytes) {
            config = config.withMaxRegisteredBytes(bytes);
            return this;
        }

        /** Bytes that are taken and registered at a time: a power of two from 1 MiB to 1 GiB, at first 2 MiB. */
        public Builder chunkBytes(int bytes) {
            config = config.withChunkBytes(bytes);
            return this;
        }

        /** At first {@link HugePages#TRANSPARENT}. */
        public Builder hugePages(HugePages pages) {
            config = config.withHugePages(pages);
            return this;
        }

        /** What each buffer's address is a multiple of: a power of two from 64 to 4096, at first 64. */
        public Builder alignment(int bytes) {
            config = config.withAlignment(bytes);
            return this;
        }

        /** What an event loop keeps of each size that it has released, at first 256 KiB; 0: nothing. */
        public Builder threadCacheBytes(int bytes) {
            config = config.withThreadCacheBytes(bytes);
            return this;
        }

        /** How much that nobody uses stays committed and registered, at first 32 MiB. */
        public Builder idleBytes(long bytes) {
            config = config.withIdleBytes(bytes);
            return this;
        }

        public RdmaByteBufAllocator build() {
            return new RdmaByteBufAllocator(config);
        }
    }
}
