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
package io.nettyrdma.stream;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.buffer.RegisteredByteBuf;
import io.nettyrdma.memory.PostBatches;
import io.nettyrdma.verbs.PostException;
import io.nettyrdma.verbs.QueuePair;
import io.nettyrdma.verbs.QueuePairState;
import io.nettyrdma.verbs.SendBatch;
import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.WorkRequestId;

/**
 * The send queue of a stream's queue pair, which its frames and its remote operations share, so that their order is the
 * order of the work requests. Posts many together, and decides which are signaled, so that nothing is stuck and
 * few completions arrive:
 *
 * <ul>
 * <li>the last request of a post, if one since the last signaled one holds memory, or messages wait for it: so slots
 *     and buffers are released and promises complete without more traffic,
 * <li>every quarter of the send queue, even if no message waits for a request: so entries of the queue become free,
 * <li>every request, where the completion of one does not cover those before it
 *     ({@link io.nettyrdma.verbs.DeviceCapabilities#unsignaledSends}).
 * </ul>
 */
final class SendQueue {

    private final QueuePair queuePair;
    private final OutboundMessages outbound;
    private final SendsInFlight inFlight;
    private final PostBatches batches;
    /** {@code null} between posts. */
    private SendBatch batch;
    private final int requestsPerPost;
    private final long workRequestIds;
    private final int depth;
    private final int maxSge;
    private final int maxInline;
    private final int signalEvery;
    private int unsignaled;
    /** The request that was added last, and the last one that produces a completion. */
    private int last = -1;
    private int lastSignaled = -1;
    private boolean isAwaited;
    /** Requests of this batch that go inline; their slots are free when it is posted. */
    private final int[] inline;
    private int inlineCount;

    /**
     * @param staging gets the slots of requests back.
     * @param outbound the messages whose progress the requests record.
     */
    SendQueue(QueuePair queuePair, PostBatches batches, StagingSlots staging, StreamConfig config,
              OutboundMessages outbound, long workRequestIds) {
        this.queuePair = queuePair;
        this.batches = batches;
        this.outbound = outbound;
        this.workRequestIds = workRequestIds;
        // The device may have granted more; the arrays are for what was requested.
        depth = Math.min(config.sendQueue(), queuePair.granted().maxSends());
        maxSge = Math.min(config.sendSge(), queuePair.granted().sendSge());
        maxInline = Math.min(config.maxInline(), queuePair.granted().maxInline());
        signalEvery = config.unsignaled() ? Math.max(1, depth / 4) : 1;
        inFlight = new SendsInFlight(staging, depth);
        requestsPerPost = Math.min(config.framesPerPost(), Math.min(batches.capacity(), depth));
        inline = new int[requestsPerPost];
    }

    /** Whether the queue pair takes requests. */
    boolean isReady() {
        return queuePair.state() == QueuePairState.RTS;
    }

    /** SGEs of a work request. */
    int maxSge() {
        return maxSge;
    }

    /** Bytes of an inline request. */
    int maxInline() {
        return maxInline;
    }

    /** Requests, posted or not, that take an entry of the queue. */
    int inFlight() {
        return inFlight.size();
    }

    /** Whether another request can be added: READY, NEEDS_POST or NEEDS_COMPLETION. */
    FramePath.Room room() {
        if (batch != null && batch.size() == requestsPerPost) {
            return FramePath.Room.NEEDS_POST;
        }
        return inFlight.size() == depth ? FramePath.Room.NEEDS_COMPLETION : FramePath.Room.READY;
    }

    /** The way to get room if there is no slot: the post, if the slot of an inline request is to come back with it. */
    FramePath.Room roomWithoutSlot() {
        return batch == null ? FramePath.Room.NEEDS_COMPLETION : FramePath.Room.NEEDS_POST;
    }

    /** The next request accesses memory of {@code owner}; see {@link FramePath#hold}. */
    void hold(RegisteredByteBuf owner, ByteBuf buffer) {
        inFlight.hold(owner, buffer);
    }

    /**
     * Adds a request, with the progress of the messages. The caller then describes it in {@link #batch}, and calls
     * {@link #added}.
     *
     * @param slot goes back to the pool when the request has completed; {@link StagingSlots#NONE} if there is none.
     * @return its number.
     */
    int add(int slot) {
        int number = inFlight.add(slot, outbound.sent(), outbound.sentOf());
        if (batch == null) {
            batch = batches.takeSends();
        }
        return number;
    }

    /** The batch that has, or gets, the request that was added last. */
    SendBatch batch() {
        return batch;
    }

    long id(WorkRequestId.Kind kind, int number) {
        return WorkRequestId.of(workRequestIds, kind, number);
    }

    /** The request that was added is complete, and goes inline: its slot is free when it is posted. */
    void inline(int number) {
        batch.inline();
        inline[inlineCount++] = number;
    }

    /**
     * The request that was added is complete.
     *
     * @param awaited whether something waits for its completion.
     */
    void added(int number, boolean awaited) {
        isAwaited |= awaited;
        last = number;
        unsignaled++;
        if (unsignaled >= signalEvery) {
            signal();
        }
    }

    /** Makes the request that was added last produce a completion. */
    void signal() {
        batch.signaled();
        lastSignaled = last;
        unsignaled = 0;
        isAwaited = false;
    }

    /** See {@link FramePath#post}. */
    void post() throws VerbsException {
        if (batch == null) {
            return;
        }
        if (isAwaited) {
            signal();
        }
        try {
            queuePair.post(batch);
            inFlight.posted(batch.size());
        } catch (PostException e) {
            inFlight.posted(e.posted());
            throw e;
        } finally {
            batches.giveSends(batch);
            batch = null;
            for (int i = 0; i < inlineCount; i++) {
                inFlight.giveSlot(inline[i]);
            }
            inlineCount = 0;
            inFlight.dropUnposted();
        }
    }

    /** Whether the request was posted and has not completed. */
    boolean isInFlight(int number) {
        return inFlight.has(number);
    }

    /** A reliable connection completes in order: all requests before this one are done as well. */
    void completed(int number) {
        inFlight.completed(number, outbound);
    }

    boolean isCompleted(int number) {
        return inFlight.isCompleted(number);
    }

    boolean awaitsCompletions() {
        return !inFlight.isCompleted(lastSignaled);
    }

    boolean holdsMessages() {
        return inFlight.holdsMessages();
    }

    void release() {
        inFlight.releaseAll();
    }

    @Override
    public String toString() {
        return queuePair.toString();
    }
}
