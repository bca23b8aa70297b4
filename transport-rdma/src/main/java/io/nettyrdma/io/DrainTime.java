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
package io.nettyrdma.io;

import java.util.concurrent.TimeUnit;

/**
 * How long the end of a loop waits for handles to close in order, and then for work in flight: a second. A machine that
 * stands still, or has its processors busy with others, keeps the peers' answers for that second too. So the loop also
 * takes a number of turns, which such a machine makes it wait for, within ten seconds.
 */
final class DrainTime {

    static final long USUAL_NANOS = TimeUnit.SECONDS.toNanos(1);
    static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** A turn takes some microseconds on a machine that does nothing else. */
    static final int TURNS = 1_000;

    private final long start = System.nanoTime();
    private int turns;

    /** Call once in each turn. */
    boolean isLeft() {
        turns++;
        return isLeft(System.nanoTime() - start, turns);
    }

    static boolean isLeft(long nanos, int turns) {
        return nanos < USUAL_NANOS || turns < TURNS && nanos < LONGEST_NANOS;
    }
}
