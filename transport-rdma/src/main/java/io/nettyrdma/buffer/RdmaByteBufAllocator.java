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
import io.nettyrdma.verbs.ProtectionDomain;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Allocates direct buffers in memory that devices can access, so that their data is sent without a copy. The buffers
 * behave like Netty's pooled buffers.
 *
 * <pre>
 *   buffer --- slot of a run --- pages of a chunk --- units of one address range
 *   64 B ...   one size each     2 MiB, committed     finds the lkey of any address
 *                                and released as a
 *                                whole
 * </pre>
 *
 * A buffer that is larger than a chunk gets its own chunk. Event loops have their own cache and chunks, and allocate
 * and release without a lock; other threads share arenas. Memory is committed on demand, up to {@link
 * Builder#maxRegisteredBytes}, and registered with a loop's protection domain when that loop first sends from it.
 * Unused chunks are returned to the system, except for {@link Builder#idleBytes}. Do not use views of a buffer after
 * its release: accessing a chunk that was returned to the system ends the process.
 *
 * <p>Heap buffers are ordinary Netty buffers; sending copies them. Thread-safe.
 *
 * @since 0.1.0
 */
public final class RdmaByteBufAllocator extends AbstractByteBufAllocator implements ByteBufAllocatorMetricProvider {

    /** Configured by the system properties {@code io.nettyrdma.allocator.*}. The default allocator of RDMA channels. */
    public static final RdmaByteBufAllocator DEFAULT = builder().build();

    /** Number of arenas for threads that do not own one. */
    private static final int SHARED = 4;

    private final RdmaByteBufAllocatorConfig config;
    private final SizeClasses classes;
    private final HeapMemory heap = new HeapMemory();
    private final TransportMemory transport;
    private final RdmaByteBufAllocatorMetric metric = new RdmaByteBufAllocatorMetric(this);
    private final List<Arena> arenas = new CopyOnWriteArrayList<>();
    private final Arena[] shared = new Arena[SHARED];

    /** Arenas whose owners have ended; guarded by its own lock. */
    private final Deque<Arena> orphans = new ArrayDeque<>();

    /** Created with the first buffer, because the class must load without the native library. */
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
        transport = new TransportMemory(config.maxRegisteredBytes());
    }

    /** {@return a builder with the defaults} Any thread. */
    public static Builder builder() {
        return new Builder();
    }

    @Override
    public RdmaByteBufAllocatorMetric metric() {
        return metric;
    }

    /**
     * Empties the calling thread's cache and returns all unused chunks to the system. The caches of other threads keep
     * their buffers.
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

    /** See {@link RegistrationIndex#of}. */
    RegistrationIndex indexFor(ProtectionDomain domain) {
        return pool().indexFor(domain);
    }

    /** See {@link TransportMemory#of}. */
    TransportMemory transportMemory() {
        return transport;
    }

    @Override
    public boolean isDirectBufferPooled() {
        return true;
    }

    // Without Unsafe, Netty returns a heap buffer here, because it cannot free a direct one promptly. We can.

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

    /** Takes a slot of at least {@code bytes} bytes; {@link #give} takes it back. */
    RdmaByteBuf take(int bytes) {
        if (bytes > config.chunkBytes()) {
            return new Run(this, pool().take(bytes)).take();
        }
        int sizeClass = classes.of(bytes);
        if (CachedThreads.isCurrent()) {
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

    /** The pool; {@code null} before the first buffer. */
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

    /**
     * Its initial values are the system properties {@code io.nettyrdma.allocator.*}, or else the defaults named here.
     */
    public static final class Builder {

        private RdmaByteBufAllocatorConfig config = RdmaByteBufAllocatorConfig.fromProperties();

        private Builder() {
        }

        /**
         * Sets the maximum number of committed bytes. Channels take at most half of it for themselves. Each
         * registration counts against {@code ulimit -l}: memory that several loops send from counts once for each loop.
         *
         * @option.default the maximum size of the Java heap
         * @option.range 2097152 to 8796093022208 bytes; no less than a chunk
         * @option.change when the allocator is built
         * @option.advice more, if connections fail because the limit is reached; less, to bound the memory of the
         *         process
         * @param bytes more than 0.
         * @return this.
         */
        public Builder maxRegisteredBytes(long bytes) {
            config = config.withMaxRegisteredBytes(bytes);
            return this;
        }

        /**
         * Sets the bytes to commit and register at a time; a larger buffer gets a chunk of its own.
         *
         * @option.default 2097152
         * @option.range 1048576 to 1073741824 bytes; a power of two
         * @option.change when the allocator is built
         * @option.advice more, if the device has few registrations or registering takes long; less, under a small
         *         {@code ulimit -l}
         * @param bytes the size of a chunk.
         * @return this.
         */
        public Builder chunkBytes(int bytes) {
            config = config.withChunkBytes(bytes);
            return this;
        }

        /**
         * Sets the pages of chunks.
         *
         * @option.default TRANSPARENT
         * @option.range NONE, TRANSPARENT, EXPLICIT
         * @option.change when the allocator is built
         * @option.advice EXPLICIT, if huge pages are reserved for the process
         * @param pages the kind of pages.
         * @return this.
         */
        public Builder hugePages(HugePages pages) {
            config = config.withHugePages(pages);
            return this;
        }

        /**
         * Sets the alignment of each buffer's address.
         *
         * @option.default 64
         * @option.range 64 to 4096 bytes; a power of two
         * @option.change when the allocator is built
         * @option.advice 4096, for files that are read or written with O_DIRECT
         * @param bytes the alignment.
         * @return this.
         */
        public Builder alignment(int bytes) {
            config = config.withAlignment(bytes);
            return this;
        }

        /**
         * Sets the bytes of released buffers of each size that an event loop caches; 0 disables it.
         *
         * @option.default 262144
         * @option.range 0 to 2097152 bytes; no more than a chunk
         * @option.change when the allocator is built
         * @option.advice less, if many loops keep too much memory
         * @param bytes 0 or more.
         * @return this.
         */
        public Builder threadCacheBytes(int bytes) {
            config = config.withThreadCacheBytes(bytes);
            return this;
        }

        /**
         * Sets the bytes of unused chunks that stay committed and registered.
         *
         * @option.default 33554432
         * @option.range 0 to 8796093022208 bytes
         * @option.change when the allocator is built
         * @option.advice more, if traffic comes in bursts and registering takes long; 0, to return memory at once
         * @param bytes 0 or more.
         * @return this.
         */
        public Builder idleBytes(long bytes) {
            config = config.withIdleBytes(bytes);
            return this;
        }

        /**
         * {@return a new allocator, which reserves nothing before its first buffer}
         *
         * @throws IllegalArgumentException if a number is out of its range, or if two contradict each other.
         */
        public RdmaByteBufAllocator build() {
            return new RdmaByteBufAllocator(config);
        }
    }
}
