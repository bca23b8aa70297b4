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

import io.netty.util.ReferenceCounted;
import io.nettyrdma.memory.PostBatches;
import io.nettyrdma.protocol.CreditDebt;
import io.nettyrdma.protocol.CreditWindow;
import io.nettyrdma.protocol.FrameType;
import io.nettyrdma.verbs.PostException;
import io.nettyrdma.verbs.QueuePair;
import io.nettyrdma.verbs.SendBatch;
import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.WorkRequestId;

/**
 * Sends frames as SENDs of a queue pair, into receives that the peer has posted and advertised as credits. Posts many
 * together, and decides which are signaled, so that nothing waits forever and few completions arrive:
 *
 * <ul>
 * <li>the last frame of a post, if a frame since the last signaled one holds memory, or messages wait for it: so slots
 *     and buffers are released and promises complete without more traffic,
 * <li>every quarter of the send queue, even if nobody waits for a frame: so entries of the queue become free,
 * <li>every frame, where the completion of one does not cover those before it
 *     ({@link io.nettyrdma.verbs.DeviceCapabilities#unsignaledSends}),
 * <li>FIN and ABORT: somebody waits for their completion.
 * </ul>
 *
 * An inline frame holds nothing after the post. But its bytes may follow bytes that the device still gathers from a
 * message, and then they leave the outbound buffer after those.
 */
final class SendPath implements FramePath {

    private final QueuePair queuePair;
    private final StagingSlots staging;
    private final CreditWindow credits;
    private final CreditDebt debt;
    private final OutboundMessages outbound;
    private final OutgoingFrame frame;
    private final SendsInFlight inFlight;
    private final PostBatches batches;
    /** {@code null} between posts. */
    private SendBatch batch;
    private final int framesPerPost;
    private final long workRequestIds;
    private final int depth;
    private final int maxSge;
    private final int maxInline;
    private final int signalEvery;
    private int unsignaled;
    /** The frame that was ended last, and the last one that produces a completion. */
    private int last = -1;
    private int lastSignaled = -1;
    private boolean isAwaited;
    /** Frames of this batch that go inline; their slots are free when it is posted. */
    private final int[] inline;
    private int inlineCount;

    /**
     * @param staging slots for headers and copied bytes, from the staging pool of {@code memory}.
     * @param outbound the messages whose progress the frames record.
     * @param peersBuffer bytes of each of the peer's receives.
     */
    SendPath(QueuePair queuePair, StreamMemory memory, StagingSlots staging, StreamConfig config,
             CreditWindow credits, CreditDebt debt, OutboundMessages outbound, int peersBuffer, long workRequestIds) {
        this.queuePair = queuePair;
        this.staging = staging;
        this.credits = credits;
        this.debt = debt;
        this.outbound = outbound;
        this.workRequestIds = workRequestIds;
        // The device may have granted more; the arrays are for what was requested.
        depth = Math.min(config.sendQueue(), queuePair.granted().maxSends());
        maxSge = Math.min(config.sendSge(), queuePair.granted().sendSge());
        maxInline = Math.min(config.maxInline(), queuePair.granted().maxInline());
        signalEvery = config.unsignaled() ? Math.max(1, depth / 4) : 1;
        frame = new OutgoingFrame(memory.staging(), peersBuffer, maxSge);
        inFlight = new SendsInFlight(staging, depth, maxSge);
        batches = memory.batches();
        framesPerPost = Math.min(config.framesPerPost(), Math.min(batches.capacity(), depth));
        inline = new int[framesPerPost];
    }

    /** The header takes one SGE. */
    @Override
    public boolean canGather() {
        return maxSge > 1;
    }

    @Override
    public Room begin(FrameType type) {
        if (!(type == FrameType.DATA ? credits.maySendData() : credits.maySendControl())) {
            return Room.NO_CREDIT;
        }
        if (batch != null && batch.size() == framesPerPost) {
            return Room.BATCH_FULL;
        }
        if (inFlight.size() == depth) {
            return Room.QUEUE_FULL;
        }
        int slot = staging.take();
        if (slot == StagingSlots.NONE) {
            // The last slot comes back when the batch is posted, if its frame is inline, or with a completion.
            return batch == null ? Room.QUEUE_FULL : Room.BATCH_FULL;
        }
        frame.begin(slot);
        return Room.READY;
    }

    @Override
    public OutgoingFrame frame() {
        return frame;
    }

    @Override
    public void hold(ReferenceCounted message) {
        inFlight.hold(message);
    }

    @Override
    public int end(FrameType type) {
        int number = inFlight.add(frame.slot(), outbound.sent(), outbound.sentOf());
        if (batch == null) {
            batch = batches.takeSends();
        }
        batch.send(WorkRequestId.of(workRequestIds, WorkRequestId.Kind.SEND, number));
        frame.write(batch, type, debt.toAdvertise());
        debt.advertised();
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

    @Override
    public void drop() {
        staging.give(frame.slot());
        frame.end();
    }

    @Override
    public void post() throws VerbsException {
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
            while (inlineCount > 0) {
                inFlight.giveSlot(inline[--inlineCount]);
            }
            inFlight.dropUnposted();
        }
    }

    @Override
    public boolean isInFlight(int number) {
        return inFlight.has(number);
    }

    /** A reliable connection completes in order: all frames before this one are done as well. */
    @Override
    public void completed(int number) {
        inFlight.completed(number, outbound);
    }

    @Override
    public boolean isCompleted(int number) {
        return inFlight.isCompleted(number);
    }

    @Override
    public boolean awaitsCompletions() {
        return !inFlight.isCompleted(lastSignaled);
    }

    @Override
    public boolean holdsMessages() {
        return inFlight.holdsMessages();
    }

    @Override
    public void release() {
        inFlight.releaseAll();
    }

    /** Makes the frame that was ended last produce a completion. */
    private void signal() {
        batch.signaled();
        lastSignaled = last;
        unsignaled = 0;
        isAwaited = false;
    }
}
