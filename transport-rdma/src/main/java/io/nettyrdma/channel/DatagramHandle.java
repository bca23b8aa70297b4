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
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.DefaultAddressedEnvelope;
import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.nettyrdma.datagram.DatagramAddress;
import io.nettyrdma.datagram.DatagramEvents;
import io.nettyrdma.datagram.DatagramImmediate;
import io.nettyrdma.datagram.DatagramQueuePair;
import io.nettyrdma.io.RdmaIoEvent;
import io.nettyrdma.io.RdmaIoHandle;
import io.nettyrdma.io.RdmaIoRegistration;
import io.nettyrdma.verbs.AsyncEvent;

import java.io.IOException;

/**
 * The part of a datagram channel that belongs to one event loop, until the registration there has ended. That may be
 * after the channel was registered with another loop. Events of the loop go down through it, and those of the queue
 * pair up.
 */
final class DatagramHandle implements RdmaIoHandle, DatagramEvents {

    private final RdmaDatagramChannel channel;
    private final DatagramReader reader;
    private IoRegistration registration;
    /** {@code null} if the channel was not bound here. */
    private DatagramQueuePair queuePair;

    DatagramHandle(RdmaDatagramChannel channel, DatagramReader reader) {
        this.channel = channel;
        this.reader = reader;
    }

    void onRegistered(IoRegistration given) {
        registration = given;
    }

    RdmaIoRegistration registration() {
        return registration.attachment();
    }

    void opened(DatagramQueuePair opened) {
        queuePair = opened;
        reader.opened(opened);
    }

    void cancel() {
        registration.cancel();
    }

    // ---- of the loop ----

    @Override
    public void handle(IoRegistration ignored, IoEvent event) {
        RdmaIoEvent rdma = (RdmaIoEvent) event;
        switch (rdma.kind()) {
        case COMPLETION -> queuePair.completed(rdma.completion());
        case COMPLETIONS_DONE -> completionsDone();
        case ASYNC_EVENT -> asyncEvent(rdma.asyncEvent());
        default -> { }
        }
    }

    private void completionsDone() {
        if (queuePair == null) {
            return;
        }
        if (channel.isActive()) {
            queuePair.replenish();
            reader.readAll();
        }
        // Also for what was flushed before the channel was closed.
        queuePair.completionsDone();
    }

    private void asyncEvent(AsyncEvent event) {
        if (queuePair != null) {
            queuePair.fail(new IOException(event + " ended " + channel));
        }
    }

    @Override
    public int outstandingWork() {
        return queuePair == null ? 0 : queuePair.outstandingWork();
    }

    @Override
    public void unregistered() {
        if (queuePair != null) {
            queuePair.close();
        }
    }

    @Override
    public void close() {
        channel.unsafe().close(channel.voidPromise());
    }

    // ---- of the queue pair ----

    @Override
    public void received(ByteBuf payload, DatagramAddress sender) {
        reader.add(new DefaultAddressedEnvelope<>(payload, queuePair.address(), sender));
    }

    @Override
    public void received(DatagramImmediate immediate) {
        reader.add(immediate);
    }

    /** Datagrams that have left Netty's buffer count for writability until they end. */
    @Override
    public void pending(int datagrams, long bytes) {
        ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
        if (buffer == null) {
            return;
        }
        RdmaDatagramChannelConfig config = channel.config();
        int maxDatagrams = config.getSendQueueDepth();
        if (datagrams > maxDatagrams || bytes > config.getWriteBufferHighWaterMark()) {
            buffer.setUserDefinedWritability(1, false);
        } else if (datagrams <= maxDatagrams / 2 && bytes <= config.getWriteBufferLowWaterMark()) {
            buffer.setUserDefinedWritability(1, true);
        }
    }

    @Override
    public void failed(IOException cause) {
        channel.pipeline().fireExceptionCaught(cause);
        close();
    }
}
