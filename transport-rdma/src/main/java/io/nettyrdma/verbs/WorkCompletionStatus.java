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
 * The status of a completed work request ({@code enum ibv_wc_status}, in the same order).
 *
 * @since 0.1.0
 */
@UnstableApi
public enum WorkCompletionStatus {
    /** Success. */
    SUCCESS("success"),
    /** The data did not fit: a receive was too small, or a message was longer than the port allows. */
    LOCAL_LENGTH_ERROR("the data did not fit: a receive was too small, or a message was longer than the port allows"),
    /** The work request was not consistent with its queue pair. */
    LOCAL_QUEUE_PAIR_OPERATION_ERROR("the work request was not consistent with its queue pair"),
    /** End-to-end context error (reliable datagrams). */
    LOCAL_EE_CONTEXT_OPERATION_ERROR("end-to-end context error (reliable datagrams)"),
    /** A local address is not in the memory region of its lkey, or the region forbids the access. */
    LOCAL_PROTECTION_ERROR("a local address is not in the memory region of its lkey, or the region forbids the access"),
    /** The queue pair went to the error state before the work request completed. */
    FLUSHED("the queue pair went to the error state before the work request completed"),
    /** A memory window could not be bound. */
    MEMORY_WINDOW_BIND_ERROR("a memory window could not be bound"),
    /** The peer sent an unexpected response. */
    BAD_RESPONSE("the peer sent an unexpected response"),
    /** A write of the peer to a local memory region failed. */
    LOCAL_ACCESS_ERROR("a write of the peer to a local memory region failed"),
    /** The peer refused the request: its receive was too small, or the operation is not allowed. */
    REMOTE_INVALID_REQUEST("the peer refused the request: its receive was too small, or the operation is not allowed"),
    /** The peer's memory region does not exist, is too short or does not allow this. */
    REMOTE_ACCESS_ERROR("the peer's memory region does not exist, is too short or does not allow this"),
    /** The peer could not complete the operation. */
    REMOTE_OPERATION_ERROR("the peer could not complete the operation"),
    /** The peer did not answer: it is gone, or the network lost too much. */
    TRANSPORT_RETRY_EXCEEDED("the peer did not answer: it is gone, or the network lost too much"),
    /** The peer had no receive posted for too long. */
    RNR_RETRY_EXCEEDED("the peer had no receive posted for too long"),
    /** Reliable datagram domain violation. */
    LOCAL_RDD_VIOLATION("reliable datagram domain violation"),
    /** The peer refused a reliable datagram; on EFA: no such queue pair. */
    REMOTE_INVALID_RD_REQUEST("the peer refused a reliable datagram; on EFA: no such queue pair"),
    /** The peer aborted the operation. */
    REMOTE_ABORTED("the peer aborted the operation"),
    /** Invalid end-to-end context number. */
    INVALID_EE_CONTEXT_NUMBER("invalid end-to-end context number"),
    /** Invalid end-to-end context state. */
    INVALID_EE_CONTEXT_STATE("invalid end-to-end context state"),
    /** The device failed. */
    FATAL("the device failed"),
    /** No response from the peer in time. */
    RESPONSE_TIMEOUT("no response from the peer in time"),
    /** The device gave no reason. */
    GENERAL_ERROR("the device gave no reason"),
    /** Tag matching failed. */
    TAG_MATCHING_ERROR("tag matching failed"),
    /** A tag matching rendezvous is incomplete. */
    TAG_MATCHING_RENDEZVOUS_INCOMPLETE("a tag matching rendezvous is incomplete");

    private static final WorkCompletionStatus[] VALUES = values();

    private final String meaning;

    WorkCompletionStatus(String meaning) {
        this.meaning = meaning;
    }

    /** {@return a short description for messages} */
    public String meaning() {
        return meaning;
    }

    static WorkCompletionStatus of(int number) {
        return number < VALUES.length ? VALUES[number] : GENERAL_ERROR;
    }
}
