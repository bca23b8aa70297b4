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

import io.netty.buffer.AbstractByteBufAllocator;

/** The allocator under test. All tests share it, because the address range that it reserves is never returned. */
final class TestAllocator {

    /** Larger buffers have a chunk of their own. */
    static final int CHUNK = 4 << 20;

    private static final RdmaByteBufAllocator ALLOCATOR =
            RdmaByteBufAllocator.builder().chunkBytes(CHUNK).maxRegisteredBytes(512L << 20).build();

    private TestAllocator() {
    }

    static AbstractByteBufAllocator get() {
        return ALLOCATOR;
    }

    /** Bytes of the buffers that are not released. */
    static long inUse() {
        return ALLOCATOR.metric().inUseBytes();
    }
}
