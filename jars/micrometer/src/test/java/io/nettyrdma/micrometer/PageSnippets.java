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

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.micrometer.registry.otlp.OtlpConfig;
import io.micrometer.registry.otlp.OtlpMeterRegistry;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.metrics.RdmaChannelSnapshot;

/** The snippets of docs/observability.md, so that they are compiled. */
final class PageSnippets {

    private PageSnippets() {
    }

    static String prometheus() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        new RdmaMeterBinder().bindTo(registry);
        String text = registry.scrape();
        return text;
    }

    static MeterRegistry openTelemetry() {
        MeterRegistry registry = new OtlpMeterRegistry(OtlpConfig.DEFAULT, Clock.SYSTEM);
        new RdmaMeterBinder().bindTo(registry);
        return registry;
    }

    static void connection(RdmaChannel channel) {
        channel.snapshot().addListener((Future<RdmaChannelSnapshot> result) -> {
            if (result.isSuccess()) {
                System.out.println(result.getNow().creditStalls());
            }
        });
    }
}
