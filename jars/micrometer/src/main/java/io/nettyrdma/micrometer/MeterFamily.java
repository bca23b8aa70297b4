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

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tags;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaGauge;

import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The meters of one name, which differ by their tags.
 *
 * @param name by Micrometer's convention.
 * @param unit base unit; {@code null} if the name says what is counted.
 * @param description of all of them.
 */
record MeterFamily(String name, String unit, String description) {

    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    MeterFamily(String name, String description) {
        this(name, null, description);
    }

    /** @param tags keys and values, beside the loop. */
    LoopMeter gauge(RdmaGauge gauge, String... tags) {
        return new LoopMeter(name, Tags.of(tags), Set.of(), (registry, all, counters) ->
                Gauge.builder(name, counters, now -> now.get(gauge)).tags(all).baseUnit(unit)
                        .description(description).register(registry));
    }

    /** @param tags keys and values, beside the loop. */
    LoopMeter counter(RdmaCounter counter, String... tags) {
        return counter(counter, 1, tags);
    }

    /** A counter of nanoseconds, shown in seconds. */
    LoopMeter seconds(RdmaCounter counter, String... tags) {
        return counter(counter, NANOS_PER_SECOND, tags);
    }

    private LoopMeter counter(RdmaCounter counter, double divisor, String... tags) {
        return new LoopMeter(name, Tags.of(tags), Set.of(counter), (registry, all, counters) ->
                FunctionCounter.builder(name, counters, now -> now.get(counter) / divisor).tags(all).baseUnit(unit)
                        .description(description).register(registry));
    }

    /** Times with their duration. */
    LoopMeter timer(RdmaCounter times, RdmaCounter nanos, String... tags) {
        return new LoopMeter(name, Tags.of(tags), Set.of(times, nanos), (registry, all, counters) ->
                FunctionTimer.builder(name, counters, now -> now.get(times), now -> now.get(nanos),
                        TimeUnit.NANOSECONDS).tags(all).description(description).register(registry));
    }
}
