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

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/** The table of docs/observability.md has the metrics that a program has, with their types and tags. */
class MetricsPageTest {

    private static final Pattern ROW =
            Pattern.compile("(?m)^\\| `(rdma[.a-z]+)` \\| `(\\w+)` \\| (\\w+) \\| (\\w+) \\| ([^|]*) \\|(.*)\\|$");
    private static final Pattern TAG = Pattern.compile("`(\\w+)`(?:: (.*))?");
    private static final Pattern SNIPPET = Pattern.compile("(?s)```java\n(.*?)```");
    /** Of the loop and of the device there are as many values as there are loops and devices. */
    private static final Set<String> OPEN = Set.of("loop", "device");
    private static final Map<String, String> PROMETHEUS_TYPES =
            Map.of("counter", "counter", "gauge", "gauge", "timer", "summary");

    private record Row(String metric, String prometheus, String type, String unit, String tags) { }

    private static Scrape scrape;
    private static Set<String> meters;
    private static Map<String, Row> table;

    @BeforeAll
    static void scrapeAndRead() throws Exception {
        try (PrometheusEndpoint endpoint = new PrometheusEndpoint(); RdmaMeterBinder binder = new RdmaMeterBinder();
                EchoTraffic traffic = new EchoTraffic()) {
            binder.bindTo(endpoint.registry());
            traffic.echo(1, 1);
            scrape = endpoint.scrape();
            meters = endpoint.registry().getMeters().stream().map(meter -> meter.getId().getName())
                    .collect(Collectors.toCollection(TreeSet::new));
        }
        table = new TreeMap<>();
        ROW.matcher(Pages.text("observability.md")).results().forEach(row -> table.put(row.group(1),
                new Row(row.group(1), row.group(2), row.group(3), row.group(4), row.group(5))));
    }

    @AfterAll
    static void forget() {
        scrape = null;
    }

    @Test
    void tableHasAllMeters() {
        assertThat(table.keySet()).containsExactlyInAnyOrderElementsOf(meters);
    }

    @Test
    void tableHasNamesAndTypesOfPrometheus() {
        Map<String, String> types = new TreeMap<>();
        table.values().forEach(row -> types.put(row.prometheus(), PROMETHEUS_TYPES.get(row.type())));
        assertThat(types).isEqualTo(scrape.types());
    }

    @Test
    void unitOfTheTableIsThatOfTheName() {
        for (Row row : table.values()) {
            for (String unit : Set.of("bytes", "seconds")) {
                assertThat(row.prometheus().contains("_" + unit)).as(row.metric()).isEqualTo(row.unit().equals(unit));
            }
        }
    }

    @Test
    void tableHasTagsAndTheirValues() {
        for (Row row : table.values()) {
            Map<String, Set<String>> labels = new TreeMap<>();
            scrape.samples().stream().filter(sample -> sample.name().startsWith(row.prometheus()))
                    .filter(sample -> family(sample.name()).equals(row.prometheus()))
                    .forEach(sample -> sample.labels().forEach((key, value) -> labels.computeIfAbsent(key,
                            added -> new TreeSet<>()).add(value)));
            Matcher tag = TAG.matcher(row.tags().trim());
            String named = tag.matches() ? tag.group(1) : null;
            Set<String> expected = new TreeSet<>(labels.keySet());
            expected.remove("loop");
            assertThat(named == null ? Set.of() : Set.of(named)).as(row.metric()).isEqualTo(expected);
            if (named != null && !OPEN.contains(named) && !"limit".equals(named)) {
                assertThat(tag.group(2).split(", ")).as(row.metric())
                        .containsExactlyInAnyOrderElementsOf(labels.get(named));
            }
        }
    }

    private static String family(String sample) {
        return sample.replaceAll("_(count|sum|max)$", "");
    }

    @Test
    void tuningPageHasEveryLimit() throws Exception {
        String page = Pages.text("tuning.md");
        for (Scrape.Sample sample : scrape.samples()) {
            if (sample.name().equals("rdma_limits_total")) {
                assertThat(page).contains('`' + sample.labels().get("limit").toUpperCase(Locale.ROOT) + '`');
            }
        }
    }

    @Test
    void snippetsAreCompiled() throws Exception {
        String source = Files.readString(Path.of("src/test/java",
                PageSnippets.class.getName().replace('.', '/') + ".java"));
        String compiled = source.replaceAll("(?m)^ +", "");
        String page = Pages.text("observability.md");
        int begin = page.indexOf("\n## Metrics\n");
        String section = page.substring(begin, page.indexOf("\n## ", begin + 1));
        assertThat(SNIPPET.matcher(section).results().map(found -> found.group(1)).toList())
                .isNotEmpty().allSatisfy(snippet -> assertThat(compiled).contains(snippet.replaceAll("(?m)^ +", "")));
    }
}
