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
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
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

/**
 * Receives that are posted to the queue pair of one stream. They complete in the order of their posting. All that wait
 * have the same size.
 */
final class QueuePairReceives implements ReceiveSource {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(QueuePairReceives.class);

    private final QueuePair queuePair;
    private final SlotPool slots;
    private final PostBatches batches;
    private final long workRequestIds;
    /** Bytes, as {@link StreamConfig#receiveSizes} of the slots. */
    private final int[] sizes;
    private int size;

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
        sizes = config.receiveSizes();
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
            int slot = slots.take(size);
            waiting[waitingCount++] = slot;
        }
    }

    @Override
    public int addIfPlenty(int count) {
        int added = 0;
        while (added < count && waitingCount < waiting.length) {
            int slot = slots.takeIfPlenty(size);
            if (slot == SlotPool.NONE) {
                break;
            }
            waiting[waitingCount++] = slot;
            added++;
        }
        return added;
    }

    @Override
    public boolean resize(int newSize, int count) {
        int[] taken = new int[count];
        for (int i = 0; i < count; i++) {
            taken[i] = newSize > size ? slots.takeIfPlenty(newSize) : takeSmaller(newSize);
            if (taken[i] == SlotPool.NONE) {
                for (int given = 0; given < i; given++) {
                    slots.give(taken[given]);
                }
                return false;
            }
        }
        remove(waitingCount);
        size = newSize;
        System.arraycopy(taken, 0, waiting, 0, count);
        waitingCount = count;
        return true;
    }

    /** Returns memory later, and so may take what is left to connections. */
    private int takeSmaller(int newSize) {
        try {
            return slots.take(newSize);
        } catch (IOException e) {
            LOGGER.debug("{}: their size stays", this, e);
            return SlotPool.NONE;
        }
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
        while (waitingCount > 0 && postedCount < posted.length) {
            ReceiveBatch batch = batches.receives();
            int count = Math.min(Math.min(waitingCount, posted.length - postedCount), batch.capacity());
            for (int i = 1; i <= count; i++) {
                int slot = waiting[waitingCount - i];
                batch.receive(WorkRequestId.of(workRequestIds, WorkRequestId.Kind.RECEIVE, slot))
                        .sge(slots.address(slot), sizes[size], slots.localKey(slot));
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
    public ByteBuf copyIfSmall(ReceivedByteBuf payload, ByteBufAllocator from) {
        int length = payload.readableBytes();
        int smaller = slots.sizeFor(FrameHeader.SIZE + length);
        if (sizes[smaller] - FrameHeader.SIZE >= payload.receivedBytes()) {
            return null;
        }
        int slot = slots.takeIfAny(smaller);
        if (slot == SlotPool.NONE) {
            return null;
        }
        ByteBuf copy = slots.received(slot).toBuffer(0, null, from);
        return copy.writeBytes(payload, payload.readerIndex(), length);
    }

    @Override
    public void giveBack(int slot) {
        if (closed || slots.slotSize(slot) != sizes[size] || waitingCount == waiting.length) {
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
