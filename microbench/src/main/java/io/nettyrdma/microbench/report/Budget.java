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
package io.nettyrdma.microbench.report;

/**
 * The time of a section.
 *
 * @param seconds that its commands should take together.
 * @param rounds of each figure; programs that have rounds begin with one more, which is not counted.
 * @param quick whether sections that take long are left out.
 */
record Budget(double seconds, int rounds, boolean quick) {

    private static final double MILLIS = 1000;
    /** Below, a figure has too few messages; above, a longer run changes little. */
    private static final int LEAST_MILLIS = 40;
    private static final int MOST_MILLIS = 700;

    /**
     * The milliseconds for each figure.
     *
     * @param figures of a round.
     * @param start seconds until the first figure.
     * @param overhead milliseconds of each figure beside its own time: loops and connections that start and end.
     * @param times of its own time that a figure takes, with its warm-up.
     */
    int millis(int figures, double start, double overhead, double times) {
        double each = (seconds - start) * MILLIS / figures / (rounds + 1);
        return (int) Math.max(LEAST_MILLIS, Math.min(MOST_MILLIS, (each - overhead) / times));
    }

    /** How often a command that has no rounds is repeated. */
    int repeats(double secondsEach) {
        return (int) Math.max(quick ? 1 : 2, Math.min(rounds, seconds / secondsEach));
    }
}
