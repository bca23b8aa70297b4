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
package io.nettyrdma.pipeline;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelProgressivePromise;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelProgressivePromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * A channel's unsafe as the pipeline sees it, if its messages may outlive the channel. It keeps the promises of the
 * messages in the channel's outbound buffer. Netty's buffer fails all of its promises when the
 * channel is closed, and gives none away. So it gets stand-ins for them. A message that outlives its channel moves to
 * another buffer together with its promise, and its stand-in stands for nothing.
 *
 * <pre>
 *   outbound buffer   [A a] [B b] [C c] [D d]
 *                        |     |     |     |      move(2)      [A 1] [B 2]  another buffer
 *   promises             1     2     3     4    ----------&gt;
 *
 *   ring              | a | b | c | d |   |   |   in the order of the writes; its objects are used again
 *                      head            tail
 * </pre>
 *
 * <p>Belongs to the event loop. Allocates only when more messages wait than in the last second or two.
 */
public class PromisingUnsafe extends ForwardingUnsafe {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(PromisingUnsafe.class);

    private static final int FEWEST = 8;
    /** The memory of a longer queue of messages is given up when it was not needed for a while. */
    private static final int MOST_KEPT = 64;
    private static final int TRIM_MILLIS = 1_000;

    private final Channel channel;
    private final Channel.Unsafe unsafe;
    private final Runnable trimTask = this::trim;
    private StandIn[] ring = new StandIn[FEWEST];
    /** Counts of stand-ins, which are never reset. */
    private int head;
    private int tail;
    /** The most messages that waited since the last trim. */
    private int longest;
    private boolean isTrimScheduled;
    /**
     * The last one, while the channel takes its message and may refuse it. Netty may call handlers meanwhile, which may
     * write and flush; but what they complete before this one was written before it.
     */
    private StandIn entering;

    /** @param unsafe the channel's own. */
    public PromisingUnsafe(Channel channel, Channel.Unsafe unsafe) {
        super(unsafe);
        this.channel = channel;
        this.unsafe = unsafe;
    }

    /** Writes a message with a stand-in for its promise. A closed channel, without a buffer, fails the promise. */
    @Override
    public final void write(Object message, ChannelPromise promise) {
        if (unsafe.outboundBuffer() == null) {
            unsafe.write(message, promise);
            return;
        }
        StandIn standIn = next();
        standIn.promise = promise;
        standIn.cancelled = false;
        entering = standIn;
        try {
            unsafe.write(message, standIn);
        } finally {
            entering = null;
        }
    }

    private StandIn next() {
        int waiting = tail - head;
        if (waiting == ring.length) {
            resize(2 * waiting);
            trimLater();
        }
        if (waiting >= longest) {
            longest = waiting + 1;
        }
        int at = tail++ & ring.length - 1;
        if (ring[at] == null) {
            ring[at] = new StandIn(channel);
        }
        return ring[at];
    }

    private void resize(int size) {
        StandIn[] other = new StandIn[size];
        for (int i = head; i != tail; i++) {
            other[i & size - 1] = ring[i & ring.length - 1];
        }
        ring = other;
    }

    /** The buffer completes promises in order, except for that of a message that it does not take. */
    private void remove(StandIn completed) {
        if (completed == entering) {
            tail--;
            return;
        }
        while (ring[head++ & ring.length - 1] != completed) {
            // The promise before it was cancelled, and the buffer does not complete it.
            continue;
        }
        if (head == tail && ring.length > MOST_KEPT && !isTrimScheduled) {
            resize(FEWEST);
        }
    }

    private void trimLater() {
        if (ring.length > MOST_KEPT && !isTrimScheduled) {
            isTrimScheduled = scheduleTrim();
        }
    }

    /** Returns {@code false} if the loop takes no tasks: then an empty queue is trimmed at once. */
    private boolean scheduleTrim() {
        try {
            channel.eventLoop().schedule(trimTask, TRIM_MILLIS, TimeUnit.MILLISECONDS);
            return true;
        } catch (RejectedExecutionException e) {
            LOGGER.trace("{}: promises of the longest queue stay until it is empty", channel, e);
            return false;
        }
    }

    /** Gives up what the messages since the last call did not need. */
    private void trim() {
        if (!channel.eventLoop().inEventLoop()) {
            // The channel has moved to another loop, to which the ring belongs.
            scheduleTrim();
            return;
        }
        isTrimScheduled = false;
        int needed = ring.length;
        while (needed > FEWEST && needed / 2 >= longest) {
            needed /= 2;
        }
        if (needed < ring.length) {
            resize(needed);
        }
        longest = tail - head;
        trimLater();
    }

    /**
     * Moves flushed messages from the head of the channel's buffer to the end of another one. Messages whose promise
     * was cancelled are left out and not counted. One that was released too often stays, and so do those behind it.
     *
     * @param to a buffer that is not the channel's own. The messages' bytes do not count there; their number does, as
     *        Netty adds some bytes for each.
     * @return the number of messages that were moved.
     */
    public final int move(ChannelOutboundBuffer from, int count, ChannelOutboundBuffer to) {
        if (count == 0) {
            return 0;
        }
        Move move = new Move(to, count);
        long progress = from.currentProgress();
        boolean isFirst = to.isEmpty();
        try {
            from.forEachFlushedMessage(move);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        to.addFlush();
        if (isFirst && progress > 0 && !to.isEmpty()) {
            to.progress(progress);
        }
        return move.moved;
    }

    private final class Move implements ChannelOutboundBuffer.MessageProcessor {

        private final ChannelOutboundBuffer to;
        private final int count;
        private int moved;
        private int next = head;

        Move(ChannelOutboundBuffer to, int count) {
            this.to = to;
            this.count = count;
        }

        @Override
        public boolean processMessage(Object message) {
            StandIn standIn;
            do {
                standIn = ring[next++ & ring.length - 1];
            } while (standIn.cancelled);
            try {
                ReferenceCountUtil.retain(message);
            } catch (RuntimeException e) {
                return false;
            }
            to.addMessage(message, 0, standIn.promise);
            standIn.promise = null;
            return ++moved < count;
        }
    }

    /** Netty's outbound buffer calls the methods that are overridden here, and no others. */
    private final class StandIn extends DefaultChannelProgressivePromise {

        /** {@code null} if another owner completes it. */
        private ChannelPromise promise;
        private boolean cancelled;

        StandIn(Channel channel) {
            super(channel);
        }

        @Override
        public boolean setUncancellable() {
            cancelled = promise != null && !promise.setUncancellable();
            return !cancelled;
        }

        @Override
        public boolean trySuccess(Void result) {
            ChannelPromise completed = complete();
            return completed == null || completed.trySuccess(result) || completed.isVoid();
        }

        @Override
        public boolean tryFailure(Throwable cause) {
            ChannelPromise completed = complete();
            return completed == null || completed.tryFailure(cause) || completed.isVoid();
        }

        private ChannelPromise complete() {
            ChannelPromise completed = promise;
            promise = null;
            remove(this);
            return completed;
        }

        @Override
        public boolean tryProgress(long progress, long total) {
            // Its class first, because a check for an interface that is not there takes longer than all of this.
            return promise != null && promise.getClass() != DefaultChannelPromise.class && !promise.isVoid()
                    && promise instanceof ChannelProgressivePromise real && real.tryProgress(progress, total);
        }
    }
}
