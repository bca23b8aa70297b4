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

import java.io.IOException;

/**
 * How far the messages of Netty's outbound buffer are sent, and how far that is done: copied and posted, or read by the
 * device. Takes off the buffer what is done.
 *
 * <pre>
 *   removed          done                 sent
 *      | A | B | C     .  D | E | F | G     .  | H |         '|' ends a message, '.' is within one
 *      |&lt;- removed next -&gt;|&lt;-- waiting --&gt;|&lt;- not sent
 * </pre>
 *
 * Messages are counted, and their lengths never asked for again: a file region may say anything else the next time, and
 * a buffer's indices may be moved. So whatever one of them does, no byte of another is left out or sent twice.
 *
 * <p>Removing completes promises, and a promise's listener may do anything: write and flush, so that messages are added
 * while we remove; or close the channel, so that the outbound buffer is empty when we come back. So nothing is
 * remembered across such a call, and what a call within a call finishes is removed by the outer one.
 */
final class OutboundMessages {

    /** Numbers of messages, counted on without end; bytes of the message that comes next. */
    private int removed;
    private int done;
    private long doneOf;
    private int sent;
    private long sentOf;
    private boolean removing;
    private boolean ends;
    /** Messages up to here are sent, if it ends. */
    private int end;

    /** Messages that were sent to their end. */
    int sent() {
        return sent;
    }

    /** Bytes that were sent of the message after those; a file region's as itself counts them. */
    long sentOf() {
        return sentOf;
    }

    /** How many messages at the head of the outbound buffer were sent to their end. */
    int unremoved() {
        return sent - removed;
    }

    /**
     * Whether something was sent that waits for a completion. All that comes behind it waits too, for promises are
     * completed in their order.
     */
    boolean isWaiting() {
        return done != sent || doneOf != sentOf;
    }

    /** So many bytes of the present message are sent, those added last as a copy. */
    void copied(long bytes) {
        boolean waits = isWaiting();
        sentOf = bytes;
        if (!waits) {
            doneOf = bytes;
        }
    }

    /** So many bytes of the present message are sent, those added last from where they are. */
    void gathered(long bytes) {
        sentOf = bytes;
    }

    /** The present message is sent to its end; without bytes too. */
    void ended() {
        boolean waits = isWaiting();
        sent++;
        sentOf = 0;
        if (!waits) {
            allDone();
        }
    }

    /** What was sent when {@link #sent} and {@link #sentOf} were so is done. It may have been before. */
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

    /** So many messages behind those that were sent are the last. The first end counts. */
    void endAfter(int messages) {
        if (!ends) {
            ends = true;
            end = sent + messages;
        }
    }

    /** No more is sent, not even the rest of a message. */
    void endHere() {
        ends = true;
        end = sent;
    }

    boolean isAtEnd() {
        return ends && sent == end;
    }

    /** Nothing is removed any more: the outbound buffer's owner fails what is in it. */
    void giveUp() {
        done = removed;
        doneOf = 0;
    }

    /**
     * To be asked before more is sent, with the outbound buffer as its owner has it now.
     *
     * @throws IOException if messages that were sent are not there: some bytes would be left out, or sent twice.
     */
    void check(ChannelOutboundBuffer in) throws IOException {
        int least = unremoved() + (sentOf > 0 ? 1 : 0);
        if (in.size() < least) {
            throw new IOException("the outbound buffer has " + in.size() + " messages, and " + least
                    + " of it were sent and not removed: somebody else has removed some");
        }
    }

    /** Removes what is done. */
    void remove(ChannelOutboundBuffer in) {
        if (in == null || removing) {
            return;
        }
        removing = true;
        try {
            Object message = in.current();
            while (message != null && remove(in, message)) {
                message = in.current();
            }
        } finally {
            removing = false;
        }
    }

    /** Removes the first message, or tells how far it is; false if there is nothing to do. */
    private boolean remove(ChannelOutboundBuffer in, Object message) {
        if (isUncounted(message)) {
            in.remove();
            return true;
        }
        if (removed == done) {
            return tellProgress(in, doneOf);
        }
        tellProgress(in, message instanceof ByteBuf buffer ? buffer.readableBytes()
                : ((FileRegion) message).transferred());
        removed++;
        in.remove();
        return true;
    }

    /** Returns whether it was news. */
    private static boolean tellProgress(ChannelOutboundBuffer in, long bytes) {
        long more = bytes - in.currentProgress();
        if (more > 0) {
            in.progress(more);
        }
        return more > 0;
    }

    /** What has taken the place of a message whose promise was cancelled; Netty does not show that to who sends. */
    static boolean isUncounted(Object message) {
        return message == Unpooled.EMPTY_BUFFER;
    }
}
