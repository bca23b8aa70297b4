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

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketException;

/** Failures of a channel as the exceptions that users of sockets know. */
final class ChannelErrors {

    static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(RdmaChannel.class);

    private ChannelErrors() {
    }

    /** An exception of a connection, for whatever was thrown. */
    static IOException asIoException(Throwable cause) {
        return cause instanceof IOException known ? known : new IOException(cause.toString(), cause);
    }

    /** Whether the message has the address. Netty appends it to what fails a connect, and once is enough. */
    static boolean names(Throwable failure, SocketAddress address) {
        return failure.getMessage() != null && failure.getMessage().contains(String.valueOf(address));
    }

    static IOException brokenPipe(SocketAddress peer) {
        return new SocketException("Broken pipe: " + peer + " has closed the connection and reads nothing any more");
    }
}
