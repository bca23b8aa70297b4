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
package io.nettyrdma.io;

import io.netty.util.NettyRuntime;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the loops that have queues to poll. If they are more than the processors, a loop that polls while it has
 * nothing to do may hold up one that has. Any thread.
 */
final class PollingLoops {

    /** Those of this process. */
    static final PollingLoops ALL = new PollingLoops(NettyRuntime.availableProcessors());

    private final int processors;
    /** Changes when a loop gets its first queue or loses its last one, and is read once in some polls. */
    private final AtomicInteger count = new AtomicInteger();

    PollingLoops(int processors) {
        this.processors = processors;
    }

    /** A loop has its first queue. */
    void added() {
        count.incrementAndGet();
    }

    /** A loop has no queue any more. */
    void removed() {
        count.decrementAndGet();
    }

    boolean areMoreThanProcessors() {
        return count.get() > processors;
    }
}
