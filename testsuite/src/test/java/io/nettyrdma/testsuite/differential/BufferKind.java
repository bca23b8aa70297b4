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
package io.nettyrdma.testsuite.differential;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultFileRegion;
import io.netty.util.ReferenceCounted;
import io.nettyrdma.testsuite.support.ByteRegion;
import io.nettyrdma.testsuite.support.Wrapper;

import java.io.IOException;
import java.nio.channels.WritableByteChannel;
import java.util.EnumSet;

/** The kind of object that a message is. */
enum BufferKind {
    HEAP, WRAPPED, DIRECT, POOLED, POOLED_HEAP, CHANNELS_OWN, SLICE, READ_ONLY, COMPOSITE, FILE, REGION, SHRINKING,
    /** The program keeps the buffer in the wrapper. */
    LENT,
    /** The same buffer moves while it is being sent. */
    GROWING,
    /** The sender releases it before the flush. */
    RELEASED,
    /** A region that throws in its middle. */
    THROWING,
    /** The same with an {@link IOException}, which closes the channel. */
    UNREADABLE,
    /** A region whose length is unknown when it is sent. */
    COUNTLESS;

    /** What an application that makes no mistake writes. */
    static final BufferKind[] SOUND = EnumSet.range(HEAP, GROWING).toArray(new BufferKind[0]);
    static final BufferKind[] BROKEN = EnumSet.range(RELEASED, COUNTLESS).toArray(new BufferKind[0]);

    /** If the socket were full, Netty would take a half-sent region for complete, and it would be cut on TCP. */
    private static final int LONGEST_SHRINKING = 1000;
    private static final Wrapper[] WRAPPERS = Wrapper.values();

    /**
     * @param isCertain whether the sockets take all messages at once: one that waits for its socket must not move,
     *         because NIO remembers where it was.
     */
    boolean takes(int size, boolean isCertain) {
        return (this != SHRINKING || size <= LONGEST_SHRINKING) && (this != GROWING || isCertain);
    }

    /** Whether the program must be notified when the message is sent. */
    boolean isLent() {
        return this == LENT || this == GROWING;
    }

    /** Whether the message ends its channel's output when its turn comes. */
    boolean isBroken() {
        return compareTo(RELEASED) >= 0;
    }

    /** Whether the object is reused after its release. */
    boolean isPooled() {
        return this == POOLED || this == POOLED_HEAP || this == CHANNELS_OWN || this == SLICE || this == READ_ONLY
                || isLent();
    }

    /** @param allocator the channel's. */
    Outgoing message(int id, int size, ByteBufAllocator allocator) {
        return switch (this) {
        case LENT, GROWING -> new LentMessage(WRAPPERS[id % WRAPPERS.length],
                filled(allocator.buffer(Math.max(1, size)), id, size), this == GROWING);
        case RELEASED -> new Outgoing(filled(Unpooled.directBuffer(size), id, size)) {
            @Override
            void written() {
                // A failed write has released it.
                if (object().refCnt() > 0) {
                    object().release();
                }
            }
        };
        default -> new Outgoing(object(id, size, allocator));
        };
    }

    private ReferenceCounted object(int id, int size, ByteBufAllocator allocator) {
        // Empty buffers would be the same object.
        int room = Math.max(1, size);
        return switch (this) {
        case HEAP -> filled(Unpooled.buffer(room), id, size);
        case WRAPPED -> Content.slice(id, size);
        case DIRECT -> filled(Unpooled.directBuffer(room), id, size);
        case POOLED -> filled(PooledByteBufAllocator.DEFAULT.directBuffer(room), id, size);
        case POOLED_HEAP -> filled(PooledByteBufAllocator.DEFAULT.heapBuffer(room), id, size);
        case CHANNELS_OWN -> filled(allocator.buffer(room), id, size);
        case SLICE -> slice(id, size, allocator);
        case READ_ONLY -> filled(allocator.buffer(room), id, size).asReadOnly();
        case COMPOSITE -> composite(id, size, allocator);
        case FILE -> new DefaultFileRegion(Content.file(), id, size);
        case REGION -> new ByteRegion(Content.part(id, 0, size));
        case SHRINKING -> new ByteRegion(Content.part(id, 0, size)) {
            @Override
            public long count() {
                return left();
            }
        };
        case THROWING, UNREADABLE -> new ByteRegion(Content.part(id, 0, size)) {
            @Override
            public long transferTo(WritableByteChannel target, long position) throws IOException {
                if (transferred() < size / 2) {
                    return transferOne(target);
                }
                if (BufferKind.this == UNREADABLE) {
                    throw new UnreadableException();
                }
                throw new IllegalStateException("the file is closed");
            }
        };
        case COUNTLESS -> new ByteRegion(Content.part(id, 0, size)) {
            private boolean isAdded;

            @Override
            public long count() {
                if (isAdded) {
                    throw new IllegalStateException("the file is closed");
                }
                // Netty's outbound buffer asks first, and if that fails, the message is not released.
                isAdded = true;
                return super.count();
            }
        };
        default -> throw new IllegalArgumentException(toString());
        };
    }

    private static ByteBuf filled(ByteBuf buffer, int id, int size) {
        return Content.write(buffer, id, 0, size);
    }

    /** A slice that holds the only reference to a larger buffer. */
    private static ByteBuf slice(int id, int size, ByteBufAllocator allocator) {
        int margin = 1 + id;
        ByteBuf larger = allocator.buffer(size + 2 * margin).writeZero(margin);
        return filled(larger, id, size).writeZero(margin).slice(margin, size);
    }

    private static ByteBuf composite(int id, int size, ByteBufAllocator allocator) {
        CompositeByteBuf whole = Unpooled.compositeBuffer();
        ByteBufAllocator[] allocators = { allocator, PooledByteBufAllocator.DEFAULT, Unpooled.EMPTY_BUFFER.alloc() };
        int parts = 2 + id % 5;
        int from = 0;
        for (int i = 0; i < parts; i++) {
            // The last component takes the rest.
            int part = i == parts - 1 ? size - from : size * (1 + i % 2) / (2 * parts);
            ByteBuf component = allocators[i % allocators.length].buffer(Math.max(1, part));
            whole.addComponent(true, Content.write(component, id, from, part));
            from += part;
        }
        return whole;
    }

    /** What {@link #UNREADABLE} throws. */
    static final class UnreadableException extends IOException {

        private static final long serialVersionUID = 1;

        private UnreadableException() {
            super("the disk is gone");
        }
    }
}
