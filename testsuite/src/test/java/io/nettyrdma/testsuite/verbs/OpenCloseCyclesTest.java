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
package io.nettyrdma.testsuite.verbs;

import io.nettyrdma.testsuite.support.ApiVariant;
import io.nettyrdma.testsuite.support.ProcessResources;
import io.nettyrdma.testsuite.support.RcPair;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.testsuite.support.TestMemory;
import io.nettyrdma.verbs.CompletionQueue;
import io.nettyrdma.verbs.CompletionQueueConfig;
import io.nettyrdma.verbs.ProtectionDomain;
import io.nettyrdma.verbs.RdmaDevice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** A thousand times the same leaves nothing behind. */
@Tag("device")
class OpenCloseCyclesTest {

    private static final int CYCLES = 1000;
    /** The first cycles load classes, compile code and grow the heap. */
    private static final int WARM_UP = 200;

    @Test
    void connections() throws Exception {
        repeat("connections", () -> {
            try (RcPair pair = new RcPair(ApiVariant.preferred())) {
                TestMemory source = pair.left().memory(64);
                TestMemory sink = pair.right().memory(64);
                pair.right().receive(1, sink, 0, 64);
                pair.left().send(batch -> batch.send(1).piece(source.region(), 0, 64).signaled());
                pair.right().receives().awaitSuccess();
                pair.left().sends().awaitSuccess();
            }
            return null;
        });
    }

    @Test
    void devices() throws Exception {
        String name = TestDevice.get().device().name();
        repeat("devices", () -> {
            try (RdmaDevice device = RdmaDevice.open(name);
                 ProtectionDomain domain = device.createProtectionDomain();
                 CompletionQueue queue = device.createCompletionQueue(new CompletionQueueConfig(16))) {
                assertThat(domain.isOpen() && queue.isOpen()).isTrue();
            }
            return null;
        });
    }

    private static void repeat(String what, Callable<Void> cycle) throws Exception {
        long start = System.nanoTime();
        for (int i = 0; i < WARM_UP; i++) {
            cycle.call();
        }
        ProcessResources before = resources();
        for (int i = WARM_UP; i < CYCLES; i++) {
            cycle.call();
        }
        ProcessResources after = resources();
        System.out.printf("%d %s in %d ms: %s, before %s%n", CYCLES, what,
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start), after, before);
        assertThat(after.descriptors()).isEqualTo(before.descriptors());
        assertThat(after.deviceObjects()).isEqualTo(before.deviceObjects());
        assertThat(after.residentBytes()).isLessThan(before.residentBytes() + ProcessResources.JVM_GROWTH);
    }

    private static ProcessResources resources() throws Exception {
        System.gc();
        return ProcessResources.now(TestDevice.get().device());
    }
}
