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
package io.nettyrdma.metrics;

import io.nettyrdma.annotation.UnstableApi;

/**
 * Notified of the loops that begin and end, by their threads, and of the devices that are used. The methods must not
 * throw, and must not wait for a loop.
 *
 * @since 0.1.0
 */
@UnstableApi
public interface RdmaMetricsListener {

    /**
     * A loop has begun.
     *
     * @param loop is alive from now on.
     */
    void started(RdmaLoopMetrics loop);

    /**
     * A loop has ended.
     *
     * @param loop that {@link #started} has reported.
     */
    void ended(RdmaLoopMetrics loop);

    /**
     * Memory is registered with a device for the first time in this process.
     *
     * @param device name of {@link RdmaMetrics#registeredBytes} from now on.
     */
    default void deviceUsed(String device) {
    }
}
