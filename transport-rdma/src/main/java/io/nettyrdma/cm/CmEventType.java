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
 * Types of CM events ({@code enum rdma_cm_event_type}, in the same order).
 *
 * @since 0.1.0
 */
@UnstableApi
public enum CmEventType {
    /** {@link CmId#resolveAddress} has succeeded: the id has a device. */
    ADDR_RESOLVED,
    /** {@link CmId#resolveAddress} has failed. */
    ADDR_ERROR,
    /** {@link CmId#resolveRoute} has succeeded: the id may connect. */
    ROUTE_RESOLVED,
    /** {@link CmId#resolveRoute} has failed. */
    ROUTE_ERROR,
    /** A peer wants to connect to a listening id. The event has a new id. */
    CONNECT_REQUEST,
    /** The peer accepted: move the queue pair to RTS, then call {@link CmId#establish}. Never raised on iWARP. */
    CONNECT_RESPONSE,
    /** Connecting or accepting has failed. */
    CONNECT_ERROR,
    /** The peer did not answer; for datagrams also that the peer rejected the request. */
    UNREACHABLE,
    /** The peer has rejected the request, or the response. */
    REJECTED,
    /**
     * The connection is up. Not raised on the active side of InfiniBand and RoCE, which calls {@link CmId#establish}.
     */
    ESTABLISHED,
    /** The connection has ended, at either side. */
    DISCONNECTED,
    /** The device was removed: close everything that was created on it. */
    DEVICE_REMOVAL,
    /** Not used by this binding. */
    MULTICAST_JOIN,
    /** Not used by this binding. */
    MULTICAST_ERROR,
    /** The network interface moved to another port. */
    ADDR_CHANGE,
    /** No more packets of the old connection can arrive: its queue pair number may be reused. */
    TIMEWAIT_EXIT,
    /** An event type that this binding does not know. */
    UNKNOWN;

    private static final CmEventType[] VALUES = values();

    static CmEventType of(int number) {
        return number >= 0 && number < UNKNOWN.ordinal() ? VALUES[number] : UNKNOWN;
    }

    /** {@return whether the id has failed and can only be closed; {@link CmErrors} describes the reason} */
    public boolean isFailure() {
        switch (this) {
        case ADDR_ERROR:
        case ROUTE_ERROR:
        case CONNECT_ERROR:
        case UNREACHABLE:
        case REJECTED:
        case DEVICE_REMOVAL:
            return true;
        default:
            return false;
        }
    }
}
