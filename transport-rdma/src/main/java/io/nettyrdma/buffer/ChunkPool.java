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

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.jni.Errno;
import io.nettyrdma.jni.MemoryNative;
import io.nettyrdma.metrics.ProcessMetrics;
import io.nettyrdma.verbs.LockedMemory;
import io.nettyrdma.verbs.ProtectionDomain;

import java.util.ArrayList;
import java.util.List;

/**
 * Commits chunks, up to a limit, and releases unused ones. It keeps some unused chunks with their registrations for
 * reuse, because committing and registering both take system calls.
 *
 * <pre>
 *               take                    give
 *   nothing ----------&gt; in use &lt;----------------&gt; kept
 *      ^                   | give, enough are kept   | take elsewhere, trim
 *      +-------------------+-------------------------+
 *          deregistered everywhere, then uncommitted
 * </pre>
 */
final class ChunkPool {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(ChunkPool.class);
    private static final int PAGE = 4096;

    private final RdmaByteBufAllocatorConfig config;
    private final AddressRange range;

    /** The chunk of each unit. Written under the lock; read without it by threads that have a buffer of the chunk. */
    private final Chunk[] chunks;

    /** Unused chunks, the most recently used last. Guarded by the lock, like all fields below. */
    private final List<Chunk> kept = new ArrayList<>();
    private long keptBytes;
    private long committedBytes;
    private long largeBytes;
    private long hugePageFallbacks;
    private final List<RegistrationIndex> indexes = new ArrayList<>();

    ChunkPool(RdmaByteBufAllocatorConfig config) {
        this.config = config;
        int unit = config.chunkBytes();
        // Twice the limit plus a chunk, so that large buffers find consecutive units although others are in use.
        long wanted = Math.min(config.maxRegisteredBytes(), Long.MAX_VALUE / 4) * 2 + unit;
        range = new AddressRange(wanted, unit);
        chunks = new Chunk[range.units()];
    }

    /** Creates an index that registers chunks with a domain on first use. */
    RegistrationIndex indexFor(ProtectionDomain domain) {
        RegistrationIndex index = new RegistrationIndex(this, range, domain);
        synchronized (this) {
            indexes.add(index);
        }
        return index;
    }

    synchronized void forget(RegistrationIndex index) {
        indexes.remove(index);
    }

    synchronized List<RegistrationIndex> indexes() {
        return List.copyOf(indexes);
    }

    /** The chunk that occupies a unit; {@code null} if there is none. */
    Chunk chunkAt(int unit) {
        return chunks[unit];
    }

    /**
     * Takes a chunk of at least {@code bytes} bytes.
     *
     * @throws OutOfRegisteredMemoryError if the limit is reached, or the system has no more memory.
     */
    Chunk take(int bytes) {
        int unit = config.chunkBytes();
        int length = bytes <= unit ? unit : roundUp(bytes);
        if (length < bytes) {
            throw new OutOfRegisteredMemoryError("a buffer can have at most " + length + " bytes, not " + bytes);
        }
        Reservation.releaseUnreachable();
        while (true) {
            Chunk evicted;
            synchronized (this) {
                Chunk chunk = takeKept(length);
                if (chunk == null && committedBytes + length <= config.maxRegisteredBytes()) {
                    chunk = commit(length);
                }
                if (chunk != null) {
                    largeBytes += largeBytes(chunk);
                    return chunk;
                }
                evicted = pollKept();
            }
            if (evicted == null) {
                throw new OutOfRegisteredMemoryError(limitReached(length));
            }
            release(evicted);
        }
    }

    void give(Chunk chunk) {
        boolean keeps;
        synchronized (this) {
            largeBytes -= largeBytes(chunk);
            keeps = keptBytes + chunk.length <= config.idleBytes();
            if (keeps) {
                kept.add(chunk);
                keptBytes += chunk.length;
            }
        }
        if (!keeps) {
            release(chunk);
        }
    }

    /** Releases all unused chunks. Returns whether there were any. */
    boolean trim() {
        boolean any = false;
        while (true) {
            Chunk chunk;
            synchronized (this) {
                chunk = pollKept();
            }
            if (chunk == null) {
                return any;
            }
            release(chunk);
            any = true;
        }
    }

    synchronized long committedBytes() {
        return committedBytes;
    }

    synchronized long keptBytes() {
        return keptBytes;
    }

    synchronized long hugePageFallbacks() {
        return hugePageFallbacks;
    }

    /** Bytes of chunks that belong to a single buffer. */
    synchronized long largeBytes() {
        return largeBytes;
    }

    private long largeBytes(Chunk chunk) {
        return chunk.length > config.chunkBytes() ? chunk.length : 0;
    }

    private Chunk takeKept(int length) {
        for (int i = kept.size() - 1; i >= 0; i--) {
            if (kept.get(i).length == length) {
                keptBytes -= length;
                return kept.remove(i);
            }
        }
        return null;
    }

    private Chunk pollKept() {
        if (kept.isEmpty()) {
            return null;
        }
        Chunk chunk = kept.remove(0);
        keptBytes -= chunk.length;
        return chunk;
    }

    private Chunk commit(int length) {
        int unit = config.chunkBytes();
        int units = (int) (((long) length + unit - 1) / unit);
        ChunkEvent event = MemoryEvents.commit();
        int first = takeUnits(units);
        int result = commit(range.address(first), length);
        while (result == MemoryNative.LOST) {
            lose(first, units);
            first = takeUnits(units);
            result = commit(range.address(first), length);
        }
        if (result < 0) {
            range.give(first, units);
            throw new OutOfRegisteredMemoryError("mprotect of " + length + " bytes failed: " + Errno.name(result) + ", "
                    + committedBytes + " bytes are committed; the memory of the machine, the limit of its control "
                    + "group or \"ulimit -v\" is reached");
        }
        Chunk chunk = new Chunk(range, first, units, length);
        committedBytes += length;
        ProcessMetrics.committed(length);
        MemoryEvents.done(event, chunk);
        for (int i = 0; i < units; i++) {
            chunks[first + i] = chunk;
        }
        return chunk;
    }

    private int takeUnits(int units) {
        int first = range.take(units);
        if (first < 0) {
            throw new OutOfRegisteredMemoryError("the address range of " + range.units() + " units has no "
                    + units + " consecutive free units of " + config.chunkBytes() + " bytes; release large buffers, or"
                    + " raise maxRegisteredBytes");
        }
        return first;
    }

    private void lose(int first, int units) {
        LOGGER.error("mmap at 0x{} failed and has unmapped what was reserved: the addresses may have another owner"
                + " now and are not used again", Long.toHexString(range.address(first)));
        range.lose(first, units);
    }

    private int commit(long address, int length) {
        HugePages huge = config.hugePages();
        int result = MemoryNative.commit(address, length, huge.ordinal());
        if (result < 0 && result != MemoryNative.LOST && huge == HugePages.EXPLICIT) {
            // ENOMEM if no huge page is free, EINVAL if the kernel does not support them.
            if (hugePageFallbacks++ == 0) {
                LOGGER.warn("mmap with MAP_HUGETLB failed: {}; using transparent huge pages instead. Raise "
                        + "vm.nr_hugepages to have explicit ones", Errno.name(result));
            }
            result = MemoryNative.commit(address, length, HugePages.TRANSPARENT.ordinal());
        }
        return result;
    }

    /** Releases a chunk without buffers: first its registrations, then its memory, then its addresses. */
    private void release(Chunk chunk) {
        ChunkEvent event = MemoryEvents.release();
        boolean free = true;
        for (RegistrationIndex index : indexes()) {
            free &= index.forget(chunk);
        }
        if (!free) {
            return;
        }
        if (MemoryNative.uncommit(chunk.address, chunk.length) < 0) {
            lose(chunk.firstUnit, chunk.units);
            return;
        }
        MemoryEvents.done(event, chunk);
        synchronized (this) {
            for (int i = 0; i < chunk.units; i++) {
                chunks[chunk.firstUnit + i] = null;
            }
            committedBytes -= chunk.length;
        }
        ProcessMetrics.committed(-chunk.length);
        range.give(chunk.firstUnit, chunk.units);
    }

    private int roundUp(int bytes) {
        int page = config.hugePages() == HugePages.EXPLICIT ? HugePages.BYTES : PAGE;
        return (int) Math.min((long) bytes + page - 1 & -page, Integer.MAX_VALUE & -page);
    }

    private String limitReached(int length) {
        return "cannot commit " + length + " more bytes: " + committedBytes() + " are committed, and "
                + "maxRegisteredBytes is " + config.maxRegisteredBytes() + "; release buffers, or raise it with the "
                + "allocator's builder or -D" + RdmaByteBufAllocatorConfig.PROPERTIES + "maxRegisteredBytes "
                + "(\"ulimit -l\" is " + LockedMemory.describeLimit() + ')';
    }
}
