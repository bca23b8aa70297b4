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
import io.netty.buffer.DefaultByteBufHolder;
import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.verbs.MemoryAccess;

/**
 * Writes bytes to the peer's memory, without the peer's program:
 *
 * <pre>
 *   channel.write(new RdmaWrite(file, memory));       // memory: what the peer has sent
 *   channel.writeAndFlush(done);                      // a ByteBuf
 * </pre>
 *
 * Order, on a connection: the bytes are in the peer's memory before the peer reads a ByteBuf, or an immediate, that was
 * written later. Datagrams have no order: only the write's own immediate comes after its bytes.
 *
 * <p>The promise succeeds when the peer's <em>device</em> has acknowledged all bytes. On iWARP, which has no such
 * acknowledgement, it succeeds when the local device has sent them. That the peer's program sees them is certain only
 * when a later message has arrived there. A peer that withdraws the memory before that ends the connection; on a
 * datagram channel it fails the write alone.
 *
 * <p>The message takes over the buffer's reference, and writes its readable bytes as they were when the message was
 * created: later changes of its indices have no effect. Do not change the bytes before the promise is done. Buffers
 * that the device cannot read are copied: in parts on a connection, and as a whole on a datagram channel. Immutable,
 * apart from its references. Any thread.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class RdmaWrite extends DefaultByteBufHolder implements RemoteOperation {

    private final RemoteMemory remote;
    private final int index;
    private final int length;
    private final boolean fenced;
    private final boolean hasImmediate;
    private final int immediate;

    /**
     * @param from the bytes.
     * @param to the peer's memory.
     * @throws IllegalArgumentException if the memory is too small, or allows no writes.
     */
    public RdmaWrite(ByteBuf from, RemoteMemory to) {
        this(from, from.readerIndex(), from.readableBytes(), to, false, false, 0);
        if (length > to.length()) {
            throw new IllegalArgumentException(length + " bytes do not fit into " + to);
        }
        if (!to.allows(MemoryAccess.REMOTE_WRITE)) {
            throw new IllegalArgumentException(to + " does not allow writes");
        }
    }

    private RdmaWrite(ByteBuf from, int index, int length, RemoteMemory to, boolean fenced, boolean hasImmediate,
                      int immediate) {
        super(from);
        remote = to;
        this.index = index;
        this.length = length;
        this.fenced = fenced;
        this.hasImmediate = hasImmediate;
        this.immediate = immediate;
    }

    /**
     * {@return the same write, whose completion the peer's pipeline gets as {@link RdmaImmediate}} Replaces this
     * message, with the same reference.
     *
     * @param value any on a datagram channel; 0 to 2^31 - 1 on a connection, which needs a bit of its own: otherwise
     *        the promise fails with {@link IllegalArgumentException}.
     */
    public RdmaWrite withImmediate(int value) {
        return new RdmaWrite(content(), index, length, remote, fenced, true, value);
    }

    /**
     * {@return the same write, which waits until earlier reads and atomics of the connection are complete} Replaces
     * this message, with the same reference. Linux's Soft-RoCE driver may stall at a fence, without limit, when a
     * packet is repeated.
     */
    public RdmaWrite fenced() {
        return new RdmaWrite(content(), index, length, remote, true, hasImmediate, immediate);
    }

    @Override
    public RemoteMemory remote() {
        return remote;
    }

    @Override
    public MemoryAccess access() {
        return MemoryAccess.REMOTE_WRITE;
    }

    /** {@return the index in the buffer of the first byte} */
    public int index() {
        return index;
    }

    @Override
    public int length() {
        return length;
    }

    @Override
    public boolean isFenced() {
        return fenced;
    }

    /** {@return whether the peer gets an immediate} */
    public boolean hasImmediate() {
        return hasImmediate;
    }

    /** {@return the immediate} Defined only if {@link #hasImmediate}. */
    public int immediate() {
        return immediate;
    }

    @Override
    public void complete() {
    }

    @Override
    public RdmaWrite replace(ByteBuf content) {
        RdmaWrite replaced = new RdmaWrite(content, remote);
        return new RdmaWrite(content, replaced.index, replaced.length, remote, fenced, hasImmediate, immediate);
    }

    @Override
    public RdmaWrite retain() {
        super.retain();
        return this;
    }

    @Override
    public RdmaWrite retain(int increment) {
        super.retain(increment);
        return this;
    }

    @Override
    public RdmaWrite touch() {
        super.touch();
        return this;
    }

    @Override
    public RdmaWrite touch(Object hint) {
        super.touch(hint);
        return this;
    }

    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }

    @Override
    public String toString() {
        return "a write of " + length + " bytes to " + remote;
    }
}
