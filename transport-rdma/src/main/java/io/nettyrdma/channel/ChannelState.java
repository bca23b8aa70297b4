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
 *           connect()               the peer has answered             shutdownOutput(), FIN is acknowledged
 *   NEW --------------> CONNECTING ----------------------> OPEN ------------------------------------> OUTPUT_SHUT
 *    |                      |                              ^  |                                         |
 *    |                      | refused, timed out,          |  | close(), aborted, failed                |
 *    |                      | cancelled                    |  |                                         |
 *    |                      v                              |  v                                         |
 *    +----- close() ---> CLOSED <--------------------------+--+-----------------------------------------+
 *                          ^                               |
 *                          | close(), failed               | confirmed
 *                          |                               |
 *   REQUESTED --------> ACCEPTING -------------------------+
 *              registered
 * </pre>
 *
 * A channel is CLOSED at once. Data flushed before is sent by its {@link Draining}. The pipeline of a child learns of
 * its registration when its connection is open. From then on it becomes active once and then inactive, whatever happens
 * to its connection, because programs count connections that way. {@code closeForcibly} fires no events in any state.
 */
enum ChannelState {
    NEW,
    CONNECTING,
    REQUESTED,
    ACCEPTING,
    OPEN,
    OUTPUT_SHUT,
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
        return isReadable();
    }

    /** Whether received bytes may be passed to the application. */
    boolean isReadable() {
        return this == OPEN || this == OUTPUT_SHUT;
    }

    /** Whether the application can no longer write. */
    boolean isOutputShut() {
        return this == OUTPUT_SHUT || this == CLOSED;
    }

    /** Whether the connection may still be in preparation. */
    boolean isConnecting() {
        return this == CONNECTING || isChild();
    }

    /** Whether this is a child that does not know yet whether its peer is connected. */
    boolean isChild() {
        return this == REQUESTED || this == ACCEPTING;
    }
}
