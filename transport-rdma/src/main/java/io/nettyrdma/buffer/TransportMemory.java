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

import io.nettyrdma.annotation.UnstableApi;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How much of an allocator's memory the transport has taken for itself: slots to receive into and to assemble frames
 * in, and copies of unread data. Half always remains the application's, which has to answer what is received:
 *
 * <pre>
 *   0                                3/8                1/2                maxRegisteredBytes
 *   | windows grow, many frames are  | connections open | the application's |
 *   | in flight, unread data is      |                  |                   |
 *   | copied; connections open       |                  |                   |
 * </pre>
 *
 * A count that begins below a limit may exceed it, so the limits are inexact by a slab, or a copy, of each event loop.
 *
 * <p>Thread-safe. For use within this project only.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class TransportMemory {

    private final long requiredLimit;
    private final long plentyLimit;
    private final long maxRegisteredBytes;
    private final AtomicLong taken = new AtomicLong();

    TransportMemory(long maxRegisteredBytes) {
        this.maxRegisteredBytes = maxRegisteredBytes;
        requiredLimit = maxRegisteredBytes / 2;
        plentyLimit = maxRegisteredBytes / 8 * 3;
    }

    /**
     * {@return what the transport has taken of the allocator's memory}
     *
     * @param allocator the allocator that the transport takes memory of.
     */
    public static TransportMemory of(RdmaByteBufAllocator allocator) {
        return allocator.transportMemory();
    }

    /**
     * Counts memory without which a connection cannot be.
     *
     * @param bytes more than 0; given back by {@link #give}.
     * @throws OutOfRegisteredMemoryError if there is only the application's share left. Nothing is counted then.
     */
    public void takeRequired(long bytes) {
        if (!take(bytes, requiredLimit)) {
            throw new OutOfRegisteredMemoryError("no " + bytes + " bytes for receives and frames: connections have "
                    + taken + " of the " + maxRegisteredBytes + " bytes of maxRegisteredBytes, and the other half is"
                    + " the application's; close connections, lower INITIAL_WINDOW or RECEIVE_BUFFER_SIZE, or raise"
                    + " maxRegisteredBytes with the allocator's builder or -D" + RdmaByteBufAllocatorConfig.PROPERTIES
                    + "maxRegisteredBytes");
        }
    }

    /**
     * Counts memory that makes a connection faster.
     *
     * @param bytes more than 0; if they may be taken, given back by {@link #give}.
     * @return whether they may be taken.
     */
    public boolean takeIfPlenty(long bytes) {
        return take(bytes, plentyLimit);
    }

    /** {@return whether there is memory for what makes a connection faster} */
    public boolean isPlenty() {
        return taken.get() < plentyLimit;
    }

    private boolean take(long bytes, long limit) {
        if (taken.addAndGet(bytes) - bytes < limit) {
            return true;
        }
        taken.addAndGet(-bytes);
        return false;
    }

    /**
     * Ends the count of what {@link #takeRequired} or {@link #takeIfPlenty} has counted.
     *
     * @param bytes as many as were counted.
     */
    public void give(long bytes) {
        taken.addAndGet(-bytes);
    }

    /** {@return the bytes that are taken} */
    public long bytes() {
        return taken.get();
    }
}
