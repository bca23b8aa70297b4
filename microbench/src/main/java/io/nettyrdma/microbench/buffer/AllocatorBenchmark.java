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

import io.netty.buffer.ByteBuf;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Allocates a buffer and releases one, on one event loop. Releasing at once is the best case of every allocator: it
 * gets the same memory each time. Releasing the oldest is the case of a loop that has buffers queued to be sent.
 */
@State(Scope.Thread)
public class AllocatorBenchmark extends EventLoopBenchmark {

    private static final int QUEUED = 64;

    private final ByteBuf[] queue = new ByteBuf[QUEUED];
    private int oldest;

    @Benchmark
    public boolean releaseAtOnce(Allocation allocation) {
        return allocation.buffer().release();
    }

    @Benchmark
    public void releaseTheOldest(Allocation allocation) {
        ByteBuf released = queue[oldest];
        queue[oldest] = allocation.buffer();
        oldest = oldest + 1 & QUEUED - 1;
        if (released != null) {
            released.release();
        }
    }

    @TearDown
    public void tearDown() {
        for (ByteBuf queued : queue) {
            if (queued != null) {
                queued.release();
            }
        }
    }
}
