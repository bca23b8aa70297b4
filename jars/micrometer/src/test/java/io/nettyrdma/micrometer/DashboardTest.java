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

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/** The dashboard asks for metrics that a real endpoint has. */
class DashboardTest {

    private static final Pattern LABEL = Pattern.compile("\\{\\{(\\w+)}}");
    private static final int GRID = 24;

    private final List<Dashboard.Panel> panels = Dashboard.panels();

    DashboardTest() throws Exception {
    }

    @Test
    void everyQueryFindsSamplesOfTheEndpoint() throws Exception {
        try (PrometheusEndpoint endpoint = new PrometheusEndpoint(); RdmaMeterBinder binder = new RdmaMeterBinder();
                EchoTraffic traffic = new EchoTraffic()) {
            binder.bindTo(endpoint.registry());
            traffic.echo(1, 1);
            Scrape scrape = endpoint.scrape();
            for (Dashboard.Panel panel : panels) {
                assertThat(panel.targets()).as(panel.title()).isNotEmpty();
                for (Dashboard.Target target : panel.targets()) {
                    Query query = target.query();
                    assertThat(query.samples(scrape)).as(query.text()).isNotEmpty();
                    assertThat(query.by() == null || query.samples(scrape).stream()
                            .allMatch(sample -> sample.labels().containsKey(query.by()))).as(query.text()).isTrue();
                    String family = query.name().replaceAll("_(count|sum)$", "");
                    assertThat(query.isRate()).as(query.text()).isEqualTo(
                            !"gauge".equals(scrape.types().get(family)));
                }
            }
        }
    }

    @Test
    void everyMetricOfThePageIsOnAPanel() throws Exception {
        Set<String> shown = new TreeSet<>();
        panels.forEach(panel -> panel.targets().forEach(target -> shown.add(target.query().name()
                .replaceAll("_(count|sum)$", ""))));
        // They seldom change.
        Set<String> notShown = Set.of("rdma_listeners", "rdma_datagram_channels");
        try (PrometheusEndpoint endpoint = new PrometheusEndpoint(); RdmaMeterBinder binder = new RdmaMeterBinder();
                EchoTraffic traffic = new EchoTraffic()) {
            binder.bindTo(endpoint.registry());
            traffic.echo(1, 1);
            Set<String> expected = new TreeSet<>(endpoint.scrape().types().keySet());
            expected.removeAll(notShown);
            assertThat(shown).isEqualTo(expected);
        }
    }

    @Test
    void everyLegendNamesTheLabelOfItsQuery() {
        for (Dashboard.Panel panel : panels) {
            assertThat(panel.description()).as(panel.title()).isNotBlank();
            for (Dashboard.Target target : panel.targets()) {
                Matcher label = LABEL.matcher(target.legend());
                assertThat(label.find() ? label.group(1) : null).as(target.query().text())
                        .isEqualTo(target.query().by());
            }
        }
    }

    @Test
    void panelsDoNotOverlap() {
        List<String> cells = new ArrayList<>();
        for (Dashboard.Panel panel : panels) {
            assertThat(panel.x() + panel.width()).as(panel.title()).isLessThanOrEqualTo(GRID);
            for (int x = panel.x(); x < panel.x() + panel.width(); x++) {
                for (int y = panel.y(); y < panel.y() + panel.height(); y++) {
                    cells.add(x + ", " + y);
                }
            }
        }
        assertThat(cells).doesNotHaveDuplicates();
    }
}
