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
import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.MemoryRegion;
import io.nettyrdma.verbs.ProtectionDomain;
import io.nettyrdma.verbs.VerbsException;

import java.util.Arrays;

/**
 * The registrations of an allocator's memory with one protection domain. A chunk is registered when its key is first
 * requested, so memory that only one loop uses is registered only once, however many loops there are. After that, a
 * lookup is a subtraction, a shift and a load.
 *
 * <p>Only the loop of the protection domain may call {@link #localKey}. A chunk is released by the thread that releases
 * its last buffer, and that thread removes the key. Buffers of the next chunk at these addresses are handed out after
 * that, so reading keys needs no lock.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class RegistrationIndex implements RegisteredMemory, AutoCloseable {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(RegistrationIndex.class);

    /** The device refused to register the chunk: its data is copied. */
    private static final long REFUSED = -2;

    private final ChunkPool pool;
    private final ProtectionDomain domain;
    private final long base;
    private final long bytes;
    private final int unitShift;
    /** By unit: the lkey, or one of the negative constants. */
    private final long[] keys;
    /** By first unit of the chunk. Guarded by this object's lock, like all fields below. */
    private final MemoryRegion[] regions;
    private long registeredBytes;
    private long registrations;
    private long refusals;
    private boolean warned;
    private boolean closed;

    RegistrationIndex(ChunkPool pool, AddressRange range, ProtectionDomain domain) {
        this.pool = pool;
        this.domain = domain;
        base = range.base();
        bytes = range.bytes();
        unitShift = range.unitShift();
        keys = new long[range.units()];
        Arrays.fill(keys, NOT_REGISTERED);
        regions = new MemoryRegion[range.units()];
    }

    /**
     * Creates the index that registers the allocator's memory with a protection domain. Any thread.
     *
     * @param allocator whose memory is registered.
     * @param domain of one loop, which alone may ask the index for keys.
     * @return the caller's; close it before the domain.
     */
    public static RegistrationIndex of(RdmaByteBufAllocator allocator, ProtectionDomain domain) {
        return allocator.indexFor(domain);
    }

    @Override
    public long localKey(long address, int length) {
        long offset = address - base;
        if (Long.compareUnsigned(offset, bytes) >= 0) {
            return NOT_REGISTERED;
        }
        int unit = (int) (offset >>> unitShift);
        long key = keys[unit];
        if (key < 0) {
            key = firstUse(unit);
        }
        int last = (int) (offset + length - 1 >>> unitShift);
        return last == unit || last < keys.length && keys[last] == key ? key : NOT_REGISTERED;
    }

    /**
     * {@return the lkey of memory for which copying is no fallback, such as receive buffers} Only the loop may call
     * this.
     *
     * @param address of the first byte.
     * @param length bytes, at least 1.
     * @throws VerbsException if the device refuses to register the memory; the message has the cure.
     * @throws IllegalArgumentException if the range is not within a buffer of the allocator.
     */
    public int requireLocalKey(long address, int length) throws VerbsException {
        long offset = address - base;
        Chunk chunk = Long.compareUnsigned(offset, bytes) < 0 ? pool.chunkAt((int) (offset >>> unitShift)) : null;
        if (chunk == null || address + length > chunk.address + chunk.length) {
            throw new IllegalArgumentException(length + " bytes at 0x" + Long.toHexString(address)
                    + " are not in a chunk of the allocator");
        }
        long key = keys[chunk.firstUnit];
        if (key >= 0) {
            return (int) key;
        }
        try {
            return (int) register(chunk.firstUnit);
        } catch (VerbsException e) {
            refused(chunk.firstUnit);
            throw e;
        }
    }

    private long firstUse(int unit) {
        if (keys[unit] == REFUSED) {
            return NOT_REGISTERED;
        }
        try {
            return register(unit);
        } catch (VerbsException | IllegalStateException e) {
            refused(unit);
            warn(e);
            return NOT_REGISTERED;
        }
    }

    private synchronized long register(int unit) throws VerbsException {
        Chunk chunk = pool.chunkAt(unit);
        if (chunk == null) {
            return NOT_REGISTERED;
        }
        if (closed) {
            throw new IllegalStateException("the memory of the " + domain + " is closed");
        }
        ChunkEvent event = MemoryEvents.registration(domain.device().name());
        MemoryRegion region = domain.register(chunk.address, chunk.length, chunk, access());
        MemoryEvents.done(event, chunk);
        regions[chunk.firstUnit] = region;
        registeredBytes += chunk.length;
        registrations++;
        long key = Integer.toUnsignedLong(region.localKey());
        Arrays.fill(keys, chunk.firstUnit, chunk.firstUnit + chunk.units, key);
        return key;
    }

    /**
     * Only local work requests name the region, and their data is read after their completion. By ibv_reg_mr(3) all
     * data is visible then, in whatever order it was written, so relaxed ordering is safe.
     */
    private MemoryAccess[] access() throws VerbsException {
        return domain.device().capabilities().relaxedOrdering()
                ? new MemoryAccess[] { MemoryAccess.LOCAL_WRITE, MemoryAccess.RELAXED_ORDERING }
                : new MemoryAccess[] { MemoryAccess.LOCAL_WRITE };
    }

    private synchronized void refused(int unit) {
        if (keys[unit] != REFUSED) {
            keys[unit] = REFUSED;
            refusals++;
        }
    }

    /** For calls that do not require a key: those that do get an exception instead. */
    private synchronized void warn(Exception reason) {
        if (!warned) {
            warned = true;
            LOGGER.warn("{}: cannot register memory; data sent from it is copied: {}", domain, reason.getMessage());
        }
    }

    /**
     * Deregisters a chunk before its memory is released. The chunk has no buffers, so no work request uses it.
     *
     * @return false if the device fails to deregister the chunk: its memory must then stay.
     */
    synchronized boolean forget(Chunk chunk) {
        MemoryRegion region = regions[chunk.firstUnit];
        if (region != null) {
            try {
                region.close();
            } catch (VerbsException | IllegalStateException e) {
                LOGGER.error("{}: cannot deregister {}; its memory is lost until the process ends", domain, chunk, e);
                return false;
            }
            regions[chunk.firstUnit] = null;
            registeredBytes -= chunk.length;
        }
        Arrays.fill(keys, chunk.firstUnit, chunk.firstUnit + chunk.units, NOT_REGISTERED);
        if (refusals > 0) {
            // The device may have room now for chunks that it refused.
            for (int i = 0; i < keys.length; i++) {
                keys[i] = keys[i] == REFUSED ? NOT_REGISTERED : keys[i];
            }
        }
        return true;
    }

    /** {@return the domain that the memory is registered with} */
    public ProtectionDomain domain() {
        return domain;
    }

    /** {@return the bytes that are registered with the domain} Safe from any thread. */
    public synchronized long registeredBytes() {
        return registeredBytes;
    }

    /** {@return the number of registrations so far} Safe from any thread. */
    public synchronized long registrations() {
        return registrations;
    }

    /** {@return the number of registrations that the device refused} Safe from any thread. */
    public synchronized long refusals() {
        return refusals;
    }

    /**
     * Deregisters all memory from the domain. Destroy the queue pairs that could still write to it first. Closing twice
     * does nothing.
     *
     * @throws VerbsException the first failure, if regions could not be deregistered; all of them were tried.
     */
    @Override
    public void close() throws VerbsException {
        try {
            closeRegions();
        } finally {
            // Last, so that a chunk that is released at this moment is deregistered by one of the two.
            pool.forget(this);
        }
    }

    private synchronized void closeRegions() throws VerbsException {
        VerbsException first = null;
        closed = true;
        for (MemoryRegion region : regions) {
            try {
                if (region != null) {
                    region.close();
                    registeredBytes -= region.length();
                }
            } catch (VerbsException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        Arrays.fill(regions, null);
        Arrays.fill(keys, NOT_REGISTERED);
        if (first != null) {
            throw first;
        }
    }

    @Override
    public String toString() {
        return registeredBytes() + " bytes of chunks registered with " + domain;
    }
}
