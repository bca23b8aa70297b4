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
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.FileRegion;
import io.nettyrdma.remote.RemoteOperation;

import java.io.IOException;

/**
 * Tracks how far the messages of Netty's outbound buffer are sent, and how far they are done: copied and posted, or
 * read by the device. Removes messages that are done from the buffer.
 *
 * <pre>
 *   removed          done                 sent
 *      | A | B | C     .  D | E | F | G     .  | H |         '|' ends a message, '.' is within one
 *      |&lt;- removed next -&gt;|&lt;-- waiting --&gt;|&lt;- not sent
 * </pre>
 *
 * Messages are counted, and their lengths are never read again: a file region may report another length the next time,
 * and a buffer's indices may be moved. So whatever one message does, no byte of another is left out or sent twice.
 *
 * <p>Removing a message completes its promise, reporting progress notifies it, and a listener may do anything: write
 * and flush, which adds messages meanwhile, or finds that the connection has ended; or close the channel, which empties
 * the outbound buffer. So no state is kept across such a call, and messages that are done within a nested call are
 * removed by the outer one.
 */
final class OutboundMessages {

    /** Counts of messages, which are never reset, and bytes of the message that follows. */
    private int removed;
    private int done;
    private long doneOf;
    private int sent;
    private long sentOf;
    /** The values of {@link #done} before the present flush. */
    private int doneBefore;
    private long doneBeforeOf;
    private boolean removing;
    private boolean stopsRemoving;
    private boolean ends;
    /** The number of messages to send, if {@link #ends}. */
    private int end;

    /** The number of messages that were sent to their end. */
    int sent() {
        return sent;
    }

    /** The bytes that were sent of the message after those. A file region counts its own. */
    long sentOf() {
        return sentOf;
    }

    /** The number of messages at the head of the outbound buffer that were sent to their end. */
    int unremoved() {
        return sent - removed;
    }

    /**
     * Whether bytes that were sent wait for a completion. All bytes behind them wait too, because promises complete in
     * order.
     */
    boolean isWaiting() {
        return done != sent || doneOf != sentOf;
    }

    /** A flush begins: what is sent from now on is posted at its end. */
    void beginFlush() {
        doneBefore = done;
        doneBeforeOf = doneOf;
    }

    /** The device refused the post of this flush, in part or all of it: copies are not done unless they complete. */
    void refused() {
        done = doneBefore;
        doneOf = doneBeforeOf;
    }

    /** The first {@code bytes} bytes of the present message are sent. The new ones among them were copied. */
    void copied(long bytes) {
        boolean waits = isWaiting();
        sentOf = bytes;
        if (!waits) {
            doneOf = bytes;
        }
    }

    /** The first {@code bytes} bytes of the present message are sent. The new ones among them are gathered. */
    void gathered(long bytes) {
        sentOf = bytes;
    }

    /** The present message, which may be empty, is sent to its end. */
    void ended() {
        boolean waits = isWaiting();
        sent++;
        sentOf = 0;
        if (!waits) {
            allDone();
        }
    }

    /** The present message, which may be empty, is sent to its end, and not done before a request has completed. */
    void endedInFlight() {
        sent++;
        sentOf = 0;
    }

    /** Everything that was sent at these values of {@link #sent} and {@link #sentOf} is done, or was done before. */
    void done(int messages, long bytesOfNext) {
        if (messages - done > 0 || messages == done && bytesOfNext > doneOf) {
            done = messages;
            doneOf = bytesOfNext;
        }
    }

    void allDone() {
        done = sent;
        doneOf = sentOf;
    }

    /** So many further messages are the last ones to send. Only the first call counts. */
    void endAfter(int messages) {
        if (!ends) {
            ends = true;
            end = sent + messages;
        }
    }

    /** Nothing more is sent, not even the rest of a message. */
    void endHere() {
        ends = true;
        end = sent;
    }

    boolean isAtEnd() {
        return ends && sent == end;
    }

    /** The most messages that may still be sent. */
    int maxUnsent() {
        return ends ? end - sent : Integer.MAX_VALUE;
    }

    /** Removes nothing any more: the owner of the outbound buffer fails the messages in it. */
    void stopRemoving() {
        stopsRemoving = true;
    }

    /**
     * Called before more is sent, with the outbound buffer in its present state.
     *
     * @throws IOException if messages that were sent are missing: bytes would be left out, or sent twice.
     */
    void check(ChannelOutboundBuffer in) throws IOException {
        // The rest of a message that threw is not sent, and Netty has failed it.
        int expected = unremoved() + (sentOf > 0 && !isAtEnd() ? 1 : 0);
        if (in.size() < expected) {
            throw new IOException("the outbound buffer has " + in.size() + " messages, and " + expected
                    + " of it were sent and not removed: another owner has removed some");
        }
    }

    /** Removes messages that are done. */
    void remove(ChannelOutboundBuffer in) {
        if (in == null || removing || stopsRemoving) {
            return;
        }
        removing = true;
        try {
            Object message = in.current();
            while (message != null && remove(in, message) && !stopsRemoving) {
                message = in.current();
            }
        } finally {
            removing = false;
        }
    }

    /** Removes the first message, or reports its progress. Returns false if there is nothing to do. */
    private boolean remove(ChannelOutboundBuffer in, Object message) {
        if (isUncounted(message)) {
            in.remove();
            return true;
        }
        if (removed == done) {
            return reportProgress(in, doneOf);
        }
        Throwable failure = reportEnd(in, message);
        if (stopsRemoving) {
            return false;
        }
        if (failure == null) {
            failure = complete(message);
        }
        removed++;
        if (failure == null) {
            in.remove();
        } else {
            in.remove(failure);
        }
        return true;
    }

    /** A message is the application's, which may have changed it: if it throws, it fails alone. */
    private static Throwable complete(Object message) {
        try {
            if (!(message instanceof ByteBuf) && message instanceof RemoteOperation operation) {
                operation.complete();
            }
        } catch (Throwable e) {
            return e;
        }
        return null;
    }

    /** The same of a region that is asked for its length. */
    private static Throwable reportEnd(ChannelOutboundBuffer in, Object message) {
        try {
            reportProgress(in, moved(message));
        } catch (Throwable e) {
            return e;
        }
        return null;
    }

    private static long moved(Object message) {
        if (message instanceof ByteBuf buffer) {
            return buffer.readableBytes();
        }
        return message instanceof RemoteOperation operation ? operation.length() : ((FileRegion) message).transferred();
    }

    /** Bytes of the whole message. */
    static long length(Object message) {
        return message instanceof FileRegion region ? region.count() : moved(message);
    }

    /** Returns whether there was new progress to report. */
    private static boolean reportProgress(ChannelOutboundBuffer in, long bytes) {
        long more = bytes - in.currentProgress();
        if (more > 0) {
            in.progress(more);
        }
        return more > 0;
    }

    /** Whether it replaces a message whose promise was cancelled. Netty does not pass such messages to the sender. */
    static boolean isUncounted(Object message) {
        return message == Unpooled.EMPTY_BUFFER;
    }
}
