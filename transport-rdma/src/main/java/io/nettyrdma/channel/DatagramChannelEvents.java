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
import io.nettyrdma.datagram.DatagramAddress;
import io.nettyrdma.datagram.DatagramEvents;
import io.nettyrdma.datagram.DatagramImmediate;

import java.io.IOException;

/** What the engine reports to a datagram channel, and the part of the channel that it concerns. */
final class DatagramChannelEvents implements DatagramEvents {

    private final RdmaDatagramChannel channel;
    private final DatagramReader reader;

    DatagramChannelEvents(RdmaDatagramChannel channel, DatagramReader reader) {
        this.channel = channel;
        this.reader = reader;
    }

    @Override
    public void received(ByteBuf payload, DatagramAddress sender) {
        reader.add(payload, sender);
    }

    @Override
    public void received(DatagramImmediate immediate) {
        reader.add(immediate);
    }

    @Override
    public void batchReceived() {
        reader.readAll();
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
        loopEnds();
    }

    @Override
    public void loopEnds() {
        channel.unsafe().close(channel.voidPromise());
    }
}
