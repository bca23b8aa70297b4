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
package io.nettyrdma.verbs;

import io.nettyrdma.annotation.UnstableApi;

/**
 * Types of asynchronous events ({@code enum ibv_event_type}, in the same order).
 *
 * @since 0.1.0
 */
@UnstableApi
public enum AsyncEventType {
    /** A completion queue has overflowed: all queue pairs with it fail. */
    COMPLETION_QUEUE_ERROR,
    /** A queue pair has failed and cannot complete what was posted. */
    QUEUE_PAIR_FATAL,
    /** The peer has sent a request that is not valid. */
    QUEUE_PAIR_REQUEST_ERROR,
    /** The peer's request broke a rule of access. */
    QUEUE_PAIR_ACCESS_ERROR,
    /** A message arrived on a queue pair in RTR, before the connection was confirmed. */
    COMMUNICATION_ESTABLISHED,
    /** Everything that was posted before the state SQD is complete. */
    SEND_QUEUE_DRAINED,
    /** A connection has moved to its other path. */
    PATH_MIGRATED,
    /** A connection could not move to its other path. */
    PATH_MIGRATION_ERROR,
    /** The device has failed: nothing completes any more. */
    DEVICE_FATAL,
    /** A port can be used. */
    PORT_ACTIVE,
    /** A port cannot be used. */
    PORT_ERROR,
    /** A port of InfiniBand has another address. */
    LID_CHANGE,
    /** The table of partition keys has changed. */
    PARTITION_KEY_CHANGE,
    /** The subnet has another manager. */
    SUBNET_MANAGER_CHANGE,
    /** A shared receive queue has failed. */
    SHARED_RECEIVE_QUEUE_ERROR,
    /** Fewer receives are posted than {@link SharedReceiveQueue#armLimit} has asked for. */
    SHARED_RECEIVE_QUEUE_LIMIT_REACHED,
    /** A queue pair in the error state will take no more receives from its shared receive queue. */
    QUEUE_PAIR_LAST_RECEIVE_REACHED,
    /** The subnet manager asks for new registrations. */
    CLIENT_REREGISTER,
    /** The GID table of a port has changed. */
    GID_CHANGE,
    /** A work queue has failed. */
    WORK_QUEUE_FATAL,
    /** An event type that this binding does not know. */
    UNKNOWN;

    private static final AsyncEventType[] VALUES = values();

    static AsyncEventType of(int number) {
        return number >= 0 && number < VALUES.length ? VALUES[number] : UNKNOWN;
    }
}
