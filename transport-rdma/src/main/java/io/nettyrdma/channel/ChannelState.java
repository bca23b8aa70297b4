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

import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ConnectionPendingException;

/**
 * The life cycle of a channel.
 *
 * <pre>
 *           connect()               the peer has answered            close()
 *   NEW --------------> CONNECTING ----------------------> OPEN ---------------> CLOSING
 *    |                      |                              ^  |   data or FIN is  ^  |
 *    |                      | refused, timed out,          |  |   in flight       |  | it is acknowledged,
 *    |                      | cancelled                    |  |                   |  | or takes too long
 *    |                      v                              |  |                   |  v
 *    +----- close() ----> CLOSED <-------------------------|--+-------------------|--+
 *                                     aborted, or failed   |                      |
 *                                                          |                      |
 *   REQUESTED ---------> ACCEPTING ------------------------+                      |
 *       |   registered       |         confirmed, or failed                       |
 *       |                    |                                                    |
 *       +----- close() ------+----> LEAVING --------------------------------------+
 *                                         confirmed, failed, or takes too long
 *
 *   OPEN ---shutdownOutput(), its FIN is acknowledged---&gt; OUTPUT_SHUT, which has the same transitions as OPEN
 * </pre>
 *
 * If a child is closed before it is OPEN, its peer is or will be connected and must see an end of the stream, but
 * nothing may be sent until then. A registered child becomes active once and then inactive, whatever happens to its
 * connection, because programs count connections that way. {@code closeForcibly} fires no events in any state.
 */
enum ChannelState {
    NEW,
    CONNECTING,
    REQUESTED,
    ACCEPTING,
    LEAVING,
    OPEN,
    OUTPUT_SHUT,
    CLOSING,
    CLOSED;

    /** @throws IllegalStateException {@link ConnectionPendingException} or {@link AlreadyConnectedException}. */
    void checkMayConnect() {
        if (this == CONNECTING) {
            throw new ConnectionPendingException();
        }
        if (this != NEW) {
            throw new AlreadyConnectedException();
        }
    }

    /** Whether {@code Channel.isActive()} is true. */
    boolean isActive() {
        return isReadable() || this == CLOSING;
    }

    /** Whether received bytes may be passed to the application. */
    boolean isReadable() {
        return this == OPEN || this == OUTPUT_SHUT;
    }

    /** Whether the application can no longer write. */
    boolean isOutputShut() {
        return this == OUTPUT_SHUT || isClosing() || this == CLOSED;
    }

    /** Whether the connection may still be in preparation. */
    boolean isConnecting() {
        return this == CONNECTING || this == REQUESTED || isAccepting();
    }

    /** Whether this is a child that has accepted and does not know yet whether the peer is connected. */
    boolean isAccepting() {
        return this == ACCEPTING || this == LEAVING;
    }

    /** Whether the peer may consider itself connected, so that a close has to notify it. */
    boolean hasPeer() {
        return isReadable() || this == ACCEPTING || this == REQUESTED;
    }

    /** Whether the channel was closed and waits for its peer. */
    boolean isClosing() {
        return this == CLOSING || this == LEAVING;
    }
}
