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
 * What a loop does while there is nothing to do: it polls for a while, and then sleeps until a descriptor wakes it.
 * Completions are a descriptor's business only after their queue was armed, and only those that come later:
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

    private final IoHandler epoll;
    private final CompletionPoller poller;
    private final PollPolicy policy;

    LoopWaiter(IoHandler epoll, CompletionPoller poller, PollPolicy policy) {
        this.epoll = epoll;
        this.poller = poller;
        this.policy = policy;
    }

    /**
     * Waits until there was something to do, or there are tasks; or comes back in between, to be called again.
     *
     * @param mayPoll whether there is something to poll for.
     * @return how many handles something was done for.
     */
    int await(LoopContext context, boolean mayPoll) {
        PollPolicy.Next next = mayPoll ? policy.beginWait(context) : PollPolicy.Next.SLEEP;
        while (next == PollPolicy.Next.POLL) {
            int handled = poll(context);
            if (handled > 0 || context.isWoken()) {
                return handled;
            }
            Thread.onSpinWait();
            next = policy.afterEmptyPoll();
        }
        switch (next) {
        case SELECT:
            // Where there are more threads than CPUs it may be the peer that is kept from running.
            Thread.yield();
            return selectNow(context) + poll(context);
        case SLEEP:
            return sleep(context);
        default:
            return 0;
        }
    }

    private int sleep(LoopContext context) {
        poller.arm();
        int handled = poll(context);
        if (handled > 0) {
            return handled;
        }
        handled = epoll.run(context);
        policy.selected();
        // Whatever it was that woke the loop: an answer to what it makes us send may be close.
        policy.worked();
        return handled + poll(context);
    }

    /** Looks at everything but completions. */
    int selectNow(LoopContext context) {
        context.mayNotBlock();
        int handled = epoll.run(context);
        policy.selected();
        return handled;
    }

    int poll(LoopContext context) {
        int handled = poller.poll(context);
        if (handled > 0) {
            policy.worked(poller.spinNanos());
        }
        return handled;
    }
}
