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

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.metrics.RdmaMetrics;

import java.util.ArrayList;
import java.util.List;

/**
 * Binds the metrics of the RDMA transport to a registry of Micrometer: those of each event loop of this process, from
 * its begin to its end, and those of the process.
 * <a href="https://nettyrdma.io/docs/observability.html">Observability</a> has the list.
 *
 * <pre>
 *   new RdmaMeterBinder().bindTo(registry);
 * </pre>
 *
 * The loops count in any case. Reading a meter reads the counters of one loop, and takes no lock. Any thread.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class RdmaMeterBinder implements MeterBinder, AutoCloseable {

    private final Tags tags;
    private final List<BoundMeters> bound = new ArrayList<>();

    /** Creates a binder whose meters have no further tags. */
    public RdmaMeterBinder() {
        this(Tags.empty());
    }

    /**
     * Creates a binder.
     *
     * @param tags of all its meters, in addition to their own.
     */
    public RdmaMeterBinder(Iterable<Tag> tags) {
        this.tags = Tags.of(tags);
    }

    /**
     * Adds the meters to a registry, and from now on those of each loop that begins.
     *
     * @param registry gets the meters.
     */
    @Override
    public synchronized void bindTo(MeterRegistry registry) {
        BoundMeters meters = new BoundMeters(registry, tags);
        bound.add(meters);
        RdmaMetrics.addListener(meters);
    }

    /** Removes the meters from all registries. */
    @Override
    public synchronized void close() {
        for (BoundMeters meters : bound) {
            RdmaMetrics.removeListener(meters);
            meters.close();
        }
        bound.clear();
    }
}
