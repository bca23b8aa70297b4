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

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;

/** What only Netty's part of a channel can do. Loop's thread. */
interface ChannelActions {

    /** Has the peer's address in it, as the failures of other transports have. */
    Throwable annotated(Throwable failure, SocketAddress remote);

    /** {@code null} if it is given up. */
    ChannelOutboundBuffer outbound();

    /** Sends what is flushed, or fails it. */
    void flushNow();

    /** A message cannot be sent, and so nothing behind it. */
    void writeFailed(IOException cause);

    /** Gives the outbound buffer up, and with it what is not sent. */
    void shutdownOutputNow(ChannelPromise promise);

    /** Waits for nothing. */
    void closeNow(ChannelPromise promise, Throwable cause, ClosedChannelException closeCause);
}
