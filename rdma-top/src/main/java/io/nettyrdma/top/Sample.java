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
package io.nettyrdma.top;

import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaGauge;

import java.util.List;
import java.util.Map;

/**
 * What a process has counted until an instant.
 *
 * @param nanos the instant.
 * @param loops by bean and index.
 * @param registered bytes by device.
 * @param committed bytes.
 */
record Sample(long nanos, List<Loop> loops, Map<String, Long> registered, long committed) {

    /**
     * A loop. A process with several copies of the transport has loops of each.
     *
     * @param key distinguishes it from the others.
     * @param values by the names of counters and gauges. Another version of the transport may lack some.
     */
    record Loop(String key, int index, String thread, Map<String, Long> values) {

        long get(RdmaCounter counter) {
            return values.getOrDefault(counter.name(), 0L);
        }

        long get(RdmaGauge gauge) {
            return values.getOrDefault(gauge.name(), 0L);
        }
    }

    /** {@code null} if there is none. */
    Loop loop(String key) {
        return loops.stream().filter(each -> each.key().equals(key)).findFirst().orElse(null);
    }

    long sum(RdmaCounter counter) {
        return loops.stream().mapToLong(each -> each.get(counter)).sum();
    }

    long sum(RdmaGauge gauge) {
        return loops.stream().mapToLong(each -> each.get(gauge)).sum();
    }
}
