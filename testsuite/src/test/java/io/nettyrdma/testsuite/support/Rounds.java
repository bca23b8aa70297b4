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

/** Scales the number of rounds: fewer on slower machines. */
public final class Rounds {

    private static final double SCALE =
            Double.parseDouble(System.getProperty("io.nettyrdma.testsuite.timeoutScale", "1"));

    /** Two sides wait for each other in a round, so rounds slow down more than either side. */
    private static final double DIVISOR = SCALE > 1 ? 3 * SCALE : 1;

    private Rounds() {
    }

    /** Whether there is time for thousands of rounds. */
    public static boolean areMany() {
        return DIVISOR == 1;
    }

    public static int scaled(int nativeRounds) {
        return Math.max(1, (int) (nativeRounds / DIVISOR));
    }
}
