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

/** Types of asynchronous events ({@code enum ibv_event_type}, in the same order). */
@UnstableApi
public enum AsyncEventType {
    COMPLETION_QUEUE_ERROR,
    QUEUE_PAIR_FATAL,
    QUEUE_PAIR_REQUEST_ERROR,
    QUEUE_PAIR_ACCESS_ERROR,
    /** A message arrived on a queue pair in RTR, before the connection was confirmed. */
    COMMUNICATION_ESTABLISHED,
    SEND_QUEUE_DRAINED,
    PATH_MIGRATED,
    PATH_MIGRATION_ERROR,
    DEVICE_FATAL,
    PORT_ACTIVE,
    PORT_ERROR,
    LID_CHANGE,
    PARTITION_KEY_CHANGE,
    SUBNET_MANAGER_CHANGE,
    SHARED_RECEIVE_QUEUE_ERROR,
    SHARED_RECEIVE_QUEUE_LIMIT_REACHED,
    /** A queue pair in the error state will take no more receives from its shared receive queue. */
    QUEUE_PAIR_LAST_RECEIVE_REACHED,
    CLIENT_REREGISTER,
    GID_CHANGE,
    WORK_QUEUE_FATAL,
    /** An event type that this binding does not know. */
    UNKNOWN;

    private static final AsyncEventType[] VALUES = values();

    static AsyncEventType of(int number) {
        return number >= 0 && number < VALUES.length ? VALUES[number] : UNKNOWN;
    }
}
