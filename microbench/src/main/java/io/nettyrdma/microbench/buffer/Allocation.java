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
package io.nettyrdma.microbench.buffer;

import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The parameters of a benchmark: the allocator, and the size of its buffers. */
@State(Scope.Benchmark)
public class Allocation {

    @Param({ "pooled", "adaptive", "rdma" })
    public String allocator;

    @Param({ "64", "1024", "8192", "65536" })
    public int bytes;

    private ByteBufAllocator chosen;

    @Setup
    public void setUp() {
        chosen = switch (allocator) {
            case "pooled" -> PooledByteBufAllocator.DEFAULT;
            case "adaptive" -> new AdaptiveByteBufAllocator();
            case "rdma" -> RdmaByteBufAllocator.DEFAULT;
            default -> throw new IllegalArgumentException("allocator: " + allocator);
        };
    }

    ByteBuf buffer() {
        return chosen.directBuffer(bytes);
    }
}
