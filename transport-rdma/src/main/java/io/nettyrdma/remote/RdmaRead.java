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
package io.nettyrdma.remote;

import io.netty.buffer.ByteBuf;
import io.netty.util.AbstractReferenceCounted;
import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.buffer.HeldMemory;
import io.nettyrdma.verbs.MemoryAccess;

/**
 * Reads the peer's memory, without the peer's program. The promise succeeds when all bytes are in the buffer, whose
 * writer index has moved behind them.
 *
 * <p>What is written after a read does not wait for it: the peer may get a later ByteBuf, or have a later write in its
 * memory, while the read is still in flight. Fence such a write, or wait for the promise. On a connection promises of
 * later messages do wait; on a datagram channel nothing waits, and there are no fences.
 *
 * <p>The buffer must be one that the device can write: of an {@link io.nettyrdma.buffer.RdmaByteBufAllocator}, and not
 * composite. The message takes over a reference to it; retain it to read what came, and leave it alone until then: the
 * device writes to its memory. It cannot outgrow that memory meanwhile: {@link ByteBuf#capacity(int)} throws.
 * Immutable, apart from its references. Any thread.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class RdmaRead extends AbstractReferenceCounted implements RemoteOperation {

    private final RemoteMemory remote;
    private final ByteBuf into;
    private final int index;
    private final boolean fenced;
    private final HeldMemory held;

    /**
     * @param from the peer's memory.
     * @param into gets the bytes.
     * @throws IllegalArgumentException if the buffer has less room than the memory has bytes or is read-only, or the
     *         memory allows no reads.
     */
    public RdmaRead(RemoteMemory from, ByteBuf into) {
        this(from, into, into.writerIndex(), false, checked(from, into));
    }

    private RdmaRead(RemoteMemory from, ByteBuf into, int index, boolean fenced, HeldMemory held) {
        remote = from;
        this.into = into;
        this.index = index;
        this.fenced = fenced;
        this.held = held;
    }

    private static HeldMemory checked(RemoteMemory from, ByteBuf into) {
        if (from.length() > into.writableBytes()) {
            throw new IllegalArgumentException(from + " do not fit into " + into);
        }
        if (into.isReadOnly()) {
            throw new IllegalArgumentException(into + " is read-only");
        }
        if (!from.allows(MemoryAccess.REMOTE_READ)) {
            throw new IllegalArgumentException(from + " does not allow reads");
        }
        return HeldMemory.pinned(into);
    }

    /**
     * {@return the same read, which waits until earlier reads and atomics of the connection are complete} Replaces this
     * message, with the same reference.
     */
    public RdmaRead fenced() {
        return new RdmaRead(remote, into, index, true, held);
    }

    @Override
    public RemoteMemory remote() {
        return remote;
    }

    @Override
    public MemoryAccess access() {
        return MemoryAccess.REMOTE_READ;
    }

    /** {@return the buffer that gets the bytes} */
    public ByteBuf into() {
        return into;
    }

    /** {@return the index in the buffer of the first byte} */
    public int index() {
        return index;
    }

    @Override
    public int length() {
        return (int) remote.length();
    }

    @Override
    public boolean isFenced() {
        return fenced;
    }

    @Override
    public void complete() {
        into.writerIndex(Math.max(into.writerIndex(), index + length()));
    }

    @Override
    public RdmaRead touch(Object hint) {
        into.touch(hint);
        return this;
    }

    @Override
    protected void deallocate() {
        held.release();
        into.release();
    }

    @Override
    public String toString() {
        return "a read of " + remote;
    }
}
