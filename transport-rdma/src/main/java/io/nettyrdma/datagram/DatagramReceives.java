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
import io.netty.channel.AddressedEnvelope;
import io.netty.channel.DefaultAddressedEnvelope;
import io.nettyrdma.memory.PostBatches;
import io.nettyrdma.memory.SlotPool;
import io.nettyrdma.verbs.Gid;
import io.nettyrdma.verbs.PostException;
import io.nettyrdma.verbs.QueuePair;
import io.nettyrdma.verbs.ReceiveBatch;
import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.WorkCompletion;
import io.nettyrdma.verbs.WorkRequestId;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.BitSet;

/**
 * The receives of a channel, and the datagrams that nobody has read. Both together are at most as many as the queue
 * has: who does not read, receives no more, and peers' datagrams are dropped. Each receive has room for the global
 * routing header in front of the payload:
 *
 * <pre>
 *   slot:   0 | GRH 40 | payload, up to the MTU
 *
 *   GRH of IPv6 and InfiniBand:  0 | 6... flow | 4 | length, ... | 8 | source 16 | 24 | destination 16 | 40
 *   of IPv4:                     0 | undefined              | 20 | 45... | 32 | source 4 | 36 | destination 4 | 40
 * </pre>
 *
 * Belongs to the event loop.
 */
final class DatagramReceives {

    /** Bytes in front of the payload. */
    static final int HEADER = 40;

    private static final int IPV4_AT = 20;
    private static final int IPV4_SOURCE_AT = 32;
    private static final int SOURCE_AT = 8;
    private static final int IPV4_MAPPED_AT = 10;
    private static final int IPV4_BYTES = 4;
    private static final int VERSION_SHIFT = 4;
    private static final int IPV6 = 6;

    private final QueuePair queuePair;
    private final int depth;
    private final PostBatches batches;
    private final SlotPool pool;
    private final ByteBufAllocator reported;
    private final long workRequestIds;
    /** Slots of posted receives. */
    private final BitSet posted = new BitSet();
    /** Slots of the batch that is being posted. */
    private final int[] inBatch;
    private int postedCount;
    private final ArrayDeque<AddressedEnvelope<ByteBuf, DatagramAddress>> unread = new ArrayDeque<>();

    /** @param reported what {@code alloc()} of a received buffer returns. */
    DatagramReceives(QueuePair queuePair, int depth, PostBatches batches, SlotPool pool, ByteBufAllocator reported,
                     long workRequestIds) {
        this.queuePair = queuePair;
        this.depth = depth;
        this.batches = batches;
        this.pool = pool;
        this.reported = reported;
        this.workRequestIds = workRequestIds;
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
        while (postedCount + unread.size() < depth && exhausted == null) {
            ReceiveBatch batch = batches.receives();
            int count = Math.min(inBatch.length, depth - postedCount - unread.size());
            int slots = 0;
            try {
                for (; slots < count; slots++) {
                    inBatch[slots] = pool.take();
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

    /** A receive has completed and contains nothing. */
    void failed(int slot) {
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
     * A datagram has arrived, and waits to be read.
     *
     * @param filter the only peer whose datagrams are wanted; {@code null} for all.
     * @return whether it is wanted.
     */
    boolean received(int slot, WorkCompletion completion, DatagramAddress recipient, DatagramAddress filter) {
        Gid source = source(pool.buffer(slot).clear(), pool.offset(slot));
        int length = completion.byteLength() - HEADER;
        if (length < 0 || source == null || source.isZero() || completion.sourceQueuePair() == 0) {
            failed(slot);
            return false;
        }
        DatagramAddress sender = new DatagramAddress(source, completion.sourceQueuePair(), 0);
        if (filter != null && !filter.isSameQueuePair(sender)) {
            failed(slot);
            return false;
        }
        taken(slot);
        ByteBuf payload = pool.received(slot).hand(length, null, reported);
        unread.add(new DefaultAddressedEnvelope<>(payload, recipient, sender));
        return true;
    }

    /** {@code null} if it is no header that we know. */
    private static Gid source(ByteBuffer memory, int at) {
        byte[] raw = new byte[Gid.LENGTH];
        if ((memory.get(at) & 0xff) >>> VERSION_SHIFT == IPV6) {
            memory.get(at + SOURCE_AT, raw);
        } else if ((memory.get(at + IPV4_AT) & 0xff) >>> VERSION_SHIFT == IPV4_BYTES) {
            raw[IPV4_MAPPED_AT] = -1;
            raw[IPV4_MAPPED_AT + 1] = -1;
            memory.get(at + IPV4_SOURCE_AT, raw, Gid.LENGTH - IPV4_BYTES, IPV4_BYTES);
        } else {
            return null;
        }
        return new Gid(raw);
    }

    boolean hasUnread() {
        return !unread.isEmpty();
    }

    /** The next datagram to read; {@code null} if there is none. */
    AddressedEnvelope<ByteBuf, DatagramAddress> next() {
        return unread.poll();
    }

    /** The queue pair is destroyed: gives everything back. */
    void release() {
        for (int slot = posted.nextSetBit(0); slot >= 0; slot = posted.nextSetBit(slot + 1)) {
            pool.give(slot);
        }
        posted.clear();
        postedCount = 0;
        while (hasUnread()) {
            next().release();
        }
    }
}
