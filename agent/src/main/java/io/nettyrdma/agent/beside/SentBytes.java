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
package io.nettyrdma.agent.beside;

import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaCounters;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** The bytes that swapped loops have sent by RDMA. Any thread. */
final class SentBytes {

    private static final Set<RdmaCounters> RUNNING = ConcurrentHashMap.newKeySet();
    private static final LongAdder OF_ENDED = new LongAdder();

    private SentBytes() {
    }

    static void begin(RdmaCounters loop) {
        RUNNING.add(loop);
    }

    static void end(RdmaCounters loop) {
        if (RUNNING.remove(loop)) {
            OF_ENDED.add(of(loop));
        }
    }

    /** Too few for a moment while a loop ends. */
    static long sum() {
        return RUNNING.stream().mapToLong(SentBytes::of).sum() + OF_ENDED.sum();
    }

    private static long of(RdmaCounters loop) {
        return loop.get(RdmaCounter.BYTES_COPIED_OUT) + loop.get(RdmaCounter.BYTES_GATHERED);
    }
}
