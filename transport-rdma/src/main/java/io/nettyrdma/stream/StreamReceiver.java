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
 * Keeps receives posted, and turns received data into buffers.
 *
 * <pre>
 *             +------- control frames --------+
 *             |                               v
 *   posted ---+--- DATA ---> held ------> waiting ---> posted, many at once, and granted to the peer
 *   (device)             (application)  (stream)
 *
 *   window = posted + held + waiting; less than the sum after it has shrunk
 * </pre>
 *
 * The window begins small. It doubles when a quarter of it arrived at once and the application kept up. It halves when,
 * for a long time, less than an eighth of it was needed. A posted receive cannot be taken back: it is dropped after a
 * frame has used it, so an idle connection keeps its receives.
 *
 * A peer must not stall while the application reads, even if the application keeps what it reads, for instance to
 * collect a message of many frames. All receives are advertised to the peer except those that are held, less than one
 * credit batch that waits, and some that control frames have used. The peer needs more credits than the reserve to send
 * data. So the application may keep {@code window - lot - 2 * reserve} buffers, where {@code lot} is the credit batch;
 * what it reads beyond that is copied. Unread data stops a peer that is too fast, unless the owner copies it, see
 * {@link #isPeerStopped}.
 */
final class StreamReceiver implements SlotListener {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(StreamReceiver.class);

    /** Windows full of frames, with no more than an eighth of the window needed at a time, before the window halves. */
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
    /** Frames that arrived since more than an eighth of the window was needed. */
    private int calm;

    /** A ring of the slots of posted receives, the oldest at {@code head}: receives complete in order. */
    private final int[] posted;
    private int head;
    private int postedCount;

    private final int[] waiting;
    private int waitingCount;
    /** Whether slots that control frames have used are among them. */
    private boolean controlWaits;

    private int held;
    /** Held slots whose buffers the application has read; the buffers are marked. */
    private int kept;
    /** Frames since the last {@link #replenish}. */
    private int frames;
    private boolean closed;

    /** @param whenDue called when enough receives wait to be advertised. */
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
     * Posts the first receives. The connection data advertises them.
     *
     * @throws IOException if there is no memory, it could not be registered, or a receive could not be posted; then
     *         call {@link #release}.
     */
    void open() throws IOException {
        take(window);
        post();
    }

    /** A receive completed. The caller owns its slot, and passes it to {@link #hand} or {@link #recycle}. */
    void completed(int slot) {
        if (postedCount == 0 || posted[head] != slot) {
            throw new IllegalStateException("a receive into slot " + slot + " completed, "
                    + (postedCount == 0 ? "none is posted" : "slot " + posted[head] + " is the next"));
        }
        head = next(head, 1);
        postedCount--;
        frames++;
    }

    /** Returns the payload of a DATA frame as a buffer. */
    ByteBuf hand(int slot, int length) {
        held++;
        return slots.received(slot, FrameHeader.SIZE).hand(length, this, reported);
    }

    /**
     * Takes back a slot without data. It is posted again as soon as possible: its frame may have used the peer's
     * reserve, and a peer that cannot advertise its receives any more would stop this side.
     */
    void recycle(int slot) {
        controlWaits = true;
        putBack(slot);
    }

    /** The application reads a buffer, or part of one. Returns it, or a copy if the application holds too many. */
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
            // No device has to reach a copy for the application.
            copy = allocator.heapBuffer(received.readableBytes());
        }
        return copy.writeBytes(received);
    }

    /** Whether the peer has no credit for data, and would have if the application had no unread data. */
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
     * Posts receives again if there are enough to advertise, or if control frames have used some, which the next frame
     * must advertise.
     *
     * @throws VerbsException if they could not be posted. The connection cannot continue.
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

    /** Stops posting receives. Posted ones come back by their completions or by {@link #release}. */
    void close() {
        closed = true;
        while (waitingCount > 0) {
            slots.give(waiting[--waitingCount]);
        }
    }

    /** Gives back all slots: the device writes to none any more. Those that the application holds come back later. */
    void release() {
        close();
        for (; postedCount > 0; postedCount--) {
            slots.give(posted[head]);
            head = next(head, 1);
        }
    }

    /** The present maximum of posted receives. */
    int window() {
        return window;
    }

    /** Buffers that the application may keep without slowing the peer down. */
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
     * Drops waiting receives that exceed the window. Receives that the application holds do not count: they may have
     * been posted before the window halved, and then the peer's reserve must not pay for them.
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
            // take() may collect slots that other threads have released. Those of this stream then wait as well.
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
    }

    /** So many of the waiting receives are now posted. */
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
