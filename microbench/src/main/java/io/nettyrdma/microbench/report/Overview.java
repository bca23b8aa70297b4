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
package io.nettyrdma.microbench.report;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The first drawing of a report: the transport with its defaults against its baseline, in each series. */
final class Overview {

    /** The variants with defaults. */
    private static final Set<String> DEFAULTS = Set.of("rdma-adaptive", "UD", "SRD", "rdma");
    /** A loop that never sleeps is not the default. */
    private static final String NO_DEFAULT = "one busy loop";
    /** Then the others need no such addition. */
    private static final String DEFAULT = ", two loops";

    private Overview() {
    }

    /** @param titles of the sections, by name. */
    static Chart of(RawReport report, Map<String, String> titles) {
        RatioChart chart = new RatioChart("RDMA with its defaults, times as fast as TCP or UDP");
        for (Map.Entry<String, String> section : titles.entrySet()) {
            Map<String, RawFigure> main = new LinkedHashMap<>();
            report.figures(section.getKey()).stream().filter(Overview::isShown)
                    .forEach(each -> main.putIfAbsent(each.series(), each));
            chart.add(section.getValue(), main.values().stream().map(each -> new RatioChart.Row(
                    label(each.series(), main.keySet()), new Variant(each.variant()), report.ratio(each))).toList());
        }
        return chart.draw();
    }

    /** Without which the drawing means little. */
    static String conditions(RawReport report) {
        return Stream.of("date", "processor", "processors", "device")
                .map(name -> name.equals("processors") ? report.machine().getOrDefault(name, "") + " processors"
                        : report.machine().getOrDefault(name, "").replaceAll("(;| at | \\d\\d:).*", ""))
                .collect(Collectors.joining(", "))
                + (report.isDisturbed() ? ", beside other work (load " + report.loadBefore() + ")" : "");
    }

    private static boolean isShown(RawFigure figure) {
        return DEFAULTS.contains(figure.variant()) && !figure.baseline().isEmpty()
                && !figure.series().endsWith(NO_DEFAULT);
    }

    /** Without the beginning that all series of a section have. */
    private static String label(String series, Set<String> all) {
        String first = series.replaceAll(",.*", "");
        List<String> rest = all.stream().map(each -> each.startsWith(first + ", ")
                ? each.substring(first.length() + 2) : "").collect(Collectors.toList());
        return all.size() > 1 && !rest.contains("") ? series.substring(first.length() + 2).replace(DEFAULT, "")
                : series;
    }
}
