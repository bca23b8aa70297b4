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
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaCounters;

import java.util.Set;

/**
 * A meter that each loop has.
 *
 * @param name by Micrometer's convention.
 * @param tags beside the loop.
 * @param counters that it shows.
 * @param type how it is registered.
 */
record LoopMeter(String name, Tags tags, Set<RdmaCounter> counters, Type type) {

    /** Registers a meter of one type. */
    @FunctionalInterface
    interface Type {

        Meter register(MeterRegistry registry, Tags tags, RdmaCounters counters);
    }

    Meter register(MeterRegistry registry, Tags ofLoop, RdmaCounters ofThisLoop) {
        return type.register(registry, ofLoop.and(tags), ofThisLoop);
    }
}
