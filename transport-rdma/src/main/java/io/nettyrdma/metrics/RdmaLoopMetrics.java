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
 * A live event loop, for a reader of its counters. Any thread.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class RdmaLoopMetrics {

    private final int index;
    private final RdmaCounters counters;
    private volatile String threadName;

    RdmaLoopMetrics(int index, RdmaCounters counters, String threadName) {
        this.index = index;
        this.counters = counters;
        this.threadName = threadName;
    }

    /**
     * {@return the smallest number, from 0 on, that no other live loop has} A loop gets the number of one that has
     * ended: so there are as many as there were loops at a time.
     */
    public int index() {
        return index;
    }

    /** {@return the name of the loop's thread, or of its last one} */
    public String threadName() {
        return threadName;
    }

    void threadName(String name) {
        threadName = name;
    }

    /** {@return the counters and gauges of the loop} They remain readable after its end. */
    public RdmaCounters counters() {
        return counters;
    }

    @Override
    public String toString() {
        return "loop " + index + " (" + threadName + ')';
    }
}
