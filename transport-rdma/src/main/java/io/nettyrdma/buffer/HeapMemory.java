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
import io.netty.buffer.UnpooledHeapByteBuf;

import java.util.concurrent.atomic.LongAdder;

/** Creates heap buffers and counts their bytes. */
final class HeapMemory {

    private final LongAdder bytes = new LongAdder();

    ByteBuf newBuffer(RdmaByteBufAllocator allocator, int initialCapacity, int maxCapacity) {
        return new CountedHeapByteBuf(allocator, initialCapacity, maxCapacity);
    }

    long bytes() {
        return bytes.sum();
    }

    private static final class CountedHeapByteBuf extends UnpooledHeapByteBuf {

        CountedHeapByteBuf(RdmaByteBufAllocator allocator, int initialCapacity, int maxCapacity) {
            super(allocator, initialCapacity, maxCapacity);
        }

        @Override
        protected byte[] allocateArray(int capacity) {
            byte[] array = super.allocateArray(capacity);
            count(capacity);
            return array;
        }

        @Override
        protected void freeArray(byte[] array) {
            count(-array.length);
            super.freeArray(array);
        }

        private void count(int added) {
            ((RdmaByteBufAllocator) alloc()).heap().bytes.add(added);
        }
    }
}
