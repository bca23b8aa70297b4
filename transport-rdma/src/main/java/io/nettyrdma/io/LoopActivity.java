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

import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaCounters;

/**
 * Counts the polls of a loop, and how it spends its time. Reads no clock: {@link PollPolicy} passes the times that it
 * reads anyway.
 *
 * <pre>
 *       working      |      spinning      |     working     |   spinning   |   asleep   |
 *   -----------------+-------+-------+----+-----------------+--------------+------------+---
 *                  idles   looks   looks  found           idles          sleeps       wakes
 * </pre>
 *
 * Only one in some empty polls is followed by a reading, so the time at which a poll has found something is estimated
 * from the number of polls since the last one. The next reading corrects the sum of all.
 */
final class LoopActivity {

    private final RdmaCounters counters;
    private long polls;
    private long emptyPolls;
    private long reportedPolls;
    private long reportedEmpty;

    private long workingNanos;
    private long spinningNanos;
    /** The time until which everything is counted, and the empty polls until then. */
    private long counted;
    private long emptyAtCounted;
    /** How long an empty poll takes. */
    private long pollNanos;
    private boolean spinning;
    private boolean asleep;

    LoopActivity(RdmaCounters counters, long now) {
        this.counters = counters;
        counted = now;
    }

    /** @param handled how many handles got something. */
    void polled(int handled) {
        polls++;
        if (handled == 0) {
            emptyPolls++;
        } else if (spinning) {
            found();
        }
    }

    private void found() {
        spinning = false;
        long nanos = (emptyPolls - emptyAtCounted) * pollNanos;
        spinningNanos += nanos;
        counted += nanos;
    }

    /** There is nothing to do: polls follow. */
    void idles(long now) {
        workingNanos += until(now);
        spinning = true;
    }

    /** There is still nothing to do. */
    void looks(long now) {
        long count = emptyPolls - emptyAtCounted;
        long nanos = until(now);
        spinningNanos += nanos;
        if (count > 0) {
            // In one of them the thread may have lost its processor, which is no measure for the next ones.
            pollNanos = Math.min(nanos / count, 2 * pollNanos + 1);
        }
    }

    /**
     * Everything that is not polled was checked.
     *
     * @param worked whether there was something to do.
     */
    void selected(long now, boolean worked) {
        spend(now, spinning && !worked);
        report();
    }

    /** The loop is about to sleep. */
    void sleeps(long now) {
        spend(now, spinning);
        spinning = false;
        report();
        asleep = true;
        counters.sleeps(now);
    }

    boolean isAsleep() {
        return asleep;
    }

    /** Precedes the reading of the clock for {@link #slept}, so that other threads count no time twice. */
    void wakes() {
        asleep = false;
        counters.wakes();
    }

    /** The sleep is over. */
    void slept(long now) {
        counters.slept(until(now));
    }

    private void spend(long now, boolean inSpin) {
        long nanos = until(now);
        if (inSpin) {
            spinningNanos += nanos;
        } else {
            workingNanos += nanos;
        }
    }

    private long until(long now) {
        long nanos = now - counted;
        counted = now;
        emptyAtCounted = emptyPolls;
        if (nanos < 0) {
            // The estimate was too long.
            spinningNanos += nanos;
            return 0;
        }
        return nanos;
    }

    /** Once in many polls. */
    private void report() {
        counters.add(RdmaCounter.POLLS, polls - reportedPolls);
        counters.add(RdmaCounter.EMPTY_POLLS, emptyPolls - reportedEmpty);
        reportedPolls = polls;
        reportedEmpty = emptyPolls;
        counters.add(RdmaCounter.NANOS_WORKING, workingNanos);
        counters.add(RdmaCounter.NANOS_SPINNING, spinningNanos);
        workingNanos = 0;
        spinningNanos = 0;
    }
}
