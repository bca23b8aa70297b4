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
import io.nettyrdma.buffer.OutOfRegisteredMemoryError;
import io.nettyrdma.memory.PostBatches;
import io.nettyrdma.memory.ReceivedByteBuf;
import io.nettyrdma.memory.SlotListener;
import io.nettyrdma.memory.SlotPool;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaCounters;
import io.nettyrdma.protocol.CreditDebt;
import io.nettyrdma.protocol.CreditWindow;
import io.nettyrdma.protocol.FrameHeader;
import io.nettyrdma.verbs.PostException;
import io.nettyrdma.verbs.QueuePair;
import io.nettyrdma.verbs.ReceiveBatch;
import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.WorkRequestId;

import java.io.IOException;

/**
 * Keeps receives posted and says what came in them.
 *
 * <pre>
 *             +------ frames of control ------+
 *             |                               v
 *   posted ---+--- DATA ---> held ------> waiting ---> posted, many at once, and granted to the peer
 *   (device)             (application)   (for us)
 *
 *   window = posted + held + waiting, and more after it has shrunk
 * </pre>
 *
 * The window begins small, doubles when a quarter of it came at once and the application kept up, and halves again when
 * for long not an eighth of it was needed. A receive that is posted cannot be taken back: it goes when a frame has come
 * in it, so a connection on which nothing comes keeps what it has.
 *
 * The peer must not come to a stand while the application reads, though it keep what it read, as one does that collects
 * a message of many frames. The peer knows of all receives but those that are held, less than a lot that wait, and some
 * that frames of control have taken; and to send data it has to know of more than the reserve. So the application may
 * keep {@code window - lot - 2 * reserve} buffers; what it reads beyond that is copied for it. What it does not read
 * stops a peer that is too fast, unless our owner copies it, see {@link #isPeerStopped}.
 */
final class StreamReceiver implements SlotListener {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(StreamReceiver.class);

    /** Windows full of frames that have to come calmly before the window halves. */
    private static final int CALM_WINDOWS = 8;

    private final QueuePair queuePair;
    private final SlotPool slots;
    private final ByteBufAllocator reported;
    private final CreditDebt debt;
    private final RdmaCounters counters;
    private final PostBatches batches;
    private final long workRequestIds;
    private final int bufferSize;
    private final Runnable whenDue;
    private final int minWindow;
    private int maxWindow;
    private int window;
    /** Frames that came since more than an eighth of the window was needed. */
    private int calm;

    /** Slots of posted receives, the oldest at {@code head}: a queue pair's receives complete in order. */
    private final int[] posted;
    private int head;
    private int postedCount;

    private final int[] waiting;
    private int waitingCount;
    /** Whether what frames of control came in is among them. */
    private boolean controlWaits;

    private int held;
    /** Of those held, the ones that the application has read; their buffers are marked. */
    private int kept;
    /** Frames since receives were last looked after. */
    private int frames;
    private boolean closed;

    /** @param whenDue called when so many receives wait that the peer should be told. */
    StreamReceiver(QueuePair queuePair, StreamMemory memory, StreamConfig config, CreditDebt debt,
                   RdmaCounters counters, long workRequestIds, Runnable whenDue) {
        this.queuePair = queuePair;
        slots = memory.receives();
        batches = memory.batches();
        reported = memory.reported();
        this.debt = debt;
        this.counters = counters;
        this.workRequestIds = workRequestIds;
        this.whenDue = whenDue;
        bufferSize = config.receiveBuffer();
        maxWindow = Math.min(config.maxWindow(), queuePair.granted().maxReceives());
        minWindow = initialWindow(queuePair, config);
        window = minWindow;
        posted = new int[maxWindow];
        waiting = new int[maxWindow];
    }

    static int initialWindow(QueuePair queuePair, StreamConfig config) {
        return Math.min(config.initialWindow(), queuePair.granted().maxReceives());
    }

    /**
     * Posts the first receives; the peer is told of them with the connection data.
     *
     * @throws IOException if there is no memory, or it could not be registered, or a receive not be posted;
     *         {@link #release} then.
     */
    void open() throws IOException {
        take(window);
        post();
    }

    /** A receive completed. Its slot is the caller's, for {@link #hand} or {@link #recycle}. */
    void completed(int slot) {
        if (postedCount == 0 || posted[head] != slot) {
            throw new IllegalStateException("a receive into slot " + slot + " completed, "
                    + (postedCount == 0 ? "none is posted" : "slot " + posted[head] + " is the next"));
        }
        head = next(head, 1);
        postedCount--;
        frames++;
    }

    /** The payload of a frame of data, as a buffer. */
    ByteBuf hand(int slot, int length) {
        held++;
        return slots.received(slot, FrameHeader.SIZE).hand(length, this, reported);
    }

    /**
     * A slot that no data came in. It is posted again as soon as it can be: what it held may have come out of the
     * peer's reserve, and a peer that could not say any more that it has posted receives would stop us.
     */
    void recycle(int slot) {
        controlWaits = true;
        putBack(slot);
    }

    /** The application reads a buffer, or a part: gets it, or a copy if it has too many already. */
    ByteBuf deliver(ByteBuf received, ByteBufAllocator allocator) {
        ReceivedByteBuf buffer = ReceivedByteBuf.of(received);
        if (closed || buffer == null || buffer.isMarked()) {
            return received;
        }
        if (kept < mayKeep()) {
            kept++;
            buffer.mark();
            return received;
        }
        counters.increment(RdmaCounter.READS_COPIED);
        try {
            return copyOf(received, allocator);
        } finally {
            received.release();
        }
    }

    private static ByteBuf copyOf(ByteBuf received, ByteBufAllocator allocator) {
        ByteBuf copy;
        try {
            copy = allocator.ioBuffer(received.readableBytes());
        } catch (OutOfRegisteredMemoryError e) {
            // To be here it needs no device.
            copy = allocator.heapBuffer(received.readableBytes());
        }
        return copy.writeBytes(received);
    }

    /** Whether the peer knows of no receive for data, and would if the application had nothing left to read. */
    boolean isPeerStopped() {
        return !closed && held > kept && debt.outstanding() <= CreditWindow.RESERVE;
    }

    @Override
    public void released(int slot) {
        held--;
        if (slots.received(slot, FrameHeader.SIZE).isMarked()) {
            kept--;
        }
        putBack(slot);
        if (isDue()) {
            whenDue.run();
        }
    }

    /**
     * Posts receives again if they are enough to tell the peer of, or have to be told with the next frame.
     *
     * @throws VerbsException if they could not be posted; the connection cannot go on.
     */
    void replenish() throws VerbsException {
        if (closed) {
            return;
        }
        resize();
        frames = 0;
        if (controlWaits || isDue()) {
            int before = postedCount;
            post();
            debt.posted(postedCount - before);
        }
    }

    /** Receives are posted no more; those that the device has come back by their completions or {@link #release}. */
    void close() {
        closed = true;
        while (waitingCount > 0) {
            slots.give(waiting[--waitingCount]);
        }
    }

    /** The device will write to no slot any more. What the application holds comes back later. */
    void release() {
        close();
        for (; postedCount > 0; postedCount--) {
            slots.give(posted[head]);
            head = next(head, 1);
        }
    }

    /** Receives that are posted at most, at present. */
    int window() {
        return window;
    }

    /** Buffers that the application may have without the peer noticing. */
    private int mayKeep() {
        return Math.max(0, window - CreditDebt.lot(window) - 2 * CreditWindow.RESERVE);
    }

    private void putBack(int slot) {
        if (closed) {
            slots.give(slot);
        } else {
            waiting[waitingCount++] = slots.compact(slot);
        }
    }

    private boolean isDue() {
        return !closed && waitingCount > 0 && debt.isDueWith(waitingCount);
    }

    private void resize() {
        // The peer sends much at once, and the application keeps up.
        if (frames >= window / 4 && held == kept && window < maxWindow) {
            grow();
        }
        calm = Math.max(frames, held) > window / 8 ? 0 : calm + frames;
        if (calm > CALM_WINDOWS * window && window > minWindow) {
            calm = 0;
            window = Math.max(minWindow, window / 2);
            debt.resized(window);
        }
        drop();
    }

    /**
     * More receives are posted than there are to be: those that wait are not posted again. What the application holds
     * does not count. It may have got that out of what was posted before the window halved, and then the peer's
     * reserve must not pay for it.
     */
    private void drop() {
        int count = Math.min(waitingCount, postedCount + waitingCount - window);
        if (count > 0) {
            debt.dropped(count);
            for (int i = 0; i < count; i++) {
                slots.give(waiting[--waitingCount]);
            }
        }
    }

    private void grow() {
        int wanted = Math.min(2 * window, maxWindow);
        try {
            take(wanted - receives());
        } catch (IOException e) {
            wanted = Math.min(wanted, Math.max(window, receives()));
            maxWindow = wanted;
            LOGGER.warn("{} stays with {} receives: no memory for more", queuePair, wanted, e);
        }
        window = wanted;
        debt.resized(window);
    }

    private int receives() {
        return postedCount + held + waitingCount;
    }

    private void take(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            // The pool may take in what other threads have released, some of it ours, which then waits as well.
            int slot = slots.take();
            waiting[waitingCount++] = slot;
        }
    }

    private void post() throws VerbsException {
        controlWaits = false;
        while (waitingCount > 0) {
            ReceiveBatch batch = batches.receives();
            int count = Math.min(waitingCount, batch.capacity());
            for (int i = 1; i <= count; i++) {
                int slot = waiting[waitingCount - i];
                batch.receive(WorkRequestId.of(workRequestIds, WorkRequestId.Kind.RECEIVE, slot))
                        .piece(slots.address(slot), bufferSize, slots.localKey(slot));
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
    }

    /** The device has that many of those that wait. */
    private void posted(int count) {
        for (int i = 0; i < count; i++) {
            posted[next(head, postedCount)] = waiting[--waitingCount];
            postedCount++;
        }
    }

    private int next(int at, int count) {
        int sum = at + count;
        return sum >= posted.length ? sum - posted.length : sum;
    }
}
