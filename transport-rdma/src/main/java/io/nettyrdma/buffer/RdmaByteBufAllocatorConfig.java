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

import io.netty.util.internal.SystemPropertyUtil;

import java.util.Locale;
import java.util.Objects;

/**
 * The configuration of an allocator. Each value has a system property, {@code io.nettyrdma.allocator.} followed by its
 * name, which the default allocator and every builder start from.
 *
 * @param maxRegisteredBytes maximum number of committed bytes, and thus of bytes registered with each protection
 *        domain. The default is the maximum size of the Java heap, which is also the JVM's default for direct buffers.
 * @param chunkBytes bytes to commit and register at a time; a power of two. A larger buffer gets its own chunk.
 * @param hugePages the pages that chunks use.
 * @param alignment alignment of each buffer's first byte; a power of two.
 * @param threadCacheBytes bytes of released buffers of each size that an event loop caches.
 * @param idleBytes bytes of unused chunks that are kept, with their registrations, for reuse.
 */
record RdmaByteBufAllocatorConfig(long maxRegisteredBytes, int chunkBytes, HugePages hugePages, int alignment,
                                  int threadCacheBytes, long idleBytes) {

    static final String PROPERTIES = "io.nettyrdma.allocator.";

    /** The size of a huge page. A loop can register several chunks under the usual "ulimit -l" of 8 MiB. */
    static final int DEFAULT_CHUNK_BYTES = 2 << 20;
    /** The size of a cache line on most processors, and of the unit in which devices read memory. */
    static final int DEFAULT_ALIGNMENT = 64;
    static final int DEFAULT_THREAD_CACHE_BYTES = 256 << 10;
    static final long DEFAULT_IDLE_BYTES = 32L << 20;

    static final int LEAST_CHUNK_BYTES = 1 << 20;
    static final int MOST_CHUNK_BYTES = 1 << 30;
    static final int LEAST_ALIGNMENT = 64;
    static final int MOST_ALIGNMENT = 4096;
    /** About a tenth of the address space, which has 47 bits on x86-64. */
    static final long MOST_REGISTERED_BYTES = 1L << 43;

    RdmaByteBufAllocatorConfig {
        Objects.requireNonNull(hugePages, "hugePages");
        powerOfTwo("chunkBytes", chunkBytes, hugePages == HugePages.EXPLICIT ? HugePages.BYTES : LEAST_CHUNK_BYTES,
                MOST_CHUNK_BYTES);
        powerOfTwo("alignment", alignment, LEAST_ALIGNMENT, MOST_ALIGNMENT);
        within("maxRegisteredBytes", maxRegisteredBytes, chunkBytes, MOST_REGISTERED_BYTES);
        within("threadCacheBytes", threadCacheBytes, 0, chunkBytes);
        within("idleBytes", idleBytes, 0, MOST_REGISTERED_BYTES);
    }

    static RdmaByteBufAllocatorConfig fromProperties() {
        int chunk = SystemPropertyUtil.getInt(PROPERTIES + "chunkBytes", DEFAULT_CHUNK_BYTES);
        long max = Math.min(MOST_REGISTERED_BYTES, Math.max(chunk, Runtime.getRuntime().maxMemory()));
        return new RdmaByteBufAllocatorConfig(
                SystemPropertyUtil.getLong(PROPERTIES + "maxRegisteredBytes", max), chunk, hugePagesProperty(),
                SystemPropertyUtil.getInt(PROPERTIES + "alignment", DEFAULT_ALIGNMENT),
                SystemPropertyUtil.getInt(PROPERTIES + "threadCacheBytes", DEFAULT_THREAD_CACHE_BYTES),
                SystemPropertyUtil.getLong(PROPERTIES + "idleBytes", DEFAULT_IDLE_BYTES));
    }

    RdmaByteBufAllocatorConfig withMaxRegisteredBytes(long bytes) {
        return new RdmaByteBufAllocatorConfig(bytes, chunkBytes, hugePages, alignment, threadCacheBytes, idleBytes);
    }

    RdmaByteBufAllocatorConfig withChunkBytes(int bytes) {
        return new RdmaByteBufAllocatorConfig(Math.max(maxRegisteredBytes, bytes), bytes, hugePages, alignment,
                Math.min(threadCacheBytes, Math.max(0, bytes)), idleBytes);
    }

    RdmaByteBufAllocatorConfig withHugePages(HugePages pages) {
        return new RdmaByteBufAllocatorConfig(maxRegisteredBytes, chunkBytes, pages, alignment, threadCacheBytes,
                idleBytes);
    }

    RdmaByteBufAllocatorConfig withAlignment(int bytes) {
        return new RdmaByteBufAllocatorConfig(maxRegisteredBytes, chunkBytes, hugePages, bytes, threadCacheBytes,
                idleBytes);
    }

    RdmaByteBufAllocatorConfig withThreadCacheBytes(int bytes) {
        return new RdmaByteBufAllocatorConfig(maxRegisteredBytes, chunkBytes, hugePages, alignment, bytes, idleBytes);
    }

    RdmaByteBufAllocatorConfig withIdleBytes(long bytes) {
        return new RdmaByteBufAllocatorConfig(maxRegisteredBytes, chunkBytes, hugePages, alignment, threadCacheBytes,
                bytes);
    }

    private static HugePages hugePagesProperty() {
        String text = SystemPropertyUtil.get(PROPERTIES + "hugePages", HugePages.TRANSPARENT.name());
        return HugePages.valueOf(text.trim().toUpperCase(Locale.ROOT));
    }

    private static void powerOfTwo(String name, int value, int min, int max) {
        within(name, value, min, max);
        if (Integer.bitCount(value) != 1) {
            throw new IllegalArgumentException(name + " is " + value + ", no power of two");
        }
    }

    private static void within(String name, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " is " + value + ", not within " + min + " to " + max);
        }
    }
}
