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
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * What an application writes before the transport of its channel is chosen. It counts for the writability of the
 * channel as if it was in the outbound buffer. Owns the messages and their promises. Belongs to the event loop.
 */
final class WaitingWrites {

    private final PendingWriteQueue queue;
    /** The oldest ones, which were flushed. */
    private int flushed;

    /** @param channel registered. */
    WaitingWrites(Channel channel) {
        queue = new PendingWriteQueue(channel);
    }

    void add(Object message, ChannelPromise promise) {
        queue.add(message, promise);
    }

    /** All that wait are to be sent when there is a connection. */
    void flush() {
        flushed = queue.size();
    }

    /**
     * Passes the messages to a channel, and flushes those that were. They count here no more before they count there,
     * because then the pipeline is asked whether the channel is writable.
     */
    void moveTo(Channel.Unsafe chosen) {
        Queue<Object> messages = new ArrayDeque<>();
        Queue<ChannelPromise> promises = new ArrayDeque<>();
        while (!queue.isEmpty()) {
            messages.add(ReferenceCountUtil.retain(queue.current()));
            promises.add(queue.remove());
        }
        int rest = messages.size() - flushed;
        flushed = 0;
        while (!messages.isEmpty()) {
            chosen.write(messages.remove(), promises.remove());
            if (messages.size() == rest) {
                chosen.flush();
            }
        }
    }

    /** The channel is closed. */
    void fail() {
        queue.removeAndFailAll(new ClosedChannelException());
    }
}
