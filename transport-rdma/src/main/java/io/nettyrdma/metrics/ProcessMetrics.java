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

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts what belongs to no loop: {@link RdmaMetrics} shows it. All of it changes with control calls, which take longer
 * than to count them. For use within this project only. Any thread.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class ProcessMetrics {

    static final ByName REGISTERED = new ByName();
    static final LongAdder COMMITTED = new LongAdder();

    /** Numbers by the name of a device. */
    static final class ByName {

        private final Map<String, LongAdder> sums = new ConcurrentHashMap<>();

        void add(String name, long change) {
            LongAdder sum = sums.get(name);
            if (sum == null) {
                sum = sums.computeIfAbsent(name, added -> new LongAdder());
                RdmaMetrics.used(name);
            }
            sum.add(change);
        }

        Map<String, Long> values() {
            Map<String, Long> values = new TreeMap<>();
            sums.forEach((name, sum) -> values.put(name, sum.sum()));
            return values;
        }
    }

    private ProcessMetrics() {
    }

    /**
     * Memory was registered or deregistered.
     *
     * @param device name.
     * @param bytes that were registered; negative if they were deregistered.
     */
    public static void registered(String device, long bytes) {
        REGISTERED.add(device, bytes);
    }

    /**
     * An allocator has taken memory from the system or given it back.
     *
     * @param bytes that were taken; negative if they were given back.
     */
    public static void committed(long bytes) {
        COMMITTED.add(bytes);
    }
}
