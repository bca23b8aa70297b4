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

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.EnumMap;
import java.util.Map;

/**
 * The counters of one event loop. Only the loop's thread writes them; any thread may read. A value that is read may be
 * slightly stale but is never torn.
 *
 * @since 0.1.0
 */
public final class RdmaCounters {

    private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(long[].class);
    private static final RdmaCounter[] ALL = RdmaCounter.values();

    private final long[] values = new long[ALL.length];

    /** Creates the counters of a loop. For use within this project only. */
    @UnstableApi
    public RdmaCounters() {
    }

    /**
     * Call only on the loop's thread. For use within this project only.
     *
     * @param counter goes up by 1.
     */
    @UnstableApi
    public void increment(RdmaCounter counter) {
        add(counter, 1);
    }

    /**
     * Call only on the loop's thread. For use within this project only.
     *
     * @param counter goes up.
     * @param count by how much.
     */
    @UnstableApi
    public void add(RdmaCounter counter, long count) {
        int at = counter.ordinal();
        ELEMENT.setOpaque(values, at, values[at] + count);
    }

    /**
     * {@return the value of a counter} Any thread.
     *
     * @param counter which one.
     */
    public long get(RdmaCounter counter) {
        return (long) ELEMENT.getOpaque(values, counter.ordinal());
    }

    /** {@return all counters} The values are not read at one instant. */
    public Map<RdmaCounter, Long> snapshot() {
        Map<RdmaCounter, Long> snapshot = new EnumMap<>(RdmaCounter.class);
        for (RdmaCounter counter : ALL) {
            snapshot.put(counter, get(counter));
        }
        return snapshot;
    }

    @Override
    public String toString() {
        return snapshot().toString();
    }
}
