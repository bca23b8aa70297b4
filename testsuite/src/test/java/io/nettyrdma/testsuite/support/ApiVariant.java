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
package io.nettyrdma.testsuite.support;

import io.nettyrdma.verbs.CompletionQueueConfig;
import io.nettyrdma.verbs.DeviceCapabilities;
import io.nettyrdma.verbs.QueuePairConfig;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The combinations of extended and classic libibverbs calls that the binding supports. Each must work. */
public enum ApiVariant {
    EXTENDED_CQ_EXTENDED_QP(true, true),
    EXTENDED_CQ_CLASSIC_QP(true, false),
    CLASSIC_CQ_EXTENDED_QP(false, true),
    CLASSIC_CQ_CLASSIC_QP(false, false);

    private final boolean extendedQueue;
    private final boolean extendedPair;

    ApiVariant(boolean extendedQueue, boolean extendedPair) {
        this.extendedQueue = extendedQueue;
        this.extendedPair = extendedPair;
    }

    /** The variant that the binding chooses by default, for tests that are not about the data path. */
    public static ApiVariant preferred() {
        DeviceCapabilities capabilities = TestDevice.get().capabilities();
        for (ApiVariant variant : values()) {
            if (variant.isIn(capabilities)) {
                return variant;
            }
        }
        throw new AssertionError("every device has the classic calls");
    }

    public boolean extendedQueue() {
        return extendedQueue;
    }

    public boolean extendedPair() {
        return extendedPair;
    }

    public CompletionQueueConfig of(CompletionQueueConfig config) {
        return config.withExtended(extendedQueue);
    }

    public QueuePairConfig of(QueuePairConfig config) {
        return config.withExtended(extendedPair);
    }

    void assumeAvailable(DeviceCapabilities capabilities) {
        assumeTrue(capabilities.extendedCompletionQueue() || !extendedQueue, "no extended completion queue");
        assumeTrue(capabilities.extendedQueuePair() || !extendedPair, "no extended queue pair (ibv_wr_*)");
    }

    private boolean isIn(DeviceCapabilities capabilities) {
        return (capabilities.extendedCompletionQueue() || !extendedQueue)
                && (capabilities.extendedQueuePair() || !extendedPair);
    }
}
