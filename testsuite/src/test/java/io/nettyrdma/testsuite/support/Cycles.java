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
package io.nettyrdma.testsuite.support;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A thousand times the same leaves nothing behind: no descriptor, no object of the device, no memory.
 *
 * <pre>
 *   200 cycles            400 cycles            400 cycles
 *   warm-up          |    first round      |    second round      |
 *                  before                middle                 after
 * </pre>
 *
 * A leak makes every round grow; the JVM, which compiles code when it likes, hardly does so in both. So the round that
 * grew less must have grown by less than {@link #MAX_GROWTH}. The heap must be in RAM from the beginning
 * ({@code -XX:+AlwaysPreTouch}), or each round may be the first to reach some of its pages.
 */
public final class Cycles {

    private static final int WARM_UP = 200;
    private static final int ROUND = 400;
    /** Bytes of RAM, 10 KiB for each cycle: a queue that leaks is more than that. */
    private static final long MAX_GROWTH = 4L << 20;

    private Cycles() {
    }

    public static void assertLeaveNothingBehind(String what, Callable<?> cycle) throws Exception {
        long start = System.nanoTime();
        repeat(WARM_UP, cycle);
        ProcessResources before = resources();
        repeat(ROUND, cycle);
        ProcessResources middle = resources();
        repeat(ROUND, cycle);
        ProcessResources after = resources();
        System.out.printf("%d %s in %d ms: %s, then %s, then %s%n", WARM_UP + 2 * ROUND, what,
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start), before, middle, after);
        assertThat(after.descriptors()).isEqualTo(before.descriptors());
        assertThat(after.deviceObjects()).isEqualTo(before.deviceObjects());
        long first = middle.residentBytes() - before.residentBytes();
        long second = after.residentBytes() - middle.residentBytes();
        assertThat(Math.min(first, second)).as("growth in bytes of the better of two rounds, %d and %d", first, second)
                .isLessThan(MAX_GROWTH);
    }

    private static void repeat(int count, Callable<?> cycle) throws Exception {
        for (int i = 0; i < count; i++) {
            cycle.call();
        }
    }

    private static ProcessResources resources() throws Exception {
        System.gc();
        return ProcessResources.now(TestDevice.get().device());
    }
}
