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

import io.nettyrdma.verbs.CompletionChannel;
import io.nettyrdma.verbs.CompletionQueue;
import io.nettyrdma.verbs.CompletionQueueConfig;
import io.nettyrdma.verbs.Fallbacks;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.VerbsException;

import java.util.ArrayList;
import java.util.List;

/** The completion queues of a loop on one device. Their number grows with the queue pairs. */
final class DeviceQueues {

    private final LoopDevice owner;
    private final RdmaDevice device;
    /** {@code null} if the device has none: then its completions do not wake the loop. */
    private final CompletionChannel channel;
    private final RdmaIoHandlerConfig config;
    private final int vector;
    private final CompletionPoller poller;
    private final Closer closer;
    private final List<LoopQueue> queues = new ArrayList<>();

    /**
     * @param vector the device's interrupt that wakes the loop.
     * @param closer closes the queues at the end.
     */
    DeviceQueues(LoopDevice owner, RdmaDevice device, CompletionChannel channel, RdmaIoHandlerConfig config, int vector,
                 CompletionPoller poller, Closer closer) {
        this.owner = owner;
        this.device = device;
        this.channel = channel;
        this.config = config;
        this.vector = vector;
        this.poller = poller;
        this.closer = closer;
    }

    /** The queues themselves, not a copy. */
    List<LoopQueue> all() {
        return queues;
    }

    /** A queue with room for that number of completions, perhaps a new one. */
    LoopQueue withRoom(int completions) throws VerbsException {
        for (LoopQueue queue : queues) {
            if (queue.hasRoom(completions)) {
                return queue;
            }
        }
        int entries = Math.max(completions, Math.min(nextEntries(), device.limits().completionQueueEntries()));
        CompletionQueueConfig wanted = new CompletionQueueConfig(entries)
                .withSingleThreaded(Fallbacks.SINGLE_THREADED_QUEUE.isAllowed())
                .withSenderGids(device.capabilities().senderGids())
                .withBatch(config.completionBatch()).withVector(vector);
        CompletionQueue created = channel == null ? device.createCompletionQueue(wanted)
                : device.createCompletionQueue(wanted, channel);
        LoopQueue queue = new LoopQueue(owner, closer.add(created), wanted.batch(), channel != null);
        queues.add(queue);
        poller.add(queue);
        return queue;
    }

    /** Each queue is twice as large as the last: all of them are polled, so there should be few. */
    private int nextEntries() {
        int last = queues.isEmpty() ? 0 : queues.get(queues.size() - 1).capacity();
        return last == 0 ? config.completionQueueEntries() : (int) Math.min(2L * last, Integer.MAX_VALUE);
    }

    /** A loop that sleeps often calls this often, so it allocates no iterator. */
    void eventTaken(CompletionQueue source) {
        for (int i = 0; i < queues.size(); i++) {
            LoopQueue queue = queues.get(i);
            if (queue.queue() == source) {
                queue.eventTaken();
            }
        }
    }

    /** Closes a broken queue that no queue pair uses any more. */
    void closeIfLeft(LoopQueue queue) {
        if (queue.isLeft() && queues.remove(queue)) {
            poller.remove(queue);
            closer.closeNow(queue.queue());
        }
    }
}
