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
package io.nettyrdma.testsuite.soak;

import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaCounters;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/** Totals of this process so far. Any thread. */
final class Totals {

    /** Complete messages that arrived and were correct. */
    final LongAdder messages = new LongAdder();
    final LongAdder bytes = new LongAdder();
    /** Remote operations that were written. */
    final LongAdder operations = new LongAdder();
    final LongAdder connections = new LongAdder();
    final LongAdder halfCloses = new LongAdder();
    final LongAdder aborts = new LongAdder();
    /** The number of times that a reader paused. */
    final LongAdder pauses = new LongAdder();

    /** The counters of each loop, by identity. */
    private final Set<RdmaCounters> loops =
            Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));

    void add(RdmaCounters counters) {
        loops.add(counters);
    }

    /** The sums over all loops, without those that are zero. */
    Map<RdmaCounter, Long> counters() {
        Map<RdmaCounter, Long> sums = new TreeMap<>();
        synchronized (loops) {
            for (RdmaCounters loop : loops) {
                loop.snapshot().forEach((counter, value) -> sums.merge(counter, value, Long::sum));
            }
        }
        sums.values().removeIf(value -> value == 0);
        return sums;
    }
}
