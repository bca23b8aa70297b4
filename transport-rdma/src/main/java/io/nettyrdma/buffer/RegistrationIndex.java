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
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.MemoryRegion;
import io.nettyrdma.verbs.ProtectionDomain;
import io.nettyrdma.verbs.VerbsException;

import java.util.Arrays;

/**
 * An allocator's memory as one protection domain knows it. A chunk is registered when the domain is first asked for its
 * key: so memory that never leaves a loop is registered once, however many loops there are. From then on finding the
 * key of an address is a subtraction, a shift and a load.
 *
 * <p>{@link #localKey} belongs to the domain's loop. Chunks go on whatever thread releases their last buffer: it then
 * takes the key away, and whoever gets a buffer of the chunk that comes to these addresses next gets it later than
 * that. So the keys need no lock to be read.
 */
public final class RegistrationIndex implements RegisteredMemory, AutoCloseable {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(RegistrationIndex.class);

    /** The device refused: what is there is copied. */
    private static final long REFUSED = -2;

    private final ChunkPool pool;
    private final ProtectionDomain domain;
    private final long base;
    private final long bytes;
    private final int unitShift;
    /** By unit: a local key, or one of those that are negative. */
    private final long[] keys;
    /** By first unit. Under this object's lock, as all below. */
    private final MemoryRegion[] regions;
    private long registeredBytes;
    private long registrations;
    private long refusals;
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
     * The key of memory that cannot be copied: what is received into. Belongs to the loop too.
     *
     * @throws VerbsException if the device refuses to register it; its message has the cure.
     * @throws IllegalArgumentException if it is not a buffer of the allocator, or a part of one.
     */
    public int requireLocalKey(long address, int length) throws VerbsException {
        long offset = address - base;
        Chunk chunk = Long.compareUnsigned(offset, bytes) < 0 ? pool.chunkAt((int) (offset >>> unitShift)) : null;
        if (chunk == null || address + length > chunk.address + chunk.length) {
            throw new IllegalArgumentException(length + " bytes at 0x" + Long.toHexString(address)
                    + " are not in a chunk of the allocator");
        }
        long key = localKey(address, length);
        // Asked again for the reason.
        return (int) (key < 0 ? register(chunk.firstUnit) : key);
    }

    private long firstUse(int unit) {
        if (keys[unit] == REFUSED) {
            return NOT_REGISTERED;
        }
        try {
            return register(unit);
        } catch (VerbsException | IllegalStateException e) {
            refused(unit, e);
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
        RegistrationEvent event = new RegistrationEvent();
        event.begin();
        MemoryRegion region = domain.register(chunk.address, chunk.length, chunk, access());
        event.device = domain.device().name();
        event.done(chunk);
        regions[chunk.firstUnit] = region;
        registeredBytes += chunk.length;
        registrations++;
        long key = Integer.toUnsignedLong(region.localKey());
        Arrays.fill(keys, chunk.firstUnit, chunk.firstUnit + chunk.units, key);
        return key;
    }

    /**
     * Nobody but our own work requests names it, and what they did is looked at when they have completed: ibv_reg_mr(3)
     * has all of it visible then, in whatever order it was written.
     */
    private MemoryAccess[] access() throws VerbsException {
        return domain.device().capabilities().relaxedOrdering()
                ? new MemoryAccess[] { MemoryAccess.LOCAL_WRITE, MemoryAccess.RELAXED_ORDERING }
                : new MemoryAccess[] { MemoryAccess.LOCAL_WRITE };
    }

    private synchronized void refused(int unit, Exception reason) {
        keys[unit] = REFUSED;
        if (refusals++ == 0) {
            LOGGER.warn("{}: what is sent from memory that cannot be registered is copied", domain, reason);
        }
    }

    /**
     * The chunk's memory is about to go. Nobody has a buffer of it, so no work request has either.
     *
     * @return false if the device does not let go of it: then it must stay.
     */
    synchronized boolean forget(Chunk chunk) {
        MemoryRegion region = regions[chunk.firstUnit];
        if (region != null) {
            try {
                region.close();
            } catch (VerbsException | IllegalStateException e) {
                LOGGER.error("{}: {} stays registered, and is lost until the process ends", domain, chunk, e);
                return false;
            }
            regions[chunk.firstUnit] = null;
            registeredBytes -= chunk.length;
        }
        Arrays.fill(keys, chunk.firstUnit, chunk.firstUnit + chunk.units, NOT_REGISTERED);
        if (refusals > 0) {
            // There is room now for what was refused.
            for (int i = 0; i < keys.length; i++) {
                keys[i] = keys[i] == REFUSED ? NOT_REGISTERED : keys[i];
            }
        }
        return true;
    }

    public ProtectionDomain domain() {
        return domain;
    }

    /** Bytes that are registered with the domain. Any thread. */
    public synchronized long registeredBytes() {
        return registeredBytes;
    }

    /** How many chunks were registered so far. Any thread. */
    public synchronized long registrations() {
        return registrations;
    }

    /** How often the device refused to register one. Any thread. */
    public synchronized long refusals() {
        return refusals;
    }

    /**
     * Takes all of the memory away from the domain; what the device could still write to must be closed before. Closing
     * twice does nothing.
     *
     * @throws VerbsException the first one, if regions could not be deregistered; all of them were tried.
     */
    @Override
    public void close() throws VerbsException {
        try {
            closeRegions();
        } finally {
            // Not before: a chunk that goes at this moment is taken away by one of the two.
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
