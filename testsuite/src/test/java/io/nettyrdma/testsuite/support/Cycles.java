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

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Asserts that repeating the same cycle a thousand times leaves nothing behind: no descriptor, no object of the device,
 * no memory. On slow machines a few hundred cycles are run.
 *
 * <pre>
 *   200 cycles            400 cycles            400 cycles                 400 cycles
 *   warm-up          |    first round      |    second round      |  ...  round 10, or so
 *                  before                 after                 after
 * </pre>
 *
 * A leak makes every round grow. JIT compilation happens at any time, but ends eventually. So the test ends
 * successfully as soon as two consecutive rounds together grow by less than {@link #MAX_GROWTH}. The heap must be
 * resident from the beginning ({@code -XX:+AlwaysPreTouch}), or any round may be the first to reach some of its pages.
 */
public final class Cycles {

    private static final int WARM_UP = Rounds.areMany() ? 200 : 100;
    private static final int ROUND = Rounds.areMany() ? 400 : 100;
    private static final int MIN_ROUNDS = 2;
    /** Without a leak, two rounds have been observed to grow by 4 MiB and by 8 MiB. */
    private static final int MORE_ROUNDS = 8;
    /** Bytes of RAM. This is 1.3 or 5 KiB per cycle; a leaked queue takes more. */
    private static final long MAX_GROWTH = 1L << 20;

    private Cycles() {
    }

    public static void assertLeaveNothingBehind(String what, Callable<?> cycle) throws Exception {
        assertLeaveNothingBehind(what, WARM_UP + MIN_ROUNDS * ROUND, cycle);
    }

    /** @param atLeast the minimum number of cycles. */
    public static void assertLeaveNothingBehind(String what, int atLeast, Callable<?> cycle) throws Exception {
        int minRounds = Math.max(MIN_ROUNDS, (atLeast - WARM_UP + ROUND - 1) / ROUND);
        long start = System.nanoTime();
        repeat(WARM_UP, cycle);
        ProcessResources first = resources();
        ProcessResources before = first;
        List<Long> growths = new ArrayList<>();
        do {
            repeat(ROUND, cycle);
            ProcessResources after = resources();
            growths.add(after.residentBytes() - before.residentBytes());
            before = after;
        } while (growths.size() < minRounds
                || growths.size() < minRounds + MORE_ROUNDS && lastTwo(growths) >= MAX_GROWTH);
        System.out.printf("%d %s in %d ms: %s, then %s; each %d grew by %s bytes%n", WARM_UP + growths.size() * ROUND,
                what, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start), first, before, ROUND, growths);
        ProcessResources.awaitNoMoreThan(first);
        assertThat(lastTwo(growths)).as("bytes by which the last two of %s grew", growths).isLessThan(MAX_GROWTH);
    }

    /** One round may be off by half: event loops that come and go free in one round what they took in another. */
    private static long lastTwo(List<Long> growths) {
        int last = growths.size() - 1;
        return growths.get(last - 1) + growths.get(last);
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
