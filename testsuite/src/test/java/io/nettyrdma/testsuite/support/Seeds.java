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

/** Random numbers that a failed run can reproduce: one seed, which is printed or set by a system property. */
public final class Seeds {

    private static final String PROPERTY = "io.nettyrdma.testsuite.seed";
    /** Neighbouring seeds produce similar first numbers, so seeds are spread. */
    private static final long SPREAD = 0x9e3779b97f4a7c15L;
    /** The same in every run that is given none: a landing does not depend on luck. */
    private static final long SEED = Long.getLong(PROPERTY, 1);

    static {
        System.out.println("random numbers: -D" + PROPERTY + '=' + SEED);
    }

    private Seeds() {
    }

    /** Yields the same numbers in every test. */
    public static Random newRandom() {
        return new Random(SEED);
    }

    /** Yields other numbers for each thread, connection and so on, and the same ones in every test. */
    public static Random newRandom(int which) {
        return new Random(SEED + which * SPREAD);
    }
}
