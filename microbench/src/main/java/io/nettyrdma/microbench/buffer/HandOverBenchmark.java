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
import io.netty.util.internal.PlatformDependent;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.Control;

import java.util.Queue;

/**
 * One event loop allocates, another releases. Both take the same time per buffer, that of the slower one, because the
 * queue between them is bounded.
 */
@State(Scope.Group)
public class HandOverBenchmark extends EventLoopBenchmark {

    private static final int SPINS = 256;

    private final Queue<ByteBuf> queue = PlatformDependent.newFixedMpscQueue(256);

    @Benchmark
    @Group("handOver")
    public void allocate(Allocation allocation, Control control) {
        ByteBuf buffer = allocation.buffer();
        for (int tries = 1; !queue.offer(buffer); tries++) {
            if (control.stopMeasurement) {
                buffer.release();
                return;
            }
            await(tries);
        }
    }

    @Benchmark
    @Group("handOver")
    public void release(Control control) {
        ByteBuf buffer = queue.poll();
        for (int tries = 1; buffer == null; tries++) {
            if (control.stopMeasurement) {
                return;
            }
            await(tries);
            buffer = queue.poll();
        }
        buffer.release();
    }

    /** Spins, but yields at times: with other load on the machine the other thread may wait for this processor. */
    private static void await(int tries) {
        if (tries % SPINS == 0) {
            Thread.yield();
        } else {
            Thread.onSpinWait();
        }
    }

    @TearDown
    public void tearDown() {
        for (ByteBuf buffer = queue.poll(); buffer != null; buffer = queue.poll()) {
            buffer.release();
        }
    }
}
