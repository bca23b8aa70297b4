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
package io.nettyrdma.datagram;

import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import io.nettyrdma.pipeline.ForwardingUnsafe;

/**
 * The channel's unsafe as the pipeline sees it. Netty's outbound buffer completes promises in the order of the writes,
 * and has no way to take one out. Datagrams complete in any order. So a write becomes an {@link OutgoingDatagram} that
 * has the promise, and the buffer gets a void one.
 */
final class PromiseKeeper extends ForwardingUnsafe {

    /** Makes a datagram of a message. */
    @FunctionalInterface
    interface Maker {

        /** @throws Exception if it cannot be sent. The caller releases the message then. */
        OutgoingDatagram make(Object message, ChannelPromise promise) throws Exception;
    }

    private final Maker maker;

    PromiseKeeper(Channel.Unsafe unsafe, Maker maker) {
        super(unsafe);
        this.maker = maker;
    }

    @Override
    public void write(Object message, ChannelPromise promise) {
        OutgoingDatagram datagram;
        try {
            datagram = maker.make(message, promise);
        } catch (Throwable e) {
            ReferenceCountUtil.safeRelease(message);
            promise.tryFailure(e);
            return;
        }
        super.write(datagram, voidPromise());
    }
}
