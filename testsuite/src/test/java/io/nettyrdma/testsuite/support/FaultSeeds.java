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

import java.util.Random;

/**
 * Repeats a test of one fault, each time with another seed and with no state from the round before. The system property
 * {@code io.nettyrdma.testsuite.faultSeeds} sets the number of rounds. A failure reports its seed, and {@code
 * io.nettyrdma.testsuite.faultSeed} repeats that round.
 */
public final class FaultSeeds {

    private static final String ONLY = "io.nettyrdma.testsuite.faultSeed";
    private static final Integer SEED = Integer.getInteger(ONLY);
    private static final int FEW = 5;
    private static final int COUNT =
            Rounds.areMany() ? Integer.getInteger("io.nettyrdma.testsuite.faultSeeds", FEW) : 1;

    private FaultSeeds() {
    }

    /** One round with one seed. */
    @FunctionalInterface
    public interface Round {
        void run(int seed) throws Exception;
    }

    public static void each(String kind, Round round) {
        long start = System.nanoTime();
        int[] seeds = SEED != null ? new int[] { SEED } : new Random(Seeds.newRandom().nextLong() ^ kind.hashCode())
                .ints(COUNT, 1, Integer.MAX_VALUE).toArray();
        for (int seed : seeds) {
            try {
                round.run(seed);
            } catch (Exception | AssertionError e) {
                throw new AssertionError(kind + ", again with -D" + ONLY + '=' + seed + ": " + e.getMessage(), e);
            }
        }
        System.out.printf("%s: %d seeds in %d ms%n", kind, seeds.length, (System.nanoTime() - start) / 1_000_000);
    }
}
