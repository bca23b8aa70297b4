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

import java.nio.ByteOrder;

/**
 * Changes 8 bytes of the peer's memory at once, without the peer's program, and returns their previous value. The bytes
 * are a long in the byte order of the peer's processor. No other atomic operation of the same device comes between; the
 * peer's own program may, see {@code atomic_cap} of its device.
 *
 * <p>As after a read, what is written later does not wait for it. Immutable, apart from its references. Any thread.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class RdmaAtomic extends AbstractReferenceCounted implements RemoteOperation {

    /** The operation. */
    public enum Kind {

        /** Sets the value if it is as expected. */
        COMPARE_AND_SWAP,
        /** Adds to the value. */
        FETCH_AND_ADD
    }

    /** Bytes. */
    public static final int SIZE = Long.BYTES;

    private final Kind kind;
    private final RemoteMemory remote;
    private final long operand;
    private final long swap;
    private final ByteBuf result;
    private final boolean fenced;
    private final HeldMemory held;
    private long previous;

    private RdmaAtomic(Kind kind, RemoteMemory remote, long operand, long swap, ByteBuf result, boolean fenced,
                       HeldMemory held) {
        this.kind = kind;
        this.remote = remote;
        this.operand = operand;
        this.swap = swap;
        this.result = result;
        this.fenced = fenced;
        this.held = held;
    }

    private static RdmaAtomic checked(Kind kind, RemoteMemory at, long operand, long swap, ByteBuf result) {
        if (at.length() != SIZE || (at.address() & SIZE - 1) != 0) {
            throw new IllegalArgumentException(at + " is not " + SIZE + " aligned bytes");
        }
        if (!at.allows(MemoryAccess.REMOTE_ATOMIC)) {
            throw new IllegalArgumentException(at + " does not allow atomics");
        }
        if (result.writableBytes() < SIZE) {
            throw new IllegalArgumentException(result + " has no room for the result");
        }
        if (result.isReadOnly()) {
            throw new IllegalArgumentException(result + " is read-only");
        }
        return new RdmaAtomic(kind, at, operand, swap, result, false, HeldMemory.pinned(result));
    }

    /**
     * Sets the value to {@code swap} if it equals {@code compare}.
     *
     * @param at 8 bytes at an address that 8 divides.
     * @param compare the expected value.
     * @param swap the new value.
     * @param result memory of an {@link io.nettyrdma.buffer.RdmaByteBufAllocator} with room for {@value #SIZE} bytes,
     *        which the message uses and releases.
     * @return a message to write.
     */
    public static RdmaAtomic compareAndSwap(RemoteMemory at, long compare, long swap, ByteBuf result) {
        return checked(Kind.COMPARE_AND_SWAP, at, compare, swap, result);
    }

    /**
     * Adds to the value. The other parameters are as for {@link #compareAndSwap}.
     *
     * @param at 8 bytes at an address that 8 divides.
     * @param add the summand.
     * @param result gets the old value.
     * @return a message to write.
     */
    public static RdmaAtomic fetchAndAdd(RemoteMemory at, long add, ByteBuf result) {
        return checked(Kind.FETCH_AND_ADD, at, add, 0, result);
    }

    /**
     * {@return the same operation, which waits until earlier reads and atomics are complete} Replaces this message.
     */
    public RdmaAtomic fenced() {
        return new RdmaAtomic(kind, remote, operand, swap, result, true, held);
    }

    /** {@return what it does} */
    public Kind kind() {
        return kind;
    }

    @Override
    public RemoteMemory remote() {
        return remote;
    }

    @Override
    public MemoryAccess access() {
        return MemoryAccess.REMOTE_ATOMIC;
    }

    /** {@return what is compared or added} */
    public long operand() {
        return operand;
    }

    /** {@return the new value of a compare-and-swap} */
    public long swap() {
        return swap;
    }

    /** {@return the memory that the device writes the previous value to} */
    public ByteBuf result() {
        return result;
    }

    /**
     * {@return the value before the operation} Defined once the promise has succeeded, on the event loop or behind it.
     */
    public long previous() {
        return previous;
    }

    @Override
    public int length() {
        return SIZE;
    }

    @Override
    public boolean isFenced() {
        return fenced;
    }

    @Override
    public void complete() {
        long value = result.getLong(result.writerIndex());
        previous = ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? value : Long.reverseBytes(value);
    }

    @Override
    public RdmaAtomic touch(Object hint) {
        result.touch(hint);
        return this;
    }

    @Override
    protected void deallocate() {
        held.release();
        result.release();
    }

    @Override
    public String toString() {
        return kind + " of " + remote;
    }
}
