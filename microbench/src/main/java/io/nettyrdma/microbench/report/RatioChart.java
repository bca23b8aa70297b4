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

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A row for each ratio: its median, its spread, and a line where both are equally fast. */
final class RatioChart {

    private static final double ROW = 19;
    private static final double HEAD = 24;
    private static final double PLOT_FROM = 200;
    private static final double PLOT_TO = 418;
    /** Times the greatest median, and the least one divided by it, are the edges. */
    private static final double MARGIN = 1.6;

    /** @param label beside the row. */
    record Row(String label, Variant variant, Spread ratio) { }

    /** @param head above the rows. */
    record Group(String head, List<Row> rows) { }

    private final String caption;
    private final List<Group> groups = new ArrayList<>();

    RatioChart(String caption) {
        this.caption = caption;
    }

    /** Rows without a ratio are left out, and the group if nothing is left. */
    void add(String head, List<Row> rows) {
        List<Row> some = rows.stream().filter(row -> !row.ratio.isEmpty()).toList();
        if (!some.isEmpty()) {
            groups.add(new Group(head, some));
        }
    }

    boolean isEmpty() {
        return groups.isEmpty();
    }

    Chart draw() {
        Svg svg = new Svg(caption);
        double[] medians = groups.stream().flatMap(group -> group.rows.stream())
                .mapToDouble(row -> row.ratio.median()).toArray();
        // A single round that was disturbed should not make all other rows small: its spread ends at the edge.
        Scale scale = new Scale(Arrays.stream(medians).map(each -> each / MARGIN).reduce(0.5, Math::min),
                Arrays.stream(medians).map(each -> each * MARGIN).reduce(2, Math::max), PLOT_FROM, PLOT_TO);
        double bottom = groups.stream().mapToDouble(group -> HEAD + ROW * group.rows.size()).sum();
        for (double tick : scale.ticks()) {
            svg.line(scale.at(tick), 6, scale.at(tick), bottom + 4, tick == 1 ? "one" : "grid");
            svg.text(scale.at(tick), bottom + 19, "middle", "soft", Scale.label(tick));
        }
        double y = 0;
        for (Group group : groups) {
            svg.text(0, y + 17, "start", "head", group.head);
            y += HEAD;
            for (Row row : group.rows) {
                draw(svg, row, scale, y + ROW / 2);
                y += ROW;
            }
        }
        return new Chart(caption, svg, bottom + Chart.FOOT, List.of());
    }

    private static void draw(Svg svg, Row row, Scale scale, double y) {
        svg.text(10, y + 4, "start", "", row.label);
        svg.line(scale.at(row.ratio.min()), y, scale.at(row.ratio.max()), y, row.variant.style() + " span");
        svg.mark(scale.at(row.ratio.median()), y, row.variant, row.ratio.toString());
        svg.text(Svg.WIDTH - 4, y + 4, "end", "", Spread.format(row.ratio.median()));
    }
}
