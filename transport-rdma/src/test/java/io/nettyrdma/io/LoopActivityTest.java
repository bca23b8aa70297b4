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
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** All time is working, spinning or asleep, and a poll that finds something ends a spin. */
class LoopActivityTest {

    private static final long BEGIN = Long.MAX_VALUE - 500;
    private static final int POLLS = 8;
    private static final int POLL_NANOS = 10;

    private final RdmaCounters counters = new RdmaCounters();
    private final LoopActivity activity = new LoopActivity(counters, BEGIN);

    private long value(RdmaCounter counter) {
        return counters.get(counter);
    }

    private void poll(int count, int handled) {
        for (int i = 0; i < count; i++) {
            activity.polled(handled);
        }
    }

    /** The loop learns from some spins how long a poll takes: its estimate doubles at most. */
    private long learn(long now) {
        long time = now;
        for (int i = 0; i < POLLS; i++) {
            poll(POLLS, 0);
            time += POLLS * POLL_NANOS;
            activity.looks(time);
        }
        return time;
    }

    @Test
    void pollsAreCountedAtTheNextSelect() {
        poll(5, 0);
        poll(2, 1);
        assertThat(value(RdmaCounter.POLLS)).isZero();
        activity.selected(BEGIN, false);
        assertThat(value(RdmaCounter.POLLS)).isEqualTo(7);
        assertThat(value(RdmaCounter.EMPTY_POLLS)).isEqualTo(5);
    }

    @Test
    void timeUntilALoopIsIdleIsWork() {
        activity.idles(BEGIN + 100);
        activity.selected(BEGIN + 130, false);
        assertThat(value(RdmaCounter.NANOS_WORKING)).isEqualTo(100);
        assertThat(value(RdmaCounter.NANOS_SPINNING)).isEqualTo(30);
    }

    @Test
    void timeSinceTheLastReadingOfASpinIsEstimatedFromItsPolls() {
        activity.idles(BEGIN + 100);
        long now = learn(BEGIN + 100);
        poll(3, 0);
        poll(1, 1);
        activity.idles(now + 200);
        activity.selected(now + 200, false);
        assertThat(value(RdmaCounter.NANOS_SPINNING)).isEqualTo(POLLS * POLLS * POLL_NANOS + 3 * POLL_NANOS);
        assertThat(value(RdmaCounter.NANOS_WORKING)).isEqualTo(100 + 200 - 3 * POLL_NANOS);
    }

    @Test
    void estimateThatIsTooLongIsCorrectedByTheNextReading() {
        activity.idles(BEGIN);
        long now = learn(BEGIN);
        poll(POLLS - 1, 0);
        poll(1, 1);
        activity.idles(now + 5);
        activity.selected(now + 5, false);
        assertThat(value(RdmaCounter.NANOS_SPINNING) + value(RdmaCounter.NANOS_WORKING)).isEqualTo(now + 5 - BEGIN);
        activity.idles(now + 1000);
        activity.selected(now + 1000, false);
        assertThat(value(RdmaCounter.NANOS_SPINNING) + value(RdmaCounter.NANOS_WORKING)).isEqualTo(now + 1000 - BEGIN);
    }

    @Test
    void selectThatFindsSomethingIsWork() {
        activity.idles(BEGIN);
        activity.looks(BEGIN + 10);
        activity.selected(BEGIN + 50, true);
        assertThat(value(RdmaCounter.NANOS_SPINNING)).isEqualTo(10);
        assertThat(value(RdmaCounter.NANOS_WORKING)).isEqualTo(40);
    }

    /** These times are past, so that a reader who takes the loop for asleep sees far more. */
    @Test
    void timeAfterAWaitIsWork() {
        long begin = System.nanoTime() - 1_000_000_000;
        RdmaCounters past = new RdmaCounters();
        LoopActivity sleeper = new LoopActivity(past, begin);
        sleeper.idles(begin);
        sleeper.sleeps(begin + 10);
        assertThat(sleeper.isAsleep()).isTrue();
        sleeper.wakes();
        sleeper.slept(begin + 80);
        assertThat(sleeper.isAsleep()).isFalse();
        assertThat(past.get(RdmaCounter.NANOS_SPINNING)).isEqualTo(10);
        assertThat(past.get(RdmaCounter.NANOS_ASLEEP)).isEqualTo(70);
        sleeper.selected(begin + 110, true);
        assertThat(past.get(RdmaCounter.NANOS_WORKING)).isEqualTo(30);
        assertThat(past.get(RdmaCounter.NANOS_ASLEEP)).isEqualTo(70);
    }
}
