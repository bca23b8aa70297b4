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

/** What happened to an id ({@code enum rdma_cm_event_type}, in its order). */
public enum CmEventType {
    ADDR_RESOLVED,
    ADDR_ERROR,
    ROUTE_RESOLVED,
    ROUTE_ERROR,
    /** A peer wants to connect to a listening id; brings a new id. */
    CONNECT_REQUEST,
    /** The peer accepted; the queue pair is to be made ready, then the connection established. Not on iWARP. */
    CONNECT_RESPONSE,
    CONNECT_ERROR,
    /** The peer did not answer; of datagrams also: the peer refused. */
    UNREACHABLE,
    REJECTED,
    /** The connection is up. On the active side of InfiniBand and RoCE {@link CmId#establish} stands for it. */
    ESTABLISHED,
    DISCONNECTED,
    /** The device is gone: everything that was made on it must be closed. */
    DEVICE_REMOVAL,
    MULTICAST_JOIN,
    MULTICAST_ERROR,
    /** The network interface moved to another port. */
    ADDR_CHANGE,
    /** No packet of the old connection can arrive any more: the number of its queue pair may be used again. */
    TIMEWAIT_EXIT,
    /** One that rdma-core got after this was written. */
    UNKNOWN;

    private static final CmEventType[] VALUES = values();

    static CmEventType of(int number) {
        return number >= 0 && number < UNKNOWN.ordinal() ? VALUES[number] : UNKNOWN;
    }

    /** Whether the id is good for nothing but to be closed now; {@link CmErrors} tells why in words. */
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
