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
import io.netty.buffer.ByteBufAllocator;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.buffer.RegisteredByteBuf;

import java.nio.ByteBuffer;

/**
 * A buffer over the memory that the device received into, so nothing is copied. Each slot has one, which is reused. The
 * application owns it between {@link #toBuffer} and its last release.
 *
 * <pre>
 *            hand()                            last release, any thread
 *   POSTED ----------> owned by the application ----------> given to the pool, on its loop to the listener
 *                             | outgrows the slot
 *                             +---------------------------> the slot goes with a new buffer; this one is not reused
 * </pre>
 */
public final class ReceivedByteBuf extends GrowingByteBuf {

    private final SlotPool pool;
    private final int slot;

    /** Set and taken on the loop's thread, like the next field. */
    private SlotListener listener;
    /** Set by {@link #toBuffer}. */
    private ByteBufAllocator allocator;
    private boolean marked;

    ReceivedByteBuf(SlotPool pool, int slot, ByteBuffer memory, long address) {
        super(memory, address);
        this.pool = pool;
        this.slot = slot;
    }

    /**
     * Passes received data to the application, with one reference.
     *
     * @param length readable bytes.
     * @param whenReleased gets the slot, on the loop's thread, after the last release.
     * @param from what {@link #alloc} returns: programs written for TCP expect the allocator that their channel is
     *        configured with.
     * @return the buffer, wrapped if its leak is to be detected.
     */
    public ByteBuf toBuffer(int length, SlotListener whenReleased, ByteBufAllocator from) {
        if (refCnt() != 0) {
            throw new IllegalStateException("slot " + slot + " of the " + pool + " is still held by the application");
        }
        listener = whenReleased;
        allocator = from;
        marked = false;
        // The detector reports a buffer that is unreachable. So the pool forgets it until it comes back.
        pool.forget(slot);
        begin(length);
        return LeakDetection.aware(this);
    }

    /** The one that {@code buffer} is, is a part of, or wraps; {@code null} if there is none. */
    public static ReceivedByteBuf of(ByteBuf buffer) {
        RegisteredByteBuf owner = RegisteredByteBuf.of(buffer);
        if (owner instanceof ReceivedPart part) {
            owner = RegisteredByteBuf.of(part.whole());
        }
        return owner instanceof ReceivedByteBuf received ? received : null;
    }

    /** Bytes of payload that its slot has room for. */
    public int receivedBytes() {
        return pool.slotSize(slot) - pool.headerRoom();
    }

    /** Marks the buffer until it is handed out again. The listener decides what that means. Loop's thread. */
    public void mark() {
        marked = true;
    }

    public boolean isMarked() {
        return marked;
    }

    /** The listener of {@link #toBuffer}, before the last release. Loop's thread. */
    public SlotListener listener() {
        return listener;
    }

    /** Loop's thread only. */
    SlotListener takeListener() {
        SlotListener taken = listener;
        listener = null;
        return taken;
    }

    @Override
    public ByteBufAllocator alloc() {
        return allocator;
    }

    @Override
    public RdmaByteBufAllocator allocator() {
        return pool.allocator();
    }

    /** The slot's new buffer is over its memory, as this one was, and notifies the listener. */
    @Override
    void returnReceived() {
        ReceivedByteBuf successor = pool.newBuffer(slot);
        successor.listener = listener;
        successor.marked = marked;
        pool.give(successor, slot);
    }

    @Override
    void returnUnchanged() {
        pool.give(this, slot);
    }
}
