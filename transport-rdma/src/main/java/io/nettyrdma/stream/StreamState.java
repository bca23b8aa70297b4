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
package io.nettyrdma.stream;

/**
 * One end of a stream:
 *
 * <pre>
 *   IDLE --offer()--> OFFERED --connected()--> OPEN --own FIN--> OUTPUT_SHUT --peer's FIN--> SHUT
 *                                               |                                             ^
 *                                               +--peer's FIN--> INPUT_SHUT --own FIN---------+
 *
 *   each of them --ABORT, violation, failure, release()--> CLOSED
 * </pre>
 */
public enum StreamState {

    /** No receive is posted. */
    IDLE,

    /** Receives are posted and may be advertised to the peer. */
    OFFERED,

    OPEN,

    /** FIN was sent. The peer may continue to send. */
    OUTPUT_SHUT,

    /** The peer's FIN has arrived. */
    INPUT_SHUT,

    /** FIN was sent, and the peer's has arrived. Control frames may still be sent and received. */
    SHUT,

    CLOSED;

    boolean isConnected() {
        return this == OPEN || this == OUTPUT_SHUT || this == INPUT_SHUT || this == SHUT;
    }

    /** Whether DATA and FIN may arrive. */
    boolean mayReceive() {
        return this == OPEN || this == OUTPUT_SHUT;
    }

    /** Whether the peer's FIN has arrived. */
    boolean hasEnded() {
        return this == INPUT_SHUT || this == SHUT;
    }

    StreamState afterOwnFin() {
        return this == OPEN ? OUTPUT_SHUT : this == INPUT_SHUT ? SHUT : this;
    }

    StreamState afterPeersFin() {
        return this == OPEN ? INPUT_SHUT : this == OUTPUT_SHUT ? SHUT : this;
    }
}
