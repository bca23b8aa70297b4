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
 * Where a channel is in its life.
 *
 * <pre>
 *           connect()               the peer has answered            close()
 *   NEW --------------> CONNECTING ----------------------> OPEN ---------------> CLOSING
 *    |                      |                              ^  |   work is under   ^  |
 *    |                      | refused, timed out,          |  |   way             |  | all of it is done,
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
 *   OPEN ---shutdownOutput(), its FIN is acknowledged---&gt; OUTPUT_SHUT, from where all goes on as from OPEN
 * </pre>
 *
 * A child that is closed before it is OPEN has a peer that is, or will be, connected, and is owed an end of the stream;
 * but nothing may be sent before it is. Each child that was registered is active once, and inactive after it, whatever
 * became of its connection: programs count on it. But {@code closeForcibly} tells nobody, in whatever state.
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

    /** @throws IllegalStateException one of those that users of sockets know. */
    void checkMayConnect() {
        if (this == CONNECTING) {
            throw new ConnectionPendingException();
        }
        if (this != NEW) {
            throw new AlreadyConnectedException();
        }
    }

    /** Whether users take it for connected. */
    boolean isActive() {
        return isReadable() || this == CLOSING;
    }

    /** Whether bytes may be handed to the application. */
    boolean isReadable() {
        return this == OPEN || this == OUTPUT_SHUT;
    }

    /** Whether the application can write nothing any more. */
    boolean isOutputShut() {
        return this == OUTPUT_SHUT || isClosing() || this == CLOSED;
    }

    /** Whether what a connection needs may be under way. */
    boolean isConnecting() {
        return this == CONNECTING || this == REQUESTED || isAccepting();
    }

    /** Whether it is a child that has accepted, and does not know yet whether the peer is connected. */
    boolean isAccepting() {
        return this == ACCEPTING || this == LEAVING;
    }

    /** Whether a peer may believe that it is connected, and may not be left without a word. */
    boolean hasPeer() {
        return isReadable() || this == ACCEPTING || this == REQUESTED;
    }

    /** Whether it was closed, and waits for its peer. */
    boolean isClosing() {
        return this == CLOSING || this == LEAVING;
    }
}
