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
package io.nettyrdma.cm;

import io.nettyrdma.annotation.UnstableApi;

/**
 * States of an id. Calls (in lower case, see {@link CmCall}) and events (in capitals) change the state. An event that
 * is not drawn does not change it.
 *
 * <pre>{@code
 *             active side                                      passive side
 *
 *   IDLE --------bind-------> BOUND ---------listen--------> LISTENING
 *     |                         |                                | CONNECT_REQUEST makes a new id
 *     +----- resolveAddress ----+                                v
 *                 v                                          REQUESTED ---reject---> REJECTED
 *         RESOLVING_ADDRESS                                      |
 *                 | ADDR_RESOLVED                                | accept
 *                 v                                              v
 *         ADDRESS_RESOLVED                                   ACCEPTING
 *                 | resolveRoute                                 |
 *                 v                                              | ESTABLISHED
 *          RESOLVING_ROUTE                                       | (datagrams: at once)
 *                 | ROUTE_RESOLVED                               |
 *                 v                                              |
 *          ROUTE_RESOLVED                                        |
 *                 | connect                                      |
 *                 v                 ESTABLISHED                  v
 *            CONNECTING -------(datagrams, iWARP)----------> CONNECTED ---disconnect---> DISCONNECTING
 *                 | CONNECT_RESPONSE                         ^   |                            |
 *                 v                                          |   | DISCONNECTED               | DISCONNECTED
 *             RESPONDED -------------establish---------------+   v                            |
 *                 | reject                                   DISCONNECTED <-------------------+
 *                 v
 *              REJECTED
 * }</pre>
 *
 * ACCEPTING allows disconnect and DISCONNECTED as CONNECTED does, because the peer's data and its disconnect can arrive
 * before its confirmation. In DISCONNECTED, disconnect answers the peer. A failure leads from every state to FAILED.
 *
 * @since 0.1.0
 */
@UnstableApi
public enum CmState {
    /** New, without an address. */
    IDLE,
    /** Has a local address. */
    BOUND,
    /** Gets requests of connections. */
    LISTENING,
    /** Between {@link CmId#resolveAddress} and its event. */
    RESOLVING_ADDRESS,
    /** Has a device. */
    ADDRESS_RESOLVED,
    /** Between {@link CmId#resolveRoute} and its event. */
    RESOLVING_ROUTE,
    /** May connect. */
    ROUTE_RESOLVED,
    /** Has sent a request. */
    CONNECTING,
    /** The peer has accepted; this side has to establish the connection. */
    RESPONDED,
    /** Both sides have confirmed. */
    CONNECTED,
    /** The id of a request, which waits for an answer. */
    REQUESTED,
    /** Has accepted, and waits for the peer's confirmation. */
    ACCEPTING,
    /** Has rejected a request, or was rejected. */
    REJECTED,
    /** Has asked for the end of the connection. */
    DISCONNECTING,
    /** The connection has ended. */
    DISCONNECTED,
    /** The id can only be closed. */
    FAILED;

    /** The state after an event; this state if the event does not change it. */
    CmState after(CmEventType event) {
        if (event.isFailure()) {
            return FAILED;
        }
        switch (event) {
        case ADDR_RESOLVED:
            return this == RESOLVING_ADDRESS ? ADDRESS_RESOLVED : this;
        case ROUTE_RESOLVED:
            return this == RESOLVING_ROUTE ? ROUTE_RESOLVED : this;
        case CONNECT_RESPONSE:
            return this == CONNECTING ? RESPONDED : this;
        case ESTABLISHED:
            return this == CONNECTING || this == ACCEPTING ? CONNECTED : this;
        case DISCONNECTED:
            return this == CONNECTED || this == ACCEPTING || this == DISCONNECTING ? DISCONNECTED : this;
        default:
            return this;
        }
    }
}
