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

import io.nettyrdma.verbs.CompletionQueue;
import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.WorkCompletion;
import io.nettyrdma.verbs.WorkRequestId;

import java.util.Arrays;
import java.util.function.LongSupplier;

/** Takes completions off all completion queues of a loop and hands them out. */
final class CompletionPoller implements Completions {

    private static final LoopQueue[] NONE = {};
    /** Returned in place of a number of completions. */
    private static final int FAILED = -1;

    private final EventDispatcher dispatcher;
    private final LongSupplier clock;

    /** Copied on change, because a handle may need a new queue during an iteration. */
    private LoopQueue[] queues = NONE;

    /** @param clock nanoseconds that never go back. */
    CompletionPoller(EventDispatcher dispatcher, LongSupplier clock) {
        this.dispatcher = dispatcher;
        this.clock = clock;
    }

    void add(LoopQueue queue) {
        LoopQueue[] larger = Arrays.copyOf(queues, queues.length + 1);
        larger[queues.length] = queue;
        set(larger);
    }

    void remove(LoopQueue queue) {
        set(Arrays.stream(queues).filter(each -> each != queue).toArray(LoopQueue[]::new));
    }

    void removeAll(LoopDevice device) {
        set(Arrays.stream(queues).filter(queue -> queue.device() != device).toArray(LoopQueue[]::new));
    }

    private void set(LoopQueue[] changed) {
        if (queues.length == 0 && changed.length > 0) {
            PollingLoops.ALL.added();
        } else if (queues.length > 0 && changed.length == 0) {
            PollingLoops.ALL.removed();
        }
        queues = changed;
    }

    /** Whether there is a queue to poll. */
    boolean hasQueues() {
        for (LoopQueue queue : queues) {
            if (queue.isUsed()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Handles one batch of each queue, so that a queue that is never empty delays neither the handles of other queues
     * nor the loop's other work.
     *
     * @param context gets the time that handles took, if it asks for it. An empty poll reads no clock.
     * @return the number of handles that got something.
     */
    @Override
    public int poll(LoopContext context) {
        boolean timed = false;
        long start = 0;
        for (LoopQueue queue : queues) {
            if (queue.isUsed()) {
                int count = take(queue);
                if (count > 0 && !timed && context.shouldReportActiveIoTime()) {
                    timed = true;
                    start = clock.getAsLong();
                }
                dispatch(queue, count);
            }
        }
        int handled = dispatcher.endBatch();
        if (timed) {
            context.reportActiveIoTime(clock.getAsLong() - start);
        }
        return handled;
    }

    /** Handles everything that has completed, so that a later event does not overtake it. Not within a handle call. */
    void pollAll(LoopQueue queue) {
        int taken = 0;
        int count = queue.batch();
        while (queue.isUsed() && count == queue.batch() && taken < queue.capacity()) {
            count = take(queue);
            dispatch(queue, count);
            taken += count;
        }
        dispatcher.endBatch();
    }

    @Override
    public long spinNanos() {
        return dispatcher.spinNanos();
    }

    private static int take(LoopQueue polled) {
        try {
            return polled.queue().poll();
        } catch (VerbsException e) {
            polled.device().fail(e);
            return FAILED;
        }
    }

    private void dispatch(LoopQueue polled, int count) {
        if (count == FAILED) {
            return;
        }
        CompletionQueue queue = polled.queue();
        for (int i = 0; i < count; i++) {
            WorkCompletion completion = queue.completion(i);
            int owner = WorkRequestId.owner(completion.workRequestId());
            if (owner == WorkRequestId.BY_QUEUE_PAIR) {
                dispatcher.completion(completion, polled.device().owner(completion.queuePairNumber()));
            } else {
                dispatcher.completion(completion, owner);
            }
        }
        polled.dispatched(count);
    }

    @Override
    public boolean arm() {
        boolean all = true;
        for (LoopQueue queue : queues) {
            if (queue.isUsed()) {
                all &= arm(queue);
            }
        }
        return all;
    }

    private static boolean arm(LoopQueue queue) {
        try {
            return queue.arm();
        } catch (VerbsException e) {
            queue.device().fail(e);
            return true;
        }
    }
}
