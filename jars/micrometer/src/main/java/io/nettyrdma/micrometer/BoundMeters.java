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
package io.nettyrdma.micrometer;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.nettyrdma.metrics.RdmaLoopMetrics;
import io.nettyrdma.metrics.RdmaMetricsListener;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The meters of one registry. The meters of a loop exist as long as the loop. */
final class BoundMeters implements RdmaMetricsListener, AutoCloseable {

    /** The tag of a loop, see {@link RdmaLoopMetrics#index}. */
    private static final String LOOP = "loop";

    private final MeterRegistry registry;
    private final Tags tags;
    private final List<Meter> ofProcess;
    private final Map<RdmaLoopMetrics, List<Meter>> ofLoops = new HashMap<>();

    BoundMeters(MeterRegistry registry, Tags tags) {
        this.registry = registry;
        this.tags = tags;
        ofProcess = new ArrayList<>(ProcessMeters.register(registry, tags));
    }

    @Override
    public synchronized void started(RdmaLoopMetrics loop) {
        Tags ofLoop = tags.and(LOOP, Integer.toString(loop.index()));
        ofLoops.put(loop, LoopMeters.ALL.stream().map(meter -> meter.register(registry, ofLoop, loop.counters()))
                .toList());
    }

    @Override
    public synchronized void ended(RdmaLoopMetrics loop) {
        remove(ofLoops.remove(loop));
    }

    @Override
    public synchronized void deviceUsed(String device) {
        ofProcess.add(ProcessMeters.registeredMemory(registry, tags, device));
    }

    @Override
    public synchronized void close() {
        remove(ofProcess);
        ofLoops.values().forEach(this::remove);
        ofLoops.clear();
    }

    private void remove(List<Meter> meters) {
        if (meters != null) {
            meters.forEach(registry::remove);
        }
    }
}
