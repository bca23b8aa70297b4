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
package io.nettyrdma.fallback;

import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;
import io.netty.channel.PendingWriteQueue;
import io.netty.util.ReferenceCountUtil;

import java.nio.channels.ClosedChannelException;

/**
 * What an application writes before the transport of its channel is chosen. It counts for the writability of the
 * channel as if it was in the outbound buffer. Owns the messages and their promises. Belongs to the event loop.
 */
final class WaitingWrites {

    private final PendingWriteQueue queue;
    /** The oldest ones, which were flushed. */
    private int flushed;
    /** {@code null} unless the messages are being passed on. */
    private Channel.Unsafe target;

    /** @param channel registered. */
    WaitingWrites(Channel channel) {
        queue = new PendingWriteQueue(channel);
    }

    void add(Object message, ChannelPromise promise) {
        queue.add(message, promise);
    }

    /** All that wait are to be sent when there is a connection, or now, if the last of them has been passed on. */
    void flush() {
        flushed = queue.size();
        if (flushed == 0 && target != null) {
            target.flush();
        }
    }

    /**
     * Passes the messages to a channel, and flushes those that were. Listeners of their promises run meanwhile, and
     * what they write waits behind the others.
     */
    void moveTo(Channel.Unsafe chosen) {
        target = chosen;
        while (!queue.isEmpty()) {
            // Counts here no more before it counts there, because then the pipeline is asked whether it is writable.
            Object message = ReferenceCountUtil.retain(queue.current());
            chosen.write(message, queue.remove());
            if (flushed > 0 && --flushed == 0) {
                chosen.flush();
            }
        }
        target = null;
    }

    /** The channel is closed. */
    void fail() {
        queue.removeAndFailAll(new ClosedChannelException());
    }
}
