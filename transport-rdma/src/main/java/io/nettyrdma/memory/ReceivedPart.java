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

/**
 * A part of received bytes, when the application asks for fewer than have come together. Unlike a slice it can grow, as
 * a buffer that was read from a socket can. It has a reference to the whole as long as it is in its memory.
 */
public final class ReceivedPart extends GrowingByteBuf {

    /** May have a leak record. */
    private final ByteBuf whole;
    private final RegisteredByteBuf owner;

    private ReceivedPart(ByteBuf whole, RegisteredByteBuf owner, int index, int length) {
        super(owner, index, length);
        this.whole = whole.retain();
        this.owner = owner;
    }

    /**
     * Reads a part, whose reference is the caller's.
     *
     * @param whole received memory, or memory of an {@link RdmaByteBufAllocator}.
     */
    public static ByteBuf read(ByteBuf whole, int length) {
        ReceivedPart part = new ReceivedPart(whole, RegisteredByteBuf.of(whole), whole.readerIndex(), length);
        whole.skipBytes(length);
        part.begin(length);
        return LeakDetection.aware(part);
    }

    ByteBuf whole() {
        return whole;
    }

    @Override
    public RdmaByteBufAllocator allocator() {
        return owner.allocator();
    }

    @Override
    public ByteBufAllocator alloc() {
        return owner.alloc();
    }

    @Override
    void returnReceived() {
        whole.release();
    }

    @Override
    void returnUnchanged() {
        whole.release();
    }
}
