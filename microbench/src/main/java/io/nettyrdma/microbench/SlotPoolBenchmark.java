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
package io.nettyrdma.microbench;

import io.netty.util.concurrent.ThreadAwareExecutor;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.buffer.RegistrationIndex;
import io.nettyrdma.memory.SlotPool;
import io.nettyrdma.verbs.ProtectionDomain;
import io.nettyrdma.verbs.RdmaDevice;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * Measures the cost of slots in a pool with many slabs: a slot of the first slab is given back and taken again, and a
 * slot of the last slab, the only other one with room, is taken and given back. Needs a device.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SlotPoolBenchmark {

    private static final int SLOT_BYTES = 64;
    private static final int SLOTS = 4;

    @Param({ "2", "5000" })
    public int slabs;

    private RdmaDevice device;
    private ProtectionDomain domain;
    private RegistrationIndex index;
    private SlotPool pool;
    private int ofFirst;

    @Setup
    public void setUp() throws IOException {
        device = RdmaDevice.open(RdmaDevice.list().get(0).name());
        domain = device.createProtectionDomain();
        index = RegistrationIndex.of(RdmaByteBufAllocator.DEFAULT, domain);
        pool = new SlotPool(RdmaByteBufAllocator.DEFAULT, index, new ThisThread(), SLOT_BYTES, 0, SLOTS);
        ofFirst = pool.take(0);
        int last = ofFirst;
        for (int i = 1; i < slabs * SLOTS; i++) {
            last = pool.take(0);
        }
        pool.give(last);
    }

    @TearDown
    public void tearDown() throws IOException {
        pool.close();
        index.close();
        domain.close();
        device.close();
    }

    @Benchmark
    public int ofTheFirstAndOfTheLast() throws IOException {
        pool.give(ofFirst);
        ofFirst = pool.take(0);
        int ofLast = pool.take(0);
        pool.give(ofLast);
        return ofLast;
    }

    /** Accepts any thread, because the pool has one user. */
    private static final class ThisThread implements ThreadAwareExecutor {

        @Override
        public boolean isExecutorThread(Thread thread) {
            return true;
        }

        @Override
        public void execute(Runnable task) {
            task.run();
        }
    }
}
