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

/** What swapped loops have counted, those that have ended too. Any thread. */
final class SwappedLoops {

    private static final Set<RdmaCounters> RUNNING = ConcurrentHashMap.newKeySet();
    private static final LongAdder SENT_BY_ENDED = new LongAdder();
    private static final LongAdder ACCEPTED_BY_ENDED = new LongAdder();

    private SwappedLoops() {
    }

    static void begin(RdmaCounters loop) {
        RUNNING.add(loop);
    }

    static void end(RdmaCounters loop) {
        if (RUNNING.remove(loop)) {
            SENT_BY_ENDED.add(sent(loop));
            ACCEPTED_BY_ENDED.add(accepted(loop));
        }
    }

    /** Bytes by RDMA. Too few for a moment while a loop ends. */
    static long bytesSent() {
        return RUNNING.stream().mapToLong(SwappedLoops::sent).sum() + SENT_BY_ENDED.sum();
    }

    /** Connections by RDMA. Too few for a moment while a loop ends. */
    static long accepted() {
        return RUNNING.stream().mapToLong(SwappedLoops::accepted).sum() + ACCEPTED_BY_ENDED.sum();
    }

    private static long sent(RdmaCounters loop) {
        return loop.get(RdmaCounter.BYTES_COPIED_OUT) + loop.get(RdmaCounter.BYTES_GATHERED);
    }

    private static long accepted(RdmaCounters loop) {
        return loop.get(RdmaCounter.CONNECTIONS_ACCEPTED);
    }
}
