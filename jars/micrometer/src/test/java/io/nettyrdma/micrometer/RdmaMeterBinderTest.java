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

import io.micrometer.core.instrument.Tags;
import io.nettyrdma.metrics.RdmaCounter;
import org.junit.jupiter.api.Test;

import java.util.Set;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/** The text that Prometheus scrapes agrees with the traffic. */
class RdmaMeterBinderTest {

    private static final int SMALL = 16;
    private static final int LARGE = 1 << 18;
    private static final long ALL = SMALL + LARGE;

    @Test
    void scrapeAgreesWithAnEcho() throws Exception {
        try (PrometheusEndpoint endpoint = new PrometheusEndpoint(); RdmaMeterBinder binder = new RdmaMeterBinder()) {
            binder.bindTo(endpoint.registry());
            try (EchoTraffic traffic = new EchoTraffic()) {
                traffic.echo(SMALL, LARGE);
                Scrape scrape = endpoint.scrape();
                assertThat(scrape.sum("rdma_sent_bytes_total")).isEqualTo(2 * ALL);
                assertThat(scrape.sum("rdma_received_bytes_total")).isEqualTo(2 * ALL);
                assertThat(scrape.sum("rdma_sent_bytes_total", "path", "gathered")).isPositive();
                assertThat(scrape.sum("rdma_sent_messages_total"))
                        .isEqualTo(scrape.sum("rdma_received_messages_total"));
                assertThat(scrape.sum("rdma_connections", "state", "open")).isEqualTo(2);
                assertThat(scrape.sum("rdma_listeners")).isEqualTo(1);
                assertThat(scrape.sum("rdma_connections_opened_total", "side", "client")).isEqualTo(1);
                assertThat(scrape.sum("rdma_connections_opened_total", "side", "server")).isEqualTo(1);
                assertThat(scrape.sum("rdma_receives")).isPositive();
                assertThat(scrape.sum("rdma_memory_registered_bytes", "device", traffic.device())).isPositive();
                assertThat(scrape.sum("rdma_memory_committed_bytes")).isPositive();
                assertThat(scrape.sum("rdma_loop_polls_total")).isPositive();
                assertThat(scrape.sum("rdma_loop_time_seconds_total")).isPositive();
                assertThat(scrape.types()).containsEntry("rdma_sent_bytes_total", "counter")
                        .containsEntry("rdma_connections", "gauge")
                        .containsEntry("rdma_stalls_seconds", "summary")
                        .containsEntry("rdma_loop_time_seconds_total", "counter");
            }
        }
    }

    @Test
    void labelsHaveFewValues() throws Exception {
        try (PrometheusEndpoint endpoint = new PrometheusEndpoint(); RdmaMeterBinder binder = new RdmaMeterBinder();
                EchoTraffic traffic = new EchoTraffic()) {
            binder.bindTo(endpoint.registry());
            traffic.echo(SMALL, LARGE);
            for (Scrape.Sample sample : endpoint.scrape().samples()) {
                assertThat(Set.of("loop", "device", "path", "state", "size", "cause", "side", "operation", "source",
                        "limit", "reason")).as(sample.toString()).containsAll(sample.labels().keySet());
            }
        }
    }

    @Test
    void loopThatHasEndedHasNoMeters() throws Exception {
        try (PrometheusEndpoint endpoint = new PrometheusEndpoint(); RdmaMeterBinder binder = new RdmaMeterBinder()) {
            binder.bindTo(endpoint.registry());
            try (EchoTraffic traffic = new EchoTraffic()) {
                traffic.echo(SMALL, LARGE);
                assertThat(loops(endpoint)).hasSize(EchoTraffic.LOOPS);
            }
            assertThat(loops(endpoint)).isEmpty();
            assertThat(endpoint.scrape().names()).contains("rdma_memory_committed_bytes");
        }
    }

    private static Set<String> loops(PrometheusEndpoint endpoint) throws Exception {
        return endpoint.scrape().samples().stream().filter(sample -> sample.labels().containsKey("loop"))
                .map(sample -> sample.labels().get("loop")).collect(Collectors.toSet());
    }

    @Test
    void closedBinderLeavesNoMeters() throws Exception {
        try (PrometheusEndpoint endpoint = new PrometheusEndpoint(); EchoTraffic traffic = new EchoTraffic()) {
            RdmaMeterBinder binder = new RdmaMeterBinder();
            binder.bindTo(endpoint.registry());
            traffic.echo(SMALL, LARGE);
            assertThat(endpoint.scrape().names()).isNotEmpty();
            binder.close();
            assertThat(endpoint.scrape().names()).isEmpty();
        }
    }

    @Test
    void everyMeterHasTheTagsOfItsBinder() throws Exception {
        try (PrometheusEndpoint endpoint = new PrometheusEndpoint();
                RdmaMeterBinder binder = new RdmaMeterBinder(Tags.of("service", "shop"));
                EchoTraffic traffic = new EchoTraffic()) {
            binder.bindTo(endpoint.registry());
            traffic.echo(SMALL, LARGE);
            assertThat(endpoint.scrape().samples())
                    .allSatisfy(sample -> assertThat(sample.labels()).containsEntry("service", "shop"));
        }
    }

    /** A new counter appears without work. */
    @Test
    void everyCounterIsShownOnce() {
        assertThat(LoopMeters.ALL.stream().flatMap(meter -> meter.counters().stream()))
                .doesNotHaveDuplicates()
                .hasSize(RdmaCounter.values().length - 1).doesNotContain(RdmaCounter.BYTES_COPIED_OUT);
    }
}
