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
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.nettyrdma.buffer.OutOfRegisteredMemoryError;
import io.nettyrdma.buffer.RegisteredByteBuf;
import io.nettyrdma.memory.LoopTasks;
import io.nettyrdma.memory.ReceivedByteBuf;
import io.nettyrdma.memory.SlotListener;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.protocol.CreditDebt;
import io.nettyrdma.verbs.PostException;
import io.nettyrdma.verbs.VerbsException;

import java.io.IOException;

/**
 * Decides how many frames the peer may send at a time and how long they may be, and turns received data into buffers.
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
 * The window begins small. It doubles when a quarter of it arrived at once and the application kept up, as far as there
 * is memory; otherwise it tries again later. It halves when, for a long time, less than an eighth of it was needed.
 * When {@link ReceiveSizes} wants another size, a new window of that size begins behind the posted receives:
 *
 * <pre>
 *   posted   [ outgrown: not posted again | of the present size ]   the order in which frames use them
 *                                         ^ announced to the peer with the first credits behind it
 * </pre>
 *
 * A posted receive cannot be taken back. When nothing has arrived for a while, {@link #calmDown} begins the smallest
 * window; as long as {@link #wantsUse}, the owner lets frames of the peer use up the others.
 *
 * A peer must not stall while the application reads, even if the application keeps what it reads, for instance to
 * collect a message of many frames. All receives are advertised to the peer except those that are held, less than one
 * credit batch that waits, and some that control frames have used. The peer needs more credits than the reserve to send
 * data. So the application may keep {@code window - batch - 2 * reserve} buffers. What it reads beyond that is replaced
 * by other receives, as far as there is plenty of memory and up to a window of them, and then copied. Unread data stops
 * a peer that is too fast, unless the owner copies it, see {@link #isPeerStopped}.
 */
final class StreamReceiver implements StreamInput.Source {

    /** Windows full of frames, with no more than an eighth of the window needed at a time, before the window halves. */
    private static final int CALM_WINDOWS = 8;
    /** Windows full of frames before a growth is tried again for which there was no memory. */
    private static final int PATIENCE_WINDOWS = 4;

    private final ReceiveSource source;
    private final ReceiveSizes sizes;
    private final StreamConfig config;
    private final ByteBufAllocator reported;
    private final CreditDebt debt;
    private final StreamMetrics metrics;
    private final StreamEvents events;
    private final ThreadAwareExecutor loop;
    private final Runnable whenDue;
    private final Runnable dueTask = this::due;
    private final int minWindow;
    private int window;
    /** Frames that arrived since more than an eighth of the window was needed. */
    private int calm;
    /** Frames until the next attempt to grow, if positive. */
    private int patience;

    /** Receives that the peer's frames have not used yet: those of sizes before the present one, and the others. */
    private int outgrown;
    private int posted;
    /** Whether receives that control frames have used wait. */
    private boolean controlWaits;

    /** The receives of the present window that are held. */
    private Held held = new Held();
    /** Receives of all windows that are held, and those whose buffers the application has read; these are marked. */
    private int retainedCount;
    private int deliveredCount;
    /** Frames since the last {@link #resize}. */
    private int frames;
    private boolean closed;
    /** A batch of completions is handled; its end posts receives. */
    private boolean inBatch;
    private boolean isTaskScheduled;
    /** Whether data has arrived since the last {@link #calmDown}. */
    private boolean isActive;

    /**
     * @param whenDue called in a task of the loop when enough receives wait to be advertised, outside of a batch.
     */
    StreamReceiver(StreamParts parts, StreamMemory memory, StreamConfig config, StreamEvents events, Runnable whenDue) {
        this.config = config;
        sizes = new ReceiveSizes(SizeRule.configured(), config.receiveSizes());
        source = parts.receives();
        debt = parts.debt();
        reported = memory.reported();
        loop = memory.receives().loop();
        metrics = parts.metrics();
        this.events = events;
        this.whenDue = whenDue;
        minWindow = Math.min(config.initialWindow(), source.maximum());
        window = minWindow;
    }

    /**
     * Posts the first receives. The connection data advertises them.
     *
     * @throws IOException if there is no memory, it could not be registered, or a receive could not be posted; then
     *         call {@link #release}.
     */
    void open() throws IOException {
        source.add(window);
        debt.begin(post(), sizes.bytes());
        metrics.window(window, sizes.bytes());
    }

    /** A receive completed. It belongs to the caller, who passes it to {@link #toBuffer} or {@link #recycle}. */
    void completed(int receive) {
        source.completed(receive);
        if (outgrown > 0) {
            outgrown--;
        } else {
            posted--;
        }
        frames++;
    }

    /** Returns the payload of a DATA frame as a buffer. */
    ByteBuf toBuffer(int receive, int length) {
        isActive = true;
        sizes.arrived(length);
        return held.hand(receive, length);
    }

    /**
     * Takes back a receive without data. It is posted again as soon as possible: its frame may have used the peer's
     * reserve, and a peer that cannot advertise its receives any more would stop this side.
     */
    void recycle(int receive) {
        controlWaits = true;
        source.giveBack(receive);
    }

    /** Returns the buffer, or a copy if the application holds too many, or would hold a large one for a few bytes. */
    @Override
    public ByteBuf deliver(ByteBuf received, ByteBufAllocator allocator) {
        ReceivedByteBuf buffer = ReceivedByteBuf.of(received);
        if (closed || buffer == null || buffer.isMarked()) {
            return received;
        }
        if (buffer == RegisteredByteBuf.of(received)) {
            ByteBuf small = source.copyIfSmall(buffer, reported);
            if (small != null) {
                metrics.loop().increment(RdmaCounter.SMALL_READS_COPIED);
                received.release();
                return small;
            }
        }
        Held owner = (Held) buffer.listener();
        if (owner.mayDeliver()) {
            owner.delivered++;
            deliveredCount++;
            buffer.mark();
            return received;
        }
        metrics.loop().increment(RdmaCounter.READS_COPIED);
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
    @Override
    public boolean isPeerStopped() {
        return !closed && retainedCount > deliveredCount && debt.isUsedUp();
    }

    /** Posts what waits, in a task, if that is due and no batch ends soon. */
    private void postLater() {
        if (!inBatch && !isTaskScheduled && isDue()) {
            // A loop that has ended receives nothing any more.
            isTaskScheduled = LoopTasks.execute(loop, dueTask);
        }
    }

    private void due() {
        isTaskScheduled = false;
        whenDue.run();
    }

    /** A batch of completions begins, or goes on. */
    void beginBatch() {
        inBatch = true;
    }

    /**
     * The batch is handled and what it brought is read: fits the window to it, and posts receives that must not wait
     * for the next batch, which the peer's next frame begins.
     *
     * @throws VerbsException as {@link #replenish}.
     */
    void endBatch() throws VerbsException {
        inBatch = false;
        if (resize() || controlWaits || debt.isLow()) {
            replenish();
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
        drop();
        if (controlWaits || isDue()) {
            try {
                debt.posted(post(), sizes.bytes());
            } catch (PostException e) {
                refused(e);
            }
        }
    }

    /**
     * A post of receives or sends was refused. If the connection has ended before its event arrived, nothing is posted
     * any more: flushed completions, or DISCONNECTED, will report the end.
     *
     * @throws PostException if the reason is another one.
     */
    void refused(PostException post) throws PostException {
        if (!post.isNotConnected()) {
            throw post;
        }
        close();
    }

    /** Stops posting receives. Posted ones come back by their completions or by {@link #release}. */
    void close() {
        closed = true;
        source.close();
    }

    /** Gives back all receives: the device writes to none any more. The application gives back later what it holds. */
    void release() {
        close();
        source.release();
    }

    private int maxWindow(int bytes) {
        return Math.min(config.maxWindow(bytes), source.maximum());
    }

    private boolean isDue() {
        return !closed && source.waiting() > 0 && debt.isDueWith(source.waiting());
    }

    /** Whether there are more or larger receives than in the beginning. */
    boolean isGrown() {
        return !closed && (sizes.size() > 0 || window > minWindow || hasExcess());
    }

    /** Whether frames without data should use up receives, which are not posted again. */
    boolean wantsUse() {
        return !isActive && !closed && hasExcess();
    }

    private boolean hasExcess() {
        return outgrown > 0 || posted > window;
    }

    /**
     * Called once in an interval: if no data has arrived in it, begins the smallest window.
     *
     * @return whether frames may use up what is posted: the window is begun, or can be once a frame has been sent.
     * @throws VerbsException as {@link #replenish}.
     */
    boolean calmDown() throws VerbsException {
        boolean isCalm = !isActive;
        isActive = false;
        if (!isCalm || closed || retainedCount > deliveredCount) {
            return false;
        }
        if (debt.isUsedUp()) {
            metrics.loop().increment(RdmaCounter.STALLS);
        }
        if (sizes.size() > 0) {
            if (!debt.mayChangeSize()) {
                // Nothing else may be sent, and so nothing would announce the size before: the PING does.
                return true;
            }
            if (!begin(0, minWindow)) {
                return false;
            }
            sizes.restart();
        } else {
            resized(minWindow);
        }
        replenish();
        return true;
    }

    /**
     * Fits the window to the frames that have arrived since the last call. Called when they are read.
     *
     * @return whether receives of another size wait.
     */
    private boolean resize() {
        if (closed) {
            return false;
        }
        patience = Math.max(0, patience - frames);
        if (frames > 0 && changeSize()) {
            frames = 0;
            return true;
        }
        // The peer sends much at once, and the application keeps up.
        if (frames >= window / 4 && retainedCount == deliveredCount && patience == 0
                && window < maxWindow(sizes.bytes())) {
            grow();
        }
        calm = Math.max(frames, retainedCount) > window / 8 ? 0 : calm + frames;
        if (calm > CALM_WINDOWS * window && window > minWindow) {
            calm = 0;
            resized(Math.max(minWindow, window / 2));
        }
        frames = 0;
        drop();
        return false;
    }

    private boolean changeSize() {
        int wanted = sizes.wanted(window);
        boolean grows = wanted > sizes.size();
        if (wanted == sizes.size() || !debt.mayChangeSize()
                || grows && (patience > 0 || retainedCount > deliveredCount)) {
            return false;
        }
        int bytes = sizes.bytes(wanted);
        int count = Math.max(minWindow, Math.min((int) ((long) window * sizes.bytes() / bytes), maxWindow(bytes)));
        if (!begin(wanted, count)) {
            if (grows) {
                holdBack();
            }
            return false;
        }
        return true;
    }

    /** Begins a window of another size, or of the smallest number of receives. */
    private boolean begin(int size, int count) {
        int waiting = source.waiting();
        if (!source.resize(size, count)) {
            return false;
        }
        sizes.changed(size);
        debt.dropped(waiting);
        outgrown += posted;
        posted = 0;
        held = new Held();
        calm = 0;
        resized(count);
        return true;
    }

    private void resized(int receives) {
        events.windowBegins(window, receives, sizes.bytes());
        window = receives;
        debt.resized(receives);
        metrics.window(receives, sizes.bytes());
    }

    private void holdBack() {
        metrics.loop().increment(RdmaCounter.WINDOWS_HELD_BACK);
        patience = PATIENCE_WINDOWS * window;
    }

    /**
     * Drops waiting receives that exceed the window. Receives that the application holds do not count: they may have
     * been posted before the window halved, and then the peer's reserve must not pay for them.
     */
    private void drop() {
        int waiting = source.waiting();
        int count = Math.min(waiting, posted + waiting - window);
        if (count > 0) {
            debt.dropped(count);
            source.remove(count);
        }
    }

    private void grow() {
        int wanted = Math.min(2 * window, maxWindow(sizes.bytes()));
        // What the application keeps may be many, and none of the peer's: a larger window takes more of the others.
        int missing = Math.max(wanted - receives(), CreditDebt.needed(wanted) - left());
        if (source.addIfPlenty(missing) < missing) {
            holdBack();
            wanted = Math.min(wanted, Math.max(window, receives()));
            if (left() < CreditDebt.needed(wanted)) {
                return;
            }
        }
        resized(wanted);
    }

    /** Those of the present window, and those that replace kept ones. */
    private int receives() {
        return posted + held.count + source.waiting();
    }

    /** Those of them that the application does not keep. */
    private int left() {
        return receives() - held.delivered;
    }

    private int post() throws VerbsException {
        controlWaits = false;
        int count = source.post();
        posted += count;
        return count;
    }

    /** The receives of one window that the stream or the application holds. */
    private final class Held implements SlotListener {

        private int count;
        /** Those that the application has read. */
        private int delivered;

        /** Whether the application may have one more, which another receive replaces if too few are left. */
        boolean mayDeliver() {
            // Those of another window are few, and not posted again in any case.
            if (this != held || left() > CreditDebt.needed(window)) {
                return true;
            }
            if (receives() >= 2 * window || source.addIfPlenty(1) == 0) {
                return false;
            }
            postLater();
            return true;
        }

        ByteBuf hand(int receive, int length) {
            count++;
            retainedCount++;
            return source.payload(receive).toBuffer(length, this, reported);
        }

        @Override
        public void released(int receive) {
            count--;
            retainedCount--;
            if (source.payload(receive).isMarked()) {
                delivered--;
                deliveredCount--;
            }
            source.giveBack(receive);
            postLater();
        }
    }
}
