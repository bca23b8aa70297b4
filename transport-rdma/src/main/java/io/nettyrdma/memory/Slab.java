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

import io.netty.buffer.ByteBuf;
import io.nettyrdma.buffer.OutOfRegisteredMemoryError;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.buffer.RegistrationIndex;
import io.nettyrdma.buffer.TransportMemory;
import io.nettyrdma.verbs.VerbsException;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A buffer of the allocator that is divided into slots of one pool. Belongs to the pool. */
final class Slab {

    final SlotSize size;
    final ByteBuffer bytes;
    final long address;
    final int localKey;

    /** The buffer over each slot; null before the first use, and while the application holds it. */
    final ReceivedByteBuf[] buffers;

    /** Links of the stack of slots from other threads: the slot below, written by the thread that gives the slot. */
    final int[] below;

    private final ByteBuf memory;
    private final TransportMemory account;
    /** A stack of free slots, the lowest on top at first. */
    private final int[] free;
    private int freeCount;
    /** Whether a slot is in use: giving one back twice would hand it to two owners. */
    private final boolean[] taken;

    /** @throws VerbsException if the device refuses the memory, which is back in the allocator then. */
    private Slab(RdmaByteBufAllocator allocator, RegistrationIndex index, SlotSize size) throws VerbsException {
        this.size = size;
        account = TransportMemory.of(allocator);
        int length = size.slabBytes();
        memory = allocator.directBuffer(length, length);
        try {
            address = memory.memoryAddress();
            localKey = index.requireLocalKey(address, length);
        } catch (VerbsException | RuntimeException e) {
            memory.release();
            throw e;
        }
        bytes = memory.nioBuffer(0, length);
        int slots = size.slots;
        buffers = new ReceivedByteBuf[slots];
        below = new int[slots];
        taken = new boolean[slots];
        free = new int[slots];
        for (int slot = slots - 1; slot >= 0; slot--) {
            free[freeCount++] = slot;
        }
    }

    /**
     * Takes memory of the allocator. Exhausted memory ends a connection, or makes it wait, like any other failure: the
     * loop has other connections.
     *
     * @param needed whether a connection cannot do without it.
     * @return {@code null} if it is not needed, and there is not plenty.
     */
    static Slab take(RdmaByteBufAllocator allocator, RegistrationIndex index, SlotSize size, boolean needed)
            throws IOException {
        TransportMemory memory = TransportMemory.of(allocator);
        long bytes = size.slabBytes();
        try {
            if (needed) {
                memory.takeRequired(bytes);
            } else if (!memory.takeIfPlenty(bytes)) {
                return null;
            }
            boolean isMade = false;
            try {
                Slab slab = new Slab(allocator, index, size);
                isMade = true;
                return slab;
            } finally {
                if (!isMade) {
                    memory.give(bytes);
                }
            }
        } catch (OutOfRegisteredMemoryError e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    boolean hasFree() {
        return freeCount > 0;
    }

    boolean isUnused() {
        return freeCount == free.length;
    }

    /** Takes a slot. One must be free. */
    int take() {
        int slot = free[--freeCount];
        taken[slot] = true;
        return slot;
    }

    /** Returns false if the slot is free already. */
    boolean give(int slot) {
        if (!taken[slot]) {
            return false;
        }
        taken[slot] = false;
        free[freeCount++] = slot;
        return true;
    }

    void release() {
        memory.release();
        account.give(size.slabBytes());
    }
}
