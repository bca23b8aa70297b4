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

import io.nettyrdma.memory.PostBatches;
import io.nettyrdma.memory.ReceivedByteBuf;
import io.nettyrdma.memory.SlotPool;
import io.nettyrdma.protocol.FrameHeader;
import io.nettyrdma.verbs.PostException;
import io.nettyrdma.verbs.QueuePair;
import io.nettyrdma.verbs.ReceiveBatch;
import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.WorkRequestId;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Receives of one size, posted to the queue pair of one stream. They complete in the order of their posting. */
final class QueuePairReceives implements ReceiveSource {

    private final QueuePair queuePair;
    private final SlotPool slots;
    private final PostBatches batches;
    private final long workRequestIds;
    private final int bufferSize;

    /** A ring of the slots of posted receives, the oldest at {@code head}. */
    private final int[] posted;
    private int head;
    private int postedCount;

    private final int[] waiting;
    private int waitingCount;
    private boolean closed;

    /** @param workRequestIds the owner of all work requests, see {@link WorkRequestId#ofOwner}. */
    QueuePairReceives(QueuePair queuePair, StreamMemory memory, StreamConfig config, long workRequestIds) {
        this.queuePair = queuePair;
        this.workRequestIds = workRequestIds;
        slots = memory.receives();
        if (slots.headerRoom() != FrameHeader.SIZE) {
            throw new IllegalArgumentException("a frame has a header of " + FrameHeader.SIZE + " bytes, a slot has room"
                    + " for one of " + slots.headerRoom());
        }
        batches = memory.batches();
        bufferSize = config.receiveBuffer();
        int maximum = Math.min(config.maxWindow(), queuePair.granted().maxReceives());
        posted = new int[maximum];
        waiting = new int[maximum];
    }

    @Override
    public int maximum() {
        return posted.length;
    }

    @Override
    public void add(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            // take() may collect slots that other threads have released. Those of this stream then wait as well.
            int slot = slots.take();
            waiting[waitingCount++] = slot;
        }
    }

    @Override
    public int addIfPlenty(int count) {
        for (int i = 0; i < count; i++) {
            int slot = slots.takeIfPlenty();
            if (slot == SlotPool.NONE) {
                return i;
            }
            waiting[waitingCount++] = slot;
        }
        return count;
    }

    @Override
    public void remove(int count) {
        for (int i = 0; i < count; i++) {
            slots.give(waiting[--waitingCount]);
        }
    }

    @Override
    public int waiting() {
        return waitingCount;
    }

    @Override
    public int post() throws VerbsException {
        int before = postedCount;
        slots.compact(waiting, waitingCount);
        while (waitingCount > 0) {
            ReceiveBatch batch = batches.receives();
            int count = Math.min(waitingCount, batch.capacity());
            for (int i = 1; i <= count; i++) {
                int slot = waiting[waitingCount - i];
                batch.receive(WorkRequestId.of(workRequestIds, WorkRequestId.Kind.RECEIVE, slot))
                        .sge(slots.address(slot), bufferSize, slots.localKey(slot));
            }
            int done = 0;
            try {
                queuePair.post(batch);
                done = count;
            } catch (PostException e) {
                done = e.posted();
                throw e;
            } finally {
                posted(done);
            }
        }
        return postedCount - before;
    }

    /** So many of the waiting receives are now posted. */
    private void posted(int count) {
        for (int i = 0; i < count; i++) {
            posted[next(head, postedCount)] = waiting[--waitingCount];
            postedCount++;
        }
    }

    @Override
    public void completed(int slot) {
        if (postedCount == 0 || posted[head] != slot) {
            throw new IllegalStateException("a receive into slot " + slot + " completed, "
                    + (postedCount == 0 ? "none is posted" : "slot " + posted[head] + " is the next"));
        }
        head = next(head, 1);
        postedCount--;
    }

    @Override
    public ByteBuffer memory(int slot) {
        return slots.buffer(slot);
    }

    @Override
    public int offset(int slot) {
        return slots.offset(slot);
    }

    @Override
    public ReceivedByteBuf payload(int slot) {
        return slots.received(slot);
    }

    @Override
    public void giveBack(int slot) {
        if (closed) {
            slots.give(slot);
        } else {
            waiting[waitingCount++] = slot;
        }
    }

    @Override
    public void close() {
        closed = true;
        remove(waitingCount);
    }

    @Override
    public void release() {
        close();
        for (; postedCount > 0; postedCount--) {
            slots.give(posted[head]);
            head = next(head, 1);
        }
    }

    @Override
    public String toString() {
        return "receives of " + queuePair;
    }

    private int next(int at, int count) {
        int sum = at + count;
        return sum >= posted.length ? sum - posted.length : sum;
    }
}
