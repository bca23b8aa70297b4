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

/**
 * Abilities that a device may lack and for which there is another way. Each can be switched off by a system property,
 * so that the other way is taken, and tested, on a device that has the ability.
 */
public enum Fallbacks {
    /** {@code ibv_create_cq_ex}; else {@code ibv_poll_cq}. */
    EXTENDED_COMPLETION_QUEUE("extendedCompletionQueue"),
    /** Completion queues without the device's locks, as one loop has them; else with them. */
    SINGLE_THREADED_QUEUE("singleThreadedQueue"),
    /** {@code ibv_wr_*}; else {@code ibv_post_send}. */
    EXTENDED_QUEUE_PAIR("extendedQueuePair"),
    /** One receive queue for many queue pairs; else each has its own. */
    SHARED_RECEIVE_QUEUE("sharedReceiveQueue"),
    /** Memory that the device may write in any order, as only completions tell of it; else in order. */
    RELAXED_ORDERING("relaxedOrdering"),
    /** Sends without a completion, for which that of a later one speaks; else each has its own. */
    UNSIGNALED_SENDS("unsignaledSends"),
    /** {@code rdma_connect} by the loop, as it returns at once; else by a thread that may wait in it. */
    NON_BLOCKING_CONNECT("nonBlockingConnect"),
    /** Data copied into the work request; else always read from registered memory. */
    INLINE("inline");

    private static final String PREFIX = "io.nettyrdma.verbs.";

    private final String property;

    Fallbacks(String name) {
        property = PREFIX + name;
    }

    /** The property that switches the ability off when it is {@code false}. */
    public String property() {
        return property;
    }

    /** Whether the ability may be used where the device has it. */
    public boolean isAllowed() {
        return SystemPropertyUtil.getBoolean(property, true);
    }
}
