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

/**
 * The loop's context for {@link LoopWaiter} and for epoll's handler. Neither may wait after a wakeup, even if there is
 * no task. Epoll's handler by itself relies on tasks, because it checks nothing else before it sleeps:
 *
 * <pre>
 *   another thread                       the loop
 *   --------------                       --------
 *                                        polls
 *   wakeUp: woken
 *           not asleep, no eventfd
 *                                        epoll's handler: is asleep from now on
 *                                        canBlock: woken, so it does not wait
 * </pre>
 *
 * Either the loop sees {@code woken}, or the other thread sees it asleep and writes to the eventfd.
 */
final class LoopContext implements IoHandlerContext {

    private IoHandlerContext context;
    private boolean mayBlock;
    /** The longest time to wait in this round. */
    private long mostNanos = Long.MAX_VALUE;
    private volatile boolean woken;
    private boolean knowsActiveIoTime = true;
    /** What to call when the present wait is over; null when nothing waits. */
    private Runnable afterWait;

    /** Begins a round of the loop. */
    void begin(IoHandlerContext newContext, boolean mayBlockInThisRound) {
        context = newContext;
        mayBlock = mayBlockInThisRound;
        mostNanos = Long.MAX_VALUE;
    }

    /**
     * Ends the round, and with it the effect of earlier calls of {@link #wakeUp}: they make the loop check its state,
     * which happens next.
     */
    void end() {
        if (woken) {
            woken = false;
        }
    }

    /** Prevents waiting for the rest of this round. */
    void mayNotBlock() {
        mayBlock = false;
    }

    /** Limits each wait in the rest of this round. */
    void mayBlockAtMost(long nanos) {
        mostNanos = nanos;
    }

    /** Any thread. */
    void wakeUp() {
        if (!woken) {
            woken = true;
        }
    }

    /**
     * Whether the loop was woken in this round. Unlike {@link #canBlock} this reads no clock: a task from another
     * thread wakes the loop.
     */
    boolean isWoken() {
        return woken;
    }

    @Override
    public boolean canBlock() {
        return mayBlock && !woken && context.canBlock();
    }

    @Override
    public long delayNanos(long currentTimeNanos) {
        return Math.min(mostNanos, context.delayNanos(currentTimeNanos));
    }

    @Override
    public long deadlineNanos() {
        // Epoll's handler sets its timer if this differs from the last time, to what delayNanos says.
        return mostNanos == Long.MAX_VALUE ? context.deadlineNanos() : System.nanoTime() + mostNanos;
    }

    /**
     * Calls a listener once, when epoll's handler has waited and before it works: it asks then whether to report the
     * time of its work. Netty before 4.2.5 does not ask, so that nothing is called.
     */
    void afterWait(Runnable listener) {
        afterWait = listener;
    }

    @Override
    public void reportActiveIoTime(long activeNanos) {
        context.reportActiveIoTime(activeNanos);
    }

    @Override
    public boolean shouldReportActiveIoTime() {
        Runnable listener = afterWait;
        if (listener != null) {
            afterWait = null;
            listener.run();
        }
        // A loop that ends before its first round has no context.
        return knowsActiveIoTime && context != null && askWhetherToReport();
    }

    private boolean askWhetherToReport() {
        try {
            return context.shouldReportActiveIoTime();
        } catch (NoSuchMethodError e) {
            // Netty before 4.2.5.
            knowsActiveIoTime = false;
            return false;
        }
    }
}
