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

import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.RecvByteBufAllocator;

import java.net.SocketAddress;

/** Operations that only Netty's {@code Unsafe} of a channel can perform. Belongs to the event loop. */
interface ChannelActions {

    /** Adds the peer's address to a failure's message, as other transports do. */
    Throwable annotated(Throwable failure, SocketAddress remote);

    /** Decides how much is read at a time. */
    @SuppressWarnings("deprecation")
    RecvByteBufAllocator.Handle recvBufAllocHandle();

    /** {@code null} after the outbound buffer was released. */
    ChannelOutboundBuffer outbound();

    /**
     * Takes the first flushed messages, which outlive it, out of the outbound buffer.
     *
     * @param from the buffer, which Netty is about to fail; {@code null} if it was before.
     * @param maxBytes as for {@link io.nettyrdma.stream.RdmaStream#lastMessages}.
     * @return the messages that were taken now or earlier; {@code null} if there are none.
     */
    ChannelOutboundBuffer takeLast(ChannelOutboundBuffer from, long maxBytes);

    /** Fails the messages that were taken. */
    void failLast(Throwable cause);

    /** Sends flushed messages, or fails them. */
    void flushNow();

    /** Fails a message that cannot be sent, and all messages behind it. */
    void writeFailed(Throwable cause);

    /** Releases the outbound buffer and fails the messages that were not sent. */
    void shutdownOutputNow(ChannelPromise promise);
}
