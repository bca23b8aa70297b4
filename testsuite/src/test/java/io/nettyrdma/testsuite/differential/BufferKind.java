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

/** The kind of object that a message is. */
enum BufferKind {
    HEAP, WRAPPED, DIRECT, POOLED, POOLED_HEAP, CHANNELS_OWN, SLICE, READ_ONLY, COMPOSITE, FILE, REGION, SHRINKING;

    /** If the socket were full, Netty would take a half-sent region for complete, and it would be cut on TCP. */
    private static final int LONGEST_SHRINKING = 1000;

    boolean takes(int size) {
        return this != SHRINKING || size <= LONGEST_SHRINKING;
    }

    /** Whether the object is reused after its release. */
    boolean isPooled() {
        return this == POOLED || this == POOLED_HEAP || this == CHANNELS_OWN || this == SLICE || this == READ_ONLY;
    }

    /** @param allocator the channel's. */
    ReferenceCounted message(int id, int size, ByteBufAllocator allocator) {
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
}
