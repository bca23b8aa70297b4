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

import io.nettyrdma.protocol.CreditDebt;
import io.nettyrdma.protocol.CreditWindow;
import io.nettyrdma.protocol.FrameType;
import io.nettyrdma.verbs.PostException;
import io.nettyrdma.verbs.QueuePair;
import io.nettyrdma.verbs.SendBatch;
import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.WorkRequestId;

/**
 * Collects frames and posts them together. Decides which are signaled, so that nothing waits for ever and few
 * completions come:
 *
 * <ul>
 * <li>the last frame of a post, if a frame since the last signaled one holds memory, or messages wait for it: slots,
 *     buffers and promises come back without more traffic,
 * <li>every quarter of the send queue, though nobody waits for a frame: places in the queue come back,
 * <li>every frame, where the completion of one does not speak for those before it
 *     ({@link io.nettyrdma.verbs.DeviceCapabilities#unsignaledSends}),
 * <li>FIN and ABORT: somebody waits for their end.
 * </ul>
 *
 * A frame that goes inline holds nothing after it was posted; but what it carries may come behind bytes that are still
 * read from where they are, and leaves the outbound buffer after those.
 */
final class FramePoster {

    private final QueuePair queuePair;
    private final CreditWindow credits;
    private final CreditDebt debt;
    private final SendsInFlight inFlight;
    private final OutboundMessages outbound;
    private final SendBatch batch;
    private final long workRequestIds;
    private final int depth;
    private final int maxInline;
    private final int signalEvery;
    private int unsignaled;
    /** The frame that was added last, and the last one that gives a completion. */
    private int last = -1;
    private int lastSignaled = -1;
    private boolean isAwaited;
    /** Frames of this batch that go inline; their slots are free when it is posted. */
    private final int[] inline;
    private int inlineCount;

    FramePoster(QueuePair queuePair, CreditWindow credits, CreditDebt debt, SendsInFlight inFlight,
                OutboundMessages outbound, StreamConfig config, long workRequestIds) {
        this.queuePair = queuePair;
        this.credits = credits;
        this.debt = debt;
        this.inFlight = inFlight;
        this.outbound = outbound;
        this.workRequestIds = workRequestIds;
        depth = depth(queuePair, config);
        maxInline = Math.min(config.maxInline(), queuePair.granted().maxInline());
        signalEvery = config.unsignaled() ? Math.max(1, depth / 4) : 1;
        batch = new SendBatch(Math.min(config.framesPerPost(), depth), maxPieces(queuePair, config));
        inline = new int[batch.capacity()];
    }

    /** The device may have granted more; we have memory for what was asked for. */
    static int depth(QueuePair queuePair, StreamConfig config) {
        return Math.min(config.sendQueue(), queuePair.granted().maxSends());
    }

    static int maxPieces(QueuePair queuePair, StreamConfig config) {
        return Math.min(config.sendSge(), queuePair.granted().sendSge());
    }

    boolean isBatchEmpty() {
        return batch.size() == 0;
    }

    boolean isBatchFull() {
        return batch.isFull();
    }

    boolean isQueueFull() {
        return inFlight.size() == depth;
    }

    /** Ends the frame and takes it over; there must be room for it, and a credit. Returns its number. */
    int add(OutgoingFrame frame, FrameType type) {
        int number = inFlight.add(frame.slot(), outbound.sent(), outbound.sentOf());
        batch.send(WorkRequestId.of(workRequestIds, WorkRequestId.Kind.SEND, number));
        frame.write(batch, type, debt.toTell());
        debt.told();
        credits.sent();
        if (frame.isCopied() && frame.length() <= maxInline) {
            batch.inline();
            inline[inlineCount++] = number;
            isAwaited |= type == FrameType.DATA && outbound.isWaiting();
        } else {
            isAwaited = true;
        }
        frame.end();
        last = number;
        unsignaled++;
        if (unsignaled >= signalEvery || type == FrameType.FIN || type == FrameType.ABORT) {
            signal();
        }
        return number;
    }

    /**
     * Posts what was added.
     *
     * @throws VerbsException if some or all were not posted. Those that were complete as usual, the others gave back
     *         what they held; the connection is broken.
     */
    void post() throws VerbsException {
        if (batch.size() == 0) {
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
            batch.clear();
            while (inlineCount > 0) {
                inFlight.giveSlot(inline[--inlineCount]);
            }
            inFlight.dropUnposted();
        }
    }

    /** Whether a frame that gives a completion has not given it. */
    boolean awaitsCompletions() {
        return !inFlight.isCompleted(lastSignaled);
    }

    /** Makes the frame that was added last give a completion. */
    private void signal() {
        batch.signaled();
        lastSignaled = last;
        unsignaled = 0;
        isAwaited = false;
    }
}
