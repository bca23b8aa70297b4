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
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.nettyrdma.fallback.FallbackReason;
import io.nettyrdma.fallback.RdmaOrTcp;
import io.nettyrdma.metrics.RdmaMetrics;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The meters that belong to no loop. */
final class ProcessMeters {

    private ProcessMeters() {
    }

    static List<Meter> register(MeterRegistry registry, Tags tags) {
        List<Meter> meters = new ArrayList<>();
        meters.add(Gauge.builder("rdma.memory.committed", RdmaMetrics::committedBytes).tags(tags)
                .baseUnit(BaseUnits.BYTES)
                .description("Memory that the allocators have taken from the system").register(registry));
        for (FallbackReason reason : FallbackReason.values()) {
            meters.add(FunctionCounter.builder("rdma.fallbacks", reason, RdmaOrTcp::connectionsByTcp).tags(tags)
                    .tag("reason", reason.name().toLowerCase(Locale.ROOT))
                    .description("Connections that were made by TCP").register(registry));
        }
        return meters;
    }

    static Meter registeredMemory(MeterRegistry registry, Tags tags, String device) {
        return Gauge.builder("rdma.memory.registered", () -> RdmaMetrics.registeredBytes().get(device)).tags(tags)
                .tag("device", device).baseUnit(BaseUnits.BYTES)
                .description("Memory that is registered with the device").register(registry);
    }
}
