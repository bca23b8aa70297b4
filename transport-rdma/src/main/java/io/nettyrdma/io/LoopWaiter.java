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

import io.netty.channel.IoHandler;

/**
 * Waits while a loop has nothing to do: polls for a while, then sleeps until a descriptor wakes it. A completion makes
 * a descriptor readable only if it arrives after its queue was armed:
 *
 * <pre>
 *   the device                    the loop
 *   ----------                    --------
 *                                 poll: nothing
 *   completion 1, no event
 *                                 arm
 *   completion 2, event
 *                                 poll: 1 and 2, does not sleep; the event stays for the next time
 *                                 ... poll: nothing
 *                                 arm
 *                                 poll: nothing
 *                                 sleep
 *   completion 3, event --------&gt; wakes
 * </pre>
 *
 * For tasks of other threads see {@link LoopContext}.
 */
final class LoopWaiter {

    /**
     * How long a loop sleeps at a time if its completions cannot wake it. The first datagram after a pause is late by
     * no more than that. An idle loop needs a tenth of a processor then: docs/benchmarks.md.
     */
    private static final long NAP_NANOS = 100_000;

    private final IoHandler epoll;
    private final Completions poller;
    private final PollPolicy policy;
    private final Runnable wakes;

    LoopWaiter(IoHandler epoll, Completions poller, PollPolicy policy) {
        this.epoll = epoll;
        this.poller = poller;
        this.policy = policy;
        wakes = policy::wakes;
    }

    /**
     * Waits until there is something to do or there are tasks. May return earlier, and is then called again.
     *
     * @param mayPoll whether there is something to poll for.
     * @return the number of handles that got something.
     */
    int await(LoopContext context, boolean mayPoll) {
        PollPolicy.Next next = mayPoll ? policy.beginWait(context) : PollPolicy.Next.SLEEP;
        while (next == PollPolicy.Next.POLL || next == PollPolicy.Next.YIELD) {
            if (next == PollPolicy.Next.YIELD) {
                giveWay();
            }
            int handled = poll(context);
            if (handled > 0 || context.isWoken()) {
                return handled;
            }
            pause();
            next = policy.afterEmptyPoll();
        }
        switch (next) {
        case SELECT:
            if (policy.isYieldDueBeforeSelect()) {
                giveWay();
            }
            return selectNow(context) + poll(context);
        case SLEEP:
            return sleep(context);
        default:
            return 0;
        }
    }

    /** A method of its own, which {@link RdmaBlockHoundIntegration} names. */
    private static void pause() {
        Thread.onSpinWait();
    }

    /** With more threads than processors this loop may keep the peer from running. */
    private void giveWay() {
        Thread.yield();
        policy.yielded();
    }

    private int sleep(LoopContext context) {
        boolean isNap = !poller.arm();
        if (isNap) {
            context.mayBlockAtMost(NAP_NANOS);
        }
        int handled = poll(context);
        if (handled > 0) {
            return handled;
        }
        policy.sleeps();
        context.afterWait(wakes);
        handled = epoll.run(context);
        context.afterWait(null);
        policy.endSleep();
        if (!isNap || handled > 0 || context.isWoken()) {
            // Spin again, whatever woke the loop: the loop may send because of it, and an answer may arrive soon.
            policy.worked();
        }
        return handled + poll(context);
    }

    /** Checks everything except completions, without waiting. */
    int selectNow(LoopContext context) {
        context.mayNotBlock();
        int handled = epoll.run(context);
        policy.selected(handled > 0);
        return handled;
    }

    int poll(LoopContext context) {
        int handled = poller.poll(context);
        policy.activity().polled(handled);
        if (handled > 0) {
            policy.worked(poller.spinNanos());
        }
        return handled;
    }
}
