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

import io.netty.channel.AddressedEnvelope;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.internal.StringUtil;
import io.nettyrdma.datagram.DatagramAddress;
import io.nettyrdma.datagram.DatagramQueuePair;
import io.nettyrdma.datagram.OutgoingDatagram;
import io.nettyrdma.pipeline.ForwardingUnsafe;

import java.io.IOException;

/**
 * The channel's unsafe as the pipeline sees it. Netty's outbound buffer completes promises in the order of the writes,
 * and has no way to take one out. Datagrams complete in any order. So a write becomes an {@link OutgoingDatagram} that
 * has the promise, and the buffer gets a void one.
 */
final class PromiseKeeper extends ForwardingUnsafe {

    private static final String EXPECTED_TYPES = " (expected: AddressedEnvelope<ByteBuf, RdmaWrite or RdmaRead, "
            + StringUtil.simpleClassName(DatagramAddress.class) + ">, or its content alone on a connected channel)";

    private final RdmaDatagramChannel channel;

    PromiseKeeper(Channel.Unsafe unsafe, RdmaDatagramChannel channel) {
        super(unsafe);
        this.channel = channel;
    }

    @Override
    public void write(Object message, ChannelPromise promise) {
        OutgoingDatagram datagram;
        try {
            datagram = datagram(message, promise);
        } catch (Throwable e) {
            ReferenceCountUtil.safeRelease(message);
            promise.tryFailure(e);
            return;
        }
        super.write(datagram, voidPromise());
    }

    /** Unwraps envelopes; a connected channel sends contents alone. The message is the caller's if this throws. */
    private OutgoingDatagram datagram(Object message, ChannelPromise promise) throws IOException {
        DatagramQueuePair queuePair = channel.bound();
        if (OutgoingDatagram.isContent(message)) {
            return queuePair.outgoing(message, null, promise);
        }
        if (message instanceof AddressedEnvelope<?, ?> envelope
                && envelope.recipient() instanceof DatagramAddress recipient
                && OutgoingDatagram.isContent(envelope.content())) {
            OutgoingDatagram outgoing = queuePair.outgoing(envelope.content(), recipient, promise);
            ReferenceCountUtil.retain(envelope.content());
            envelope.release();
            return outgoing;
        }
        throw new UnsupportedOperationException("unsupported message type: " + StringUtil.simpleClassName(message)
                + EXPECTED_TYPES);
    }
}
