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

import io.nettyrdma.verbs.SendBatch;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

import java.util.concurrent.TimeUnit;

/**
 * Measures the time in Java to write a batch of work requests, before the native call that posts it. Needs no device.
 * The figures are per batch. The GC profiler must report no allocation.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SendBatchBenchmark {

    private static final long ADDRESS = 0x10_0000;
    private static final int LOCAL_KEY = 0x1234;
    private static final int SGE_BYTES = 4096;

    @Param({ "1", "32" })
    public int requests;

    @Param({ "1", "2" })
    public int sges;

    private SendBatch batch;

    @Setup
    public void setUp() {
        batch = new SendBatch(requests, sges);
    }

    @Benchmark
    public SendBatch fillSends() {
        batch.clear();
        for (int request = 0; request < requests; request++) {
            batch.send(request);
            for (int sge = 0; sge < sges; sge++) {
                batch.sge(ADDRESS, SGE_BYTES, LOCAL_KEY);
            }
        }
        return batch.signaled();
    }
}
