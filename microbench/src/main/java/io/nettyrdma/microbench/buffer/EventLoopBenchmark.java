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

import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;

import java.util.concurrent.TimeUnit;

/**
 * A benchmark whose threads are event loops. Netty's allocators keep caches and magazines only for these, so on JMH's
 * own threads they would show their worst case. Leak detection is off, because it costs all allocators the same.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(jvmArgsAppend = {
        "-Djmh.executor=CUSTOM",
        "-Djmh.executor.class=io.nettyrdma.microbench.buffer.EventLoopBenchmark$EventLoops",
        "-Dio.netty.leakDetection.level=disabled"
})
public abstract class EventLoopBenchmark {

    /** Created by JMH with this constructor. Assigns tasks to the loops in turn. */
    public static final class EventLoops extends DefaultEventExecutorGroup {

        public EventLoops(int threads, String prefix) {
            super(threads, new DefaultThreadFactory(prefix));
        }
    }
}
