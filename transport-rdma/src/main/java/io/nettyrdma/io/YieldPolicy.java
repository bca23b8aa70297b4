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

import java.util.function.BooleanSupplier;

/**
 * Decides when a loop that polls gives its processor to other threads. They may wait for the loop, or the loop for
 * them; the duration of a yield distinguishes the two. Arithmetic only.
 *
 * <pre>
 *   a yield takes                     then
 *     less than 5 us   no thread waited for the processor
 *     less than 1 ms   threads ran that poll and yield as this one does
 *     more             a thread ran that computes, until the end of its time slice
 *
 *            5 us to 1 ms, or the first of 1 ms and more
 *          .--------------------------------------------.
 *          |                                            v
 *        ALONE: yields before each select            SHARED: yields at each look at the clock
 *          ^  ^                                         |  |
 *          |  '-----------------------------------------'  |  two of 1 ms and more, few others between
 *          |            less than 5 us                     v
 *          '---------------------------------------- DISPLACED: does not yield, and spins shortly before it
 *                      after 5 to 80 ms                       sleeps, also if it is busy
 * </pre>
 *
 * In place of SHARED comes, if there are more loops than processors and this one is not busy,
 *
 * <pre>
 *        CROWDED: does not yield, and sleeps at once; after 100 ms as SHARED, until the next yield
 * </pre>
 *
 * A thread that sleeps gets a processor at once when it is woken, also from one that computes. One that has yielded
 * gets it when the time slice of the other ends, after some 4 ms. Loops that all sleep, or all yield, do well; a loop
 * that yields among loops that sleep comes last.
 */
final class YieldPolicy {

    private enum State { ALONE, SHARED, CROWDED, DISPLACED }

    private static final long SHARED_NANOS = 5_000;
    private static final long COMPUTED_NANOS = 1_000_000;

    /** How long a loop is displaced: at first, and at most. It doubles from time to time. */
    private static final long FIRST_DISPLACED_NANOS = 5_000_000;
    private static final long LAST_DISPLACED_NANOS = 80_000_000;
    /** Which part of its spin a displaced loop has. */
    private static final int DISPLACED_SPIN = 8;

    /** So long that the yields which end it are few among the sleeps. */
    private static final long CROWDED_NANOS = 100_000_000;

    /** A yield of 1 ms and more weighs as much as four others. */
    private static final int WEIGHT = 4;

    private final BooleanSupplier crowded;
    private State state = State.ALONE;
    private int computed;
    private long displacedNanos = FIRST_DISPLACED_NANOS;
    private long displacedUntil;
    private long crowdedUntil;

    /** @param crowded whether there are more loops than processors, and this one may sleep. */
    YieldPolicy(BooleanSupplier crowded) {
        this.crowded = crowded;
    }

    /** Whether a look at the clock is time to yield. */
    boolean isDueAtLook() {
        return state == State.SHARED || state == State.CROWDED;
    }

    boolean isDueBeforeSelect(long now) {
        return !isDisplaced(now);
    }

    /** For how long a loop spins that would spin for the given nanoseconds. */
    long spin(long nanos, long now) {
        if (state == State.CROWDED && now - crowdedUntil < 0) {
            return 0;
        }
        return isDisplaced(now) ? nanos / DISPLACED_SPIN : nanos;
    }

    /** Whether threads that compute share the processor: it is better to sleep than to yield. */
    boolean isDisplaced(long now) {
        return state == State.DISPLACED && now - displacedUntil < 0;
    }

    /**
     * The loop has yielded.
     *
     * @return nanoseconds for which threads that poll have run: they are no part of its spin.
     */
    long yielded(long before, long now) {
        long yieldNanos = now - before;
        if (yieldNanos >= COMPUTED_NANOS) {
            foundComputing(now);
            return 0;
        }
        if (computed > 0) {
            computed--;
        } else {
            displacedNanos = FIRST_DISPLACED_NANOS;
        }
        if (yieldNanos < SHARED_NANOS) {
            state = State.ALONE;
            return 0;
        }
        share(now);
        return yieldNanos;
    }

    private void share(long now) {
        if (crowded.getAsBoolean()) {
            state = State.CROWDED;
            crowdedUntil = now + CROWDED_NANOS;
        } else {
            state = State.SHARED;
        }
    }

    private void foundComputing(long now) {
        computed += WEIGHT;
        if (computed < 2 * WEIGHT) {
            // Once may be chance: yield soon again to know.
            share(now);
            return;
        }
        computed = WEIGHT;
        state = State.DISPLACED;
        displacedUntil = now + displacedNanos;
        displacedNanos = Math.min(2 * displacedNanos, LAST_DISPLACED_NANOS);
    }
}
