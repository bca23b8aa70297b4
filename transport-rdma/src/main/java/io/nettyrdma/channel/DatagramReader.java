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
package io.nettyrdma.channel;

import io.netty.buffer.ByteBuf;
import io.netty.channel.DefaultAddressedEnvelope;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.ReferenceCountUtil;
import io.nettyrdma.datagram.DatagramAddress;
import io.nettyrdma.datagram.DatagramImmediate;
import io.nettyrdma.datagram.DatagramQueuePair;
import io.nettyrdma.memory.LoopTasks;

import java.util.ArrayDeque;

/**
 * Passes received datagrams to the pipeline on demand: nothing without a read, then as many as the channel's {@link
 * RecvByteBufAllocator} allows. Belongs to the event loop.
 */
final class DatagramReader {

    private final RdmaDatagramChannel channel;
    private final Runnable readTask = this::readAll;
    /** Envelopes and immediates. */
    private final ArrayDeque<Object> unread = new ArrayDeque<>();
    /** {@code null} before the channel is bound. */
    private DatagramQueuePair queuePair;
    private boolean readPending;
    private boolean reading;
    private boolean readScheduled;

    DatagramReader(RdmaDatagramChannel channel) {
        this.channel = channel;
    }

    void opened(DatagramQueuePair opened) {
        queuePair = opened;
    }

    /** Takes over the reference to the payload. */
    void add(ByteBuf payload, DatagramAddress sender) {
        unread.add(new DefaultAddressedEnvelope<>(payload, queuePair.address(), sender));
    }

    void add(DatagramImmediate immediate) {
        unread.add(immediate);
    }

    void beginRead() {
        readPending = true;
        // Not at once: a handler that is being called may be the one that asks.
        if (!reading) {
            readSoon();
        }
    }

    private void readSoon() {
        if (!readScheduled && readPending && !unread.isEmpty()) {
            readScheduled = true;
            LoopTasks.execute(channel.eventLoop(), readTask);
        }
    }

    /** Call also when completions were handed out. */
    @SuppressWarnings("deprecation")
    void readAll() {
        readScheduled = false;
        if (!readPending || reading || !channel.isActive() || unread.isEmpty()) {
            return;
        }
        reading = true;
        readPending = false;
        RecvByteBufAllocator.Handle handle = channel.unsafe().recvBufAllocHandle();
        handle.reset(channel.config());
        do {
            handle.incMessagesRead(1);
            pass(unread.remove());
        } while (channel.isActive() && !unread.isEmpty() && handle.continueReading());
        handle.readComplete();
        channel.pipeline().fireChannelReadComplete();
        reading = false;
        if (channel.isActive()) {
            queuePair.replenish();
            readSoon();
        }
    }

    private void pass(Object message) {
        queuePair.read();
        if (message instanceof DatagramImmediate immediate) {
            channel.pipeline().fireUserEventTriggered(immediate);
        } else {
            channel.pipeline().fireChannelRead(message);
        }
    }

    /** The channel is closed. */
    void close() {
        while (!unread.isEmpty()) {
            ReferenceCountUtil.release(unread.remove());
        }
    }
}
