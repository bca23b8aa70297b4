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
import io.nettyrdma.metrics.RdmaCounters;

import java.util.function.LongSupplier;

/**
 * Decides when to poll and when to wait, and how often to check what is not polled. Arithmetic only.
 *
 * <pre>
 *   work            selectDue       selectDue        spin is over
 *     |--- poll poll ... poll --- poll poll ... poll ---|  arm, wait
 *     |&lt;------------------- spin ----------------------&gt;|
 * </pre>
 *
 * Reading the clock takes as long as an empty poll. So only one in {@value #EMPTY_POLLS_PER_CLOCK} empty polls reads
 * it, and the time of the next scheduled task is read once per wait.
 */
final class PollPolicy {

    /** What a loop does after an empty poll. */
    enum Next { POLL, YIELD, SELECT, SLEEP, RUN_TASKS }

    /** For polls that find something and so take longer. */
    private static final int POLLS_PER_CLOCK = 4;
    static final int EMPTY_POLLS_PER_CLOCK = 8;

    /**
     * About the cost of a sleep and a wakeup. Polling for as long takes at most twice the time of the better choice of
     * the two, whatever comes. Decision 24 has the measurements.
     */
    private static final long EVENT_SPIN_NANOS = 10_000;

    private final PollMode mode;
    private final long spinNanos;
    private final int pollsPerSelect;
    private final long selectNanos;
    private final LongSupplier clock;
    private final YieldPolicy yields;
    private final LoopActivity activity;

    /** The length of the present spin. */
    private long budgetNanos;
    private boolean idle;
    private long idleSince;
    private int polls;
    private long lastLook;
    private long lastSelect;

    /** The wait's beginning, and the time from then until the next scheduled task is due. */
    private long waitingSince;
    private long taskDelayNanos;

    /**
     * @param loops those that share the processors with this one.
     * @param clock nanoseconds that never go back.
     * @param counters get the polls and the times.
     */
    PollPolicy(RdmaIoHandlerConfig config, PollingLoops loops, LongSupplier clock, RdmaCounters counters) {
        mode = config.mode();
        long configured = config.spin().toNanos();
        spinNanos = mode == PollMode.EVENT ? Math.min(configured, EVENT_SPIN_NANOS) : configured;
        budgetNanos = spinNanos;
        pollsPerSelect = config.pollsPerSelect();
        selectNanos = config.selectInterval().toNanos();
        this.clock = clock;
        yields = new YieldPolicy(() -> mode != PollMode.BUSY && loops.areMoreThanProcessors());
        lastSelect = clock.getAsLong();
        activity = new LoopActivity(counters, lastSelect);
    }

    /** What the loop does, to be counted. */
    LoopActivity activity() {
        return activity;
    }

    /** There will be something to do: the spin restarts. */
    void worked() {
        worked(spinNanos);
    }

    /** There was something to do: the spin restarts, for as long as the handles that got something want. */
    void worked(long nanos) {
        idle = false;
        budgetNanos = mode == PollMode.EVENT ? Math.min(nanos, spinNanos) : nanos;
    }

    /**
     * Begins a wait: nothing was found, and no task is ready. The time of the next scheduled task stays valid during
     * the wait: the loop's thread schedules none while it waits, and other threads wake the loop when they schedule
     * one.
     */
    Next beginWait(IoHandlerContext context) {
        waitingSince = clock.getAsLong();
        activity.idles(waitingSince);
        taskDelayNanos = context.delayNanos(waitingSince);
        if (!idle) {
            idle = true;
            idleSince = waitingSince;
        }
        return isSpinOver(waitingSince) ? Next.SLEEP : Next.POLL;
    }

    /** Counts an empty poll. */
    Next afterEmptyPoll() {
        polls++;
        if (polls >= pollsPerSelect) {
            lastLook = clock.getAsLong();
            activity.looks(lastLook);
            return Next.SELECT;
        }
        return polls % EMPTY_POLLS_PER_CLOCK == 0 ? nextAt(clock.getAsLong()) : Next.POLL;
    }

    private Next nextAt(long now) {
        lastLook = now;
        activity.looks(now);
        if (now - waitingSince >= taskDelayNanos) {
            return Next.RUN_TASKS;
        }
        if (isSpinOver(now)) {
            return Next.SLEEP;
        }
        if (now - lastSelect >= selectNanos) {
            return Next.SELECT;
        }
        return yields.isDueAtLook() ? Next.YIELD : Next.POLL;
    }

    private boolean isSpinOver(long now) {
        return (mode != PollMode.BUSY || yields.isDisplaced(now)) && now - idleSince >= yields.spin(budgetNanos, now);
    }

    /** Whether other threads may have the processor before the select that is due. */
    boolean isYieldDueBeforeSelect() {
        return yields.isDueBeforeSelect(lastLook);
    }

    /** The loop has yielded since it last looked at the clock. */
    void yielded() {
        idleSince += yields.yielded(lastLook, clock.getAsLong());
    }

    /** Counts a poll that found something. Returns whether a select is due. */
    boolean isSelectDue() {
        polls++;
        return polls >= pollsPerSelect
                || polls % POLLS_PER_CLOCK == 0 && clock.getAsLong() - lastSelect >= selectNanos;
    }

    /** @param worked whether there was something to do. */
    void selected(boolean worked) {
        polls = 0;
        lastSelect = clock.getAsLong();
        activity.selected(lastSelect, worked);
    }

    /** The loop is about to sleep. */
    void sleeps() {
        activity.sleeps(clock.getAsLong());
    }

    /** The loop is awake. What has happened meanwhile is handled next. */
    void wakes() {
        activity.wakes();
        activity.slept(clock.getAsLong());
    }

    /** A sleep is over, and with it a select. */
    void endSleep() {
        if (activity.isAsleep()) {
            wakes();
        }
        selected(true);
    }
}
