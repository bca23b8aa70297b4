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

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What this process does by RDMA, for tools that show it: the live event loops with their counters, and what belongs to
 * no loop. Any thread.
 *
 * <pre>
 *   for (RdmaLoopMetrics loop : RdmaMetrics.loops()) {
 *       long open = loop.counters().get(RdmaGauge.CONNECTIONS_OPEN);
 *   }
 * </pre>
 *
 * @since 0.1.0
 */
@UnstableApi
public final class RdmaMetrics {

    /** By index; those that have ended are removed. Guarded by itself, as are the next two. */
    private static final TreeMap<Integer, RdmaLoopMetrics> LOOPS = new TreeMap<>();
    private static final Set<String> DEVICES = new TreeSet<>();
    private static final List<RdmaMetricsListener> LISTENERS = new ArrayList<>();

    private RdmaMetrics() {
    }

    /** {@return the loops whose threads have started and that have not ended, by their index} */
    public static List<RdmaLoopMetrics> loops() {
        synchronized (LOOPS) {
            return List.copyOf(LOOPS.values());
        }
    }

    /**
     * Reports the live loops and the used devices to a listener, and from now on all changes.
     *
     * @param listener the caller's, who removes it.
     */
    public static void addListener(RdmaMetricsListener listener) {
        synchronized (LOOPS) {
            LISTENERS.add(listener);
            LOOPS.values().forEach(listener::started);
            DEVICES.forEach(listener::deviceUsed);
        }
    }

    /**
     * Reports nothing more to a listener.
     *
     * @param listener of {@link #addListener}; another one does nothing.
     */
    public static void removeListener(RdmaMetricsListener listener) {
        synchronized (LOOPS) {
            LISTENERS.remove(listener);
        }
    }

    /** {@return the bytes that are registered with each device, by its name; memory counts once for each domain} */
    public static Map<String, Long> registeredBytes() {
        return ProcessMetrics.REGISTERED.values();
    }

    /** {@return the bytes that all allocators have taken from the system} */
    public static long committedBytes() {
        return ProcessMetrics.COMMITTED.sum();
    }

    static void used(String device) {
        synchronized (LOOPS) {
            if (DEVICES.add(device)) {
                LISTENERS.forEach(listener -> listener.deviceUsed(device));
            }
        }
    }

    /**
     * A loop begins. For use within this project only.
     *
     * @param counters of the loop.
     * @return the caller's, who calls {@link #ended} with it.
     */
    public static RdmaLoopMetrics started(RdmaCounters counters) {
        synchronized (LOOPS) {
            int index = 0;
            while (LOOPS.containsKey(index)) {
                index++;
            }
            RdmaLoopMetrics loop = new RdmaLoopMetrics(index, counters, Thread.currentThread().getName());
            LOOPS.put(index, loop);
            LISTENERS.forEach(listener -> listener.started(loop));
            Management.update(true);
            return loop;
        }
    }

    /**
     * A loop continues on this thread. For use within this project only.
     *
     * @param loop of {@link #started}.
     */
    public static void continued(RdmaLoopMetrics loop) {
        loop.threadName(Thread.currentThread().getName());
    }

    /**
     * A loop ends. For use within this project only.
     *
     * @param loop of {@link #started}.
     */
    public static void ended(RdmaLoopMetrics loop) {
        synchronized (LOOPS) {
            if (LOOPS.remove(loop.index(), loop)) {
                LISTENERS.forEach(listener -> listener.ended(loop));
                Management.update(!LOOPS.isEmpty());
            }
        }
    }
}
