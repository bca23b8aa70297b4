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
package io.nettyrdma.datagram;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.nettyrdma.memory.PostBatches;
import io.nettyrdma.memory.SlotPool;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaCounters;
import io.nettyrdma.verbs.PostException;
import io.nettyrdma.verbs.QueuePair;
import io.nettyrdma.verbs.ReceiveBatch;
import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.WorkCompletion;
import io.nettyrdma.verbs.WorkCompletionOpcode;
import io.nettyrdma.verbs.WorkRequestId;

import java.io.IOException;
import java.util.BitSet;

/**
 * The receives of a channel, and the count of what arrived and is unread. Both together are at most as many as the
 * queue has: a channel that does not read receives no more, and peers' datagrams are dropped, or wait at the peer. Each
 * receive has room for the longest datagram, and for the header in front of it:
 *
 * <pre>
 *   slot:   0 | header, 40 or none | payload
 * </pre>
 *
 * A write of a peer with an immediate takes a receive too, and leaves its memory alone. It is refused unless the
 * channel wants immediates, and if it has no bytes: then the device checks no key, so that any peer could send one.
 *
 * <p>Belongs to the event loop.
 */
final class DatagramReceives {

    /** Receives that a channel cannot do without. There are more if there is plenty of memory. */
    private static final int NEEDED = 16;
    /** One for all: it is no failure, and may come often. */
    private static final IOException NOT_PLENTY =
            new IOException("the transport has its share of the allocator's memory; raise maxRegisteredBytes, "
                    + "or lower RECEIVE_QUEUE_DEPTH");

    private final QueuePair queuePair;
    private final int depth;
    private final PostBatches batches;
    private final SlotPool pool;
    private final int header;
    private final DatagramSenders senders;
    private final ByteBufAllocator reported;
    private final RdmaCounters counters;
    private final long workRequestIds;
    private final boolean wantsImmediates;
    private final DatagramEvents events;
    /** Slots of posted receives. */
    private final BitSet posted = new BitSet();
    /** Slots of the batch that is being posted. */
    private final int[] inBatch;
    private int postedCount;
    /** Datagrams and immediates that the channel has, and has not read. */
    private int unread;

    /**
     * @param pool its slots have the header's room in front of the payload.
     * @param reported what {@code alloc()} of a received buffer returns.
     */
    DatagramReceives(QueuePair queuePair, int depth, PostBatches batches, SlotPool pool, DatagramSenders senders,
                     ByteBufAllocator reported, RdmaCounters counters, long workRequestIds,
                     boolean wantsImmediates, DatagramEvents events) {
        this.queuePair = queuePair;
        this.depth = depth;
        this.batches = batches;
        this.pool = pool;
        header = pool.headerRoom();
        this.senders = senders;
        this.reported = reported;
        this.counters = counters;
        this.workRequestIds = workRequestIds;
        this.wantsImmediates = wantsImmediates;
        this.events = events;
        inBatch = new int[batches.capacity()];
    }

    /**
     * Posts as many receives as there is room for.
     *
     * @return why there are fewer than that, which is for want of memory; {@code null} if there are not.
     * @throws VerbsException if the device refuses.
     */
    IOException fill() throws VerbsException {
        IOException exhausted = null;
        while (postedCount + unread < depth && exhausted == null) {
            ReceiveBatch batch = batches.receives();
            int count = Math.min(inBatch.length, depth - postedCount - unread);
            int slots = 0;
            try {
                for (; slots < count; slots++) {
                    int slot = postedCount + slots < NEEDED ? pool.take(0) : pool.takeIfPlenty(0);
                    if (slot == SlotPool.NONE) {
                        exhausted = NOT_PLENTY;
                        break;
                    }
                    inBatch[slots] = slot;
                }
            } catch (IOException e) {
                exhausted = e;
            }
            for (int i = 0; i < slots; i++) {
                int slot = inBatch[i];
                batch.receive(WorkRequestId.of(workRequestIds, WorkRequestId.Kind.RECEIVE, slot))
                        .sge(pool.address(slot), pool.slotSize(), pool.localKey(slot));
            }
            post(batch, slots);
        }
        return exhausted;
    }

    /** Datagrams that may be unread. */
    int depth() {
        return depth;
    }

    /** Whether the device can receive anything. */
    boolean hasPosted() {
        return postedCount > 0;
    }

    private void post(ReceiveBatch batch, int count) throws VerbsException {
        int done = 0;
        try {
            if (count > 0) {
                queuePair.post(batch);
            }
            done = count;
        } catch (PostException e) {
            done = e.posted();
            throw e;
        } finally {
            for (int i = 0; i < count; i++) {
                if (i < done) {
                    posted.set(inBatch[i]);
                } else {
                    pool.give(inBatch[i]);
                }
            }
            postedCount += done;
        }
    }

    /** A receive has completed and its memory contains nothing of use. */
    void unused(int slot) {
        taken(slot);
        pool.give(slot);
    }

    private void taken(int slot) {
        if (!posted.get(slot)) {
            throw new IllegalStateException("a receive into slot " + slot + " completed, which is not posted");
        }
        posted.clear(slot);
        postedCount--;
    }

    /**
     * A datagram, or the immediate of a write, has arrived, and goes to the channel.
     *
     * @param filter the only peer whose datagrams are wanted; {@code null} for all.
     * @return whether its sender is wanted. One that is not known is not wanted if there is a filter.
     */
    boolean received(int slot, WorkCompletion completion, DatagramAddress filter) {
        boolean isWrite = completion.opcode() == WorkCompletionOpcode.RECEIVE_RDMA_WITH_IMMEDIATE;
        int length = completion.byteLength() - (isWrite ? 0 : header);
        if (isWrite && (!wantsImmediates || length == 0)) {
            unused(slot);
            counters.increment(RdmaCounter.IMMEDIATES_REFUSED);
            return true;
        }
        DatagramAddress sender = senders.of(completion, pool.buffer(slot).clear(), pool.offset(slot));
        if (sender.isUnknown()) {
            counters.increment(RdmaCounter.SENDERS_UNKNOWN);
        }
        if (length < 0 || filter != null && !filter.isSameQueuePair(sender)) {
            unused(slot);
            return false;
        }
        unread++;
        counters.increment(RdmaCounter.MESSAGES_RECEIVED);
        counters.add(RdmaCounter.BYTES_RECEIVED, length);
        if (isWrite) {
            unused(slot);
            events.received(new DatagramImmediate(sender, completion.immediate(), length));
        } else {
            taken(slot);
            ByteBuf payload = pool.received(slot).toBuffer(length, null, reported);
            events.received(payload, sender);
        }
        return true;
    }

    /** One of the unread is read. */
    void read() {
        unread--;
    }

    /** The queue pair is destroyed: gives everything back. */
    void release() {
        for (int slot = posted.nextSetBit(0); slot >= 0; slot = posted.nextSetBit(slot + 1)) {
            pool.give(slot);
        }
        posted.clear();
        postedCount = 0;
    }
}
