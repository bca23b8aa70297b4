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

import io.netty.channel.IoHandlerContext;
import io.nettyrdma.io.PollPolicy.Next;
import io.nettyrdma.metrics.RdmaCounters;
import org.junit.jupiter.api.Test;

import java.time.Duration;

import static org.assertj.core.api.Assertions.assertThat;

class PollPolicyTest {

    private static final long SPIN = 50_000;
    private static final long EVENT_SPIN = 10_000;
    private static final long SELECT = 100_000;
    private static final long DISPLACED = 5_000_000;
    private static final long SHARED = 6_000;
    private static final int POLLS = 16;

    /** Up to this many empty polls may pass between two reads of the clock. */
    private static final int EMPTY_POLLS_PER_CLOCK = 8;

    private long now = Long.MAX_VALUE - 10_000;
    private int clockReads;
    private long taskDelay = Long.MAX_VALUE;
    private final PollingLoops loops = new PollingLoops(1);
    private final RdmaCounters counters = new RdmaCounters();

    private final IoHandlerContext context = new IoHandlerContext() {
        @Override
        public boolean canBlock() {
            throw new AssertionError("reads the clock of the loop");
        }

        @Override
        public long delayNanos(long currentTimeNanos) {
            assertThat(currentTimeNanos).isEqualTo(now);
            return taskDelay;
        }

        @Override
        public long deadlineNanos() {
            throw new AssertionError("reads the clock of the loop");
        }
    };

    private PollPolicy policy(PollMode mode) {
        return new PollPolicy(RdmaIoHandlerConfig.DEFAULT.withMode(mode).withSpin(Duration.ofNanos(SPIN))
                .withSelect(POLLS, Duration.ofNanos(SELECT)), loops, this::clock, counters);
    }

    private long clock() {
        clockReads++;
        return now;
    }

    /** The policy's decision once it has read the clock again. */
    private static Next atNextClock(PollPolicy policy) {
        Next next = Next.POLL;
        for (int i = 0; i < EMPTY_POLLS_PER_CLOCK && next == Next.POLL; i++) {
            next = policy.afterEmptyPoll();
        }
        return next;
    }

    @Test
    void anAdaptiveLoopSpinsForItsBudgetOnceItIsIdle() {
        PollPolicy policy = policy(PollMode.ADAPTIVE);
        assertThat(policy.beginWait(context)).isEqualTo(Next.POLL);
        now += SPIN - 1;
        assertThat(policy.beginWait(context)).isEqualTo(Next.POLL);
        now += 1;
        assertThat(policy.beginWait(context)).isEqualTo(Next.SLEEP);
        now += 1_000_000;
        assertThat(policy.beginWait(context)).isEqualTo(Next.SLEEP);
    }

    @Test
    void budgetCanEndDuringAWait() {
        PollPolicy policy = policy(PollMode.ADAPTIVE);
        policy.beginWait(context);
        now += SPIN - 1;
        assertThat(atNextClock(policy)).isEqualTo(Next.POLL);
        policy.selected(false);
        now += 1;
        assertThat(atNextClock(policy)).isEqualTo(Next.SLEEP);
    }

    /** The budget starts at the first read of the clock after the work, not at the work. */
    @Test
    void workRestartsTheSpin() {
        PollPolicy policy = policy(PollMode.ADAPTIVE);
        policy.beginWait(context);
        now += SPIN;
        policy.worked();
        now += 1_000_000;
        assertThat(policy.beginWait(context)).isEqualTo(Next.POLL);
        now += SPIN;
        assertThat(policy.beginWait(context)).isEqualTo(Next.SLEEP);
    }

    @Test
    void busyLoopSpinsWithoutLimit() {
        PollPolicy policy = policy(PollMode.BUSY);
        for (int i = 0; i < 1000; i++) {
            now += SPIN;
            assertThat(policy.beginWait(context)).isEqualTo(Next.POLL);
        }
    }

    @Test
    void anEventLoopSpinsNoLongerThanASleepCosts() {
        PollPolicy policy = policy(PollMode.EVENT);
        policy.worked();
        assertThat(policy.beginWait(context)).isEqualTo(Next.POLL);
        now += EVENT_SPIN;
        assertThat(policy.beginWait(context)).isEqualTo(Next.SLEEP);
        policy.worked(SPIN);
        policy.beginWait(context);
        now += EVENT_SPIN;
        assertThat(policy.beginWait(context)).as("a handle that asks for more").isEqualTo(Next.SLEEP);
    }

    @Test
    void anEventLoopWithoutBudgetDoesNotSpin() {
        PollPolicy policy = new PollPolicy(RdmaIoHandlerConfig.DEFAULT.withMode(PollMode.EVENT)
                .withSpin(Duration.ZERO), loops, this::clock, counters);
        policy.worked();
        assertThat(policy.beginWait(context)).isEqualTo(Next.SLEEP);
    }

    /** The others may have work, and get a processor only when this loop gives it away. */
    @Test
    void loopThatSharesAProcessorWithMoreLoopsSleepsAtOnceUnlessItIsBusy() {
        loops.added();
        for (PollMode mode : PollMode.values()) {
            PollPolicy policy = policy(mode);
            yieldsToAnotherLoop(policy);
            assertThat(policy.beginWait(context)).as("as many loops as processors, %s", mode).isEqualTo(Next.POLL);
            loops.added();
            yieldsToAnotherLoop(policy);
            assertThat(policy.beginWait(context)).as("more loops, %s", mode)
                    .isEqualTo(mode == PollMode.BUSY ? Next.POLL : Next.SLEEP);
            loops.removed();
        }
    }

    private void yieldsToAnotherLoop(PollPolicy policy) {
        policy.beginWait(context);
        atNextClock(policy);
        policy.selected(false);
        now += SHARED;
        policy.yielded();
        policy.worked();
    }

    /** The handle that had work sets the time to spin for more. A wakeup changes nothing. */
    @Test
    void workSetsTheBudgetOfTheNextSpin() {
        PollPolicy policy = policy(PollMode.ADAPTIVE);
        policy.worked(2 * SPIN);
        policy.beginWait(context);
        now += 2 * SPIN - 1;
        assertThat(policy.beginWait(context)).isEqualTo(Next.POLL);
        now += 1;
        assertThat(policy.beginWait(context)).isEqualTo(Next.SLEEP);
        policy.worked(0);
        assertThat(policy.beginWait(context)).isEqualTo(Next.SLEEP);
        policy.worked();
        assertThat(policy.beginWait(context)).isEqualTo(Next.POLL);
    }

    @Test
    void adaptiveLoopWithoutBudgetDoesNotSpin() {
        PollPolicy policy = new PollPolicy(RdmaIoHandlerConfig.DEFAULT.withSpin(Duration.ZERO), loops, () -> now,
                counters);
        policy.worked();
        assertThat(policy.beginWait(context)).isEqualTo(Next.SLEEP);
    }

    @Test
    void dueTaskEndsTheWaitAtTheNextClockReading() {
        for (PollMode mode : new PollMode[] { PollMode.ADAPTIVE, PollMode.BUSY }) {
            PollPolicy policy = policy(mode);
            taskDelay = SPIN / 2;
            policy.beginWait(context);
            now += taskDelay - 1;
            assertThat(atNextClock(policy)).isEqualTo(Next.POLL);
            policy.selected(false);
            now += 1;
            assertThat(atNextClock(policy)).isEqualTo(Next.RUN_TASKS);
        }
    }

    @Test
    void oneInEightEmptyPollsReadsTheClock() {
        PollPolicy policy = policy(PollMode.BUSY);
        policy.beginWait(context);
        clockReads = 0;
        for (int i = 1; i < POLLS; i++) {
            assertThat(policy.afterEmptyPoll()).isEqualTo(Next.POLL);
            assertThat(clockReads).isEqualTo(i / EMPTY_POLLS_PER_CLOCK);
        }
        assertThat(policy.afterEmptyPoll()).isEqualTo(Next.SELECT);
    }

    @Test
    void selectIsDueAfterItsInterval() {
        PollPolicy policy = policy(PollMode.BUSY);
        policy.beginWait(context);
        now += SELECT - 1;
        assertThat(atNextClock(policy)).isEqualTo(Next.POLL);
        policy.worked();
        now += 1;
        int polls = 1;
        while (policy.afterEmptyPoll() == Next.POLL) {
            polls++;
        }
        assertThat(polls).isLessThanOrEqualTo(EMPTY_POLLS_PER_CLOCK);
    }

    @Test
    void selectIsDueAfterPollsPerSelect() {
        PollPolicy policy = policy(PollMode.BUSY);
        for (int round = 0; round < 3; round++) {
            for (int i = 1; i < POLLS; i++) {
                assertThat(policy.isSelectDue()).as("poll %d", i).isFalse();
            }
            assertThat(policy.isSelectDue()).isTrue();
            policy.selected(false);
        }
    }

    /** Polls that find much work take long, so the clock is read at intervals. */
    @Test
    void selectIsDueAfterItsIntervalWithFewPolls() {
        PollPolicy policy = policy(PollMode.BUSY);
        now += SELECT;
        int polls = 1;
        while (!policy.isSelectDue()) {
            polls++;
        }
        assertThat(polls).isLessThanOrEqualTo(4);
        policy.selected(false);
        now += SELECT - 1;
        for (int i = 0; i < 4; i++) {
            assertThat(policy.isSelectDue()).isFalse();
        }
        now += 1;
        polls = 1;
        while (!policy.isSelectDue()) {
            polls++;
        }
        assertThat(polls).isLessThanOrEqualTo(4);
    }

    /** Until the select, because other things may come first. */
    @Test
    void selectStaysDue() {
        PollPolicy policy = policy(PollMode.ADAPTIVE);
        for (int i = 0; i < POLLS; i++) {
            policy.isSelectDue();
        }
        assertThat(policy.isSelectDue()).isTrue();
    }

    /** Two threads that poll take turns: each yields whenever it looks at the clock, and its spin is its own time. */
    @Test
    void timeOfOtherPollingThreadsDoesNotCountAsSpin() {
        PollPolicy policy = policy(PollMode.ADAPTIVE);
        policy.beginWait(context);
        while (policy.afterEmptyPoll() != Next.SELECT) {
            now += 100;
        }
        assertThat(policy.isYieldDueBeforeSelect()).isTrue();
        now += 20 * SPIN - 1;
        policy.yielded();
        policy.selected(false);
        assertThat(atNextClock(policy)).isEqualTo(Next.YIELD);
        now += 1;
        policy.yielded();
        policy.selected(false);
        now += SPIN;
        assertThat(atNextClock(policy)).isEqualTo(Next.SLEEP);
    }

    /** Threads that compute do not give the processor back soon. The loop sleeps instead, and is woken at once. */
    @Test
    void spinIsShortAmongComputingThreads() {
        for (PollMode mode : new PollMode[] { PollMode.ADAPTIVE, PollMode.BUSY }) {
            PollPolicy policy = policy(mode);
            yieldsToComputingThreads(policy);
            policy.worked();
            policy.beginWait(context);
            now += SPIN / 8 - 1;
            assertThat(atNextClock(policy)).isEqualTo(Next.POLL);
            policy.selected(false);
            now += 1;
            assertThat(atNextClock(policy)).isEqualTo(Next.SLEEP);
        }
    }

    @Test
    void busyLoopSpinsAgainWhenComputingThreadsHadTheirTime() {
        PollPolicy policy = policy(PollMode.BUSY);
        yieldsToComputingThreads(policy);
        now += DISPLACED - 1;
        assertThat(policy.beginWait(context)).isEqualTo(Next.SLEEP);
        now += 1;
        assertThat(policy.beginWait(context)).isEqualTo(Next.POLL);
    }

    /** The last yield ends now. */
    private void yieldsToComputingThreads(PollPolicy policy) {
        for (int i = 0; i < 2; i++) {
            policy.worked();
            policy.beginWait(context);
            while (policy.afterEmptyPoll() != Next.SELECT) {
                now += 100;
            }
            assertThat(policy.isYieldDueBeforeSelect()).isTrue();
            now += 4_000_000;
            policy.yielded();
            policy.selected(false);
        }
    }
}
