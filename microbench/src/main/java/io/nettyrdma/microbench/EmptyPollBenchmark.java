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

import io.nettyrdma.verbs.CompletionQueue;
import io.nettyrdma.verbs.CompletionQueueConfig;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.RdmaDeviceInfo;
import io.nettyrdma.verbs.VerbsException;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

import java.util.List;
import java.util.concurrent.TimeUnit;

/** One poll of an empty completion queue, including the JNI call. Needs a device, and uses the first one. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class EmptyPollBenchmark {

    private static final int ENTRIES = 64;

    @Param({ "true", "false" })
    public boolean extended;

    private RdmaDevice device;
    private CompletionQueue queue;

    @Setup
    public void setUp() throws VerbsException {
        List<RdmaDeviceInfo> devices = RdmaDevice.list();
        if (devices.isEmpty()) {
            throw new IllegalStateException("this benchmark needs an RDMA device; bin/rdma-info says what is missing");
        }
        device = RdmaDevice.open(devices.get(0).name());
        queue = device.createCompletionQueue(new CompletionQueueConfig(ENTRIES).withExtended(extended));
        if (queue.isExtended() != extended) {
            throw new IllegalStateException(device + " has no extended completion queue");
        }
    }

    @TearDown
    public void tearDown() throws VerbsException {
        queue.close();
        device.close();
    }

    @Benchmark
    public int poll() throws VerbsException {
        return queue.poll();
    }
}
