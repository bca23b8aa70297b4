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

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;

import java.nio.ByteOrder;

/** The ways to see the allocator's memory. Every property of a buffer must hold in each. */
enum Shape {

    WHOLE {
        @Override
        ByteBuf make(TestBuffers buffers, int capacity) {
            return buffers.direct(capacity, capacity);
        }
    },
    GROWN {
        @Override
        ByteBuf make(TestBuffers buffers, int capacity) {
            return buffers.direct(Math.min(1, capacity), capacity).capacity(capacity);
        }
    },
    SHRUNK {
        @Override
        ByteBuf make(TestBuffers buffers, int capacity) {
            return buffers.direct(capacity + 1000).capacity(capacity);
        }
    },
    SLICE {
        @Override
        ByteBuf make(TestBuffers buffers, int capacity) {
            return buffers.direct(capacity + 8).slice(5, capacity).clear();
        }
    },
    SLICE_OF_SLICE {
        @Override
        ByteBuf make(TestBuffers buffers, int capacity) {
            return buffers.direct(capacity + 8).slice(2, capacity + 4).slice(1, capacity).clear();
        }
    },
    RETAINED_SLICE {
        @Override
        ByteBuf make(TestBuffers buffers, int capacity) {
            ByteBuf whole = TestAllocator.get().directBuffer(capacity + 8);
            ByteBuf slice = buffers.keep(whole.retainedSlice(3, capacity)).clear();
            whole.release();
            return slice;
        }
    },
    DUPLICATE {
        @Override
        ByteBuf make(TestBuffers buffers, int capacity) {
            return buffers.direct(capacity, capacity).duplicate();
        }
    },
    LITTLE_ENDIAN {
        @Override
        @SuppressWarnings("deprecation")
        ByteBuf make(TestBuffers buffers, int capacity) {
            return buffers.direct(capacity, capacity).order(ByteOrder.LITTLE_ENDIAN);
        }
    },
    LEAK_AWARE {
        @Override
        ByteBuf make(TestBuffers buffers, int capacity) {
            return buffers.leakAware(capacity, capacity);
        }
    },
    COMPOSITE {
        @Override
        ByteBuf make(TestBuffers buffers, int capacity) {
            CompositeByteBuf whole = buffers.keep(TestAllocator.get().compositeBuffer());
            int first = capacity / 3;
            int second = (capacity - first) / 2;
            for (int part : new int[] { first, second, capacity - first - second }) {
                whole.addComponent(true, TestAllocator.get().directBuffer(part).writerIndex(part));
            }
            return whole.clear();
        }
    };

    /** A buffer with both indexes 0 and any content. Released at the end of the test. */
    abstract ByteBuf make(TestBuffers buffers, int capacity);

    /** A buffer with this content and both indexes 0. */
    final ByteBuf make(TestBuffers buffers, byte[] content) {
        return make(buffers, content.length).setBytes(0, content);
    }

    /** Of accessors that do not name their byte order. */
    final ByteOrder order() {
        return this == LITTLE_ENDIAN ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
    }

    /** Whether its memory is contiguous. */
    final boolean isContiguous() {
        return this != COMPOSITE;
    }
}
