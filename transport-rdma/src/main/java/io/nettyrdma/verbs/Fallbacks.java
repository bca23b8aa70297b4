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

import io.netty.util.internal.SystemPropertyUtil;
import io.nettyrdma.annotation.UnstableApi;

/**
 * Capabilities that a device may lack and for which the transport has a fallback. A system property can switch each one
 * off, so that the fallback can be used and tested on a device that has the capability.
 *
 * @since 0.1.0
 */
@UnstableApi
public enum Fallbacks {
    /** {@code ibv_create_cq_ex} and {@code ibv_start_poll}. Fallback: {@code ibv_create_cq} and {@code ibv_poll_cq}. */
    EXTENDED_COMPLETION_QUEUE("extendedCompletionQueue"),
    /** Completion queues without the device's locks, used by one event loop. Fallback: with the locks. */
    SINGLE_THREADED_QUEUE("singleThreadedQueue"),
    /**
     * {@code efadv_create_cq}: the GID of a sender that has no address handle here. Fallback: the sender is unknown.
     */
    SENDER_GIDS("senderGids"),
    /** A completion can wake a loop. Fallback: loops poll, and nap when they are idle. */
    COMPLETION_EVENTS("completionEvents"),
    /** {@code ibv_wr_*}. Fallback: {@code ibv_post_send}. */
    EXTENDED_QUEUE_PAIR("extendedQueuePair"),
    /** One receive queue for many queue pairs. Fallback: each queue pair has its own. */
    SHARED_RECEIVE_QUEUE("sharedReceiveQueue"),
    /** The device may write memory in any order before the completion. Fallback: it writes in order. */
    RELAXED_ORDERING("relaxedOrdering"),
    /** Unsignaled sends, retired by the completion of a later send. Fallback: every send is signaled. */
    UNSIGNALED_SENDS("unsignaledSends"),
    /** The event loop calls {@code rdma_connect}. Fallback: a thread that may block calls it. */
    NON_BLOCKING_CONNECT("nonBlockingConnect"),
    /** A send's completion implies receipt by the peer's device. Fallback: the peer confirms FIN. */
    CONFIRMED_DELIVERY("confirmedDelivery"),
    /** The accepting side may send first. Fallback: it waits for a frame, which the connecting side sends at once. */
    ACCEPTING_SIDE_FIRST("acceptingSideFirst"),
    /** Reads into memory that the peer cannot write to. Fallback: none; reads are refused. */
    LOCAL_READS("localReads"),
    /** Data is copied into the work request. Fallback: the device reads it from registered memory. */
    INLINE("inline");

    private static final String PREFIX = "io.nettyrdma.verbs.";

    private final String property;

    Fallbacks(String name) {
        property = PREFIX + name;
    }

    /** {@return the system property that switches the capability off when set to {@code false}} */
    public String property() {
        return property;
    }

    /** {@return whether the capability may be used if the device has it} */
    public boolean isAllowed() {
        return SystemPropertyUtil.getBoolean(property, true);
    }
}
