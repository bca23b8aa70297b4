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
import java.util.concurrent.atomic.AtomicLong;

/**
 * The counters and gauges of one event loop. Only the loop's thread writes them; any thread may read. A value that is
 * read may be slightly stale but is never torn, and a counter never goes down.
 *
 * @since 0.1.0
 */
public final class RdmaCounters {

    private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(long[].class);
    private static final RdmaCounter[] ALL = RdmaCounter.values();
    private static final RdmaGauge[] GAUGES = RdmaGauge.values();
    private static final long AWAKE = 0;

    private final long[] values = new long[ALL.length];
    private final long[] gauges = new long[GAUGES.length];
    /** When the present sleep began, by {@link System#nanoTime}. */
    private volatile long asleepSince = AWAKE;
    /** What readers have seen of the time asleep. */
    private final AtomicLong asleepSeen = new AtomicLong();

    /** Creates the counters of a loop. For use within this project only. */
    @UnstableApi
    public RdmaCounters() {
    }

    /**
     * Call only on the loop's thread. For use within this project only.
     *
     * @param counter goes up by 1; not {@link RdmaCounter#BYTES_COPIED_OUT}, which is a sum.
     */
    @UnstableApi
    public void increment(RdmaCounter counter) {
        add(counter, 1);
    }

    /**
     * Call only on the loop's thread. For use within this project only.
     *
     * @param counter goes up; not {@link RdmaCounter#BYTES_COPIED_OUT}, which is a sum.
     * @param count by how much.
     */
    @UnstableApi
    public void add(RdmaCounter counter, long count) {
        int at = counter.ordinal();
        ELEMENT.setOpaque(values, at, values[at] + count);
    }

    /**
     * Call only on the loop's thread. For use within this project only.
     *
     * @param gauge goes up or down.
     * @param change by how much; negative to go down.
     */
    @UnstableApi
    public void add(RdmaGauge gauge, long change) {
        int at = gauge.ordinal();
        ELEMENT.setOpaque(gauges, at, gauges[at] + change);
    }

    /**
     * Counts the sleep that begins as {@link RdmaCounter#NANOS_ASLEEP}. Call only on the loop's thread. For use within
     * this project only.
     *
     * @param now by {@link System#nanoTime}.
     */
    @UnstableApi
    public void sleeps(long now) {
        asleepSince = now == AWAKE ? 1 : now;
    }

    /**
     * Ends a sleep, before the loop reads the clock for {@link #slept}. Other threads that have seen the loop asleep
     * have read the clock earlier:
     *
     * <pre>
     *   another thread             the loop
     *   --------------             --------
     *   sees it asleep since t
     *   reads the clock: now
     *   sees it asleep since t
     *                              wakes
     *                              reads the clock: at least now
     *                              slept
     * </pre>
     *
     * Call only on the loop's thread. For use within this project only.
     */
    @UnstableApi
    public void wakes() {
        asleepSince = AWAKE;
    }

    /**
     * Counts a sleep that is over. Call only on the loop's thread. For use within this project only.
     *
     * @param nanos how long it was.
     */
    @UnstableApi
    public void slept(long nanos) {
        int at = RdmaCounter.NANOS_ASLEEP.ordinal();
        ELEMENT.setRelease(values, at, values[at] + nanos);
    }

    /**
     * {@return the value of a counter} Any thread.
     *
     * @param counter which one.
     */
    public long get(RdmaCounter counter) {
        return switch (counter) {
            case NANOS_ASLEEP -> nanosAsleep();
            case BYTES_COPIED_OUT -> value(RdmaCounter.BYTES_STAGED) + value(RdmaCounter.BYTES_INLINE);
            default -> value(counter);
        };
    }

    private long value(RdmaCounter counter) {
        return (long) ELEMENT.getOpaque(values, counter.ordinal());
    }

    /** With the present sleep. A sleep that ends meanwhile would count twice, or for a moment not at all. */
    private long nanosAsleep() {
        long since;
        long nanos;
        do {
            since = asleepSince;
            nanos = (long) ELEMENT.getAcquire(values, RdmaCounter.NANOS_ASLEEP.ordinal());
            nanos += since == AWAKE ? 0 : Math.max(0, System.nanoTime() - since);
        } while (since != asleepSince);
        return asleepSeen.accumulateAndGet(nanos, Math::max);
    }

    /**
     * {@return the value of a gauge} Any thread.
     *
     * @param gauge which one.
     */
    @UnstableApi
    public long get(RdmaGauge gauge) {
        return (long) ELEMENT.getOpaque(gauges, gauge.ordinal());
    }

    /** {@return all counters} The values are not read at one instant. */
    public Map<RdmaCounter, Long> snapshot() {
        Map<RdmaCounter, Long> snapshot = new EnumMap<>(RdmaCounter.class);
        for (RdmaCounter counter : ALL) {
            snapshot.put(counter, get(counter));
        }
        return snapshot;
    }

    /** {@return all gauges} The values are not read at one instant. */
    @UnstableApi
    public Map<RdmaGauge, Long> gauges() {
        Map<RdmaGauge, Long> snapshot = new EnumMap<>(RdmaGauge.class);
        for (RdmaGauge gauge : GAUGES) {
            snapshot.put(gauge, get(gauge));
        }
        return snapshot;
    }

    @Override
    public String toString() {
        return snapshot().toString();
    }
}
