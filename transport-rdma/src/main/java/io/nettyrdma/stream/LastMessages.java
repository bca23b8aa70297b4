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

import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelOutboundBuffer.MessageProcessor;

/** Counts the flushed messages that are still to be sent when the output ends, up to a limit of bytes. */
public final class LastMessages implements MessageProcessor {

    private int skip;
    /** Bytes of the first message that were sent. */
    private long sentOf;
    private long room;
    private int maxMessages;
    private int messages;
    private int entries;

    private LastMessages(OutboundMessages outbound, long bytes) {
        skip = outbound.unremoved();
        sentOf = outbound.sentOf();
        maxMessages = outbound.maxUnsent();
        room = bytes;
    }

    /** As {@link RdmaStream#lastMessages}, before a stream has begun to send them. */
    public static int beforeStream(ChannelOutboundBuffer from, long bytes) {
        return of(from, new OutboundMessages(), bytes).all();
    }

    /**
     * @param bytes not sent yet; a negative number leaves out all messages that were not sent to their end.
     */
    static LastMessages of(ChannelOutboundBuffer from, OutboundMessages outbound, long bytes) {
        LastMessages counted = new LastMessages(outbound, bytes);
        try {
            from.forEachFlushedMessage(counted);
        } catch (Throwable e) {
            // A region that does not know its size is not among the last.
            return counted;
        }
        return counted;
    }

    /** Messages that were not sent to their end. */
    int unsent() {
        return messages;
    }

    /** Messages from the head of the buffer on, with those that were sent and not removed. */
    int all() {
        return entries;
    }

    @Override
    public boolean processMessage(Object message) {
        if (!OutboundMessages.isUncounted(message) && !isLast(message)) {
            return false;
        }
        entries++;
        return true;
    }

    private boolean isLast(Object message) {
        if (skip > 0) {
            skip--;
            return true;
        }
        if (messages == maxMessages) {
            return false;
        }
        room -= OutboundMessages.length(message) - sentOf;
        if (room < 0) {
            return false;
        }
        sentOf = 0;
        messages++;
        return true;
    }
}
