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

import java.util.List;

/** A bar for each value of one unit, from 0. */
final class BarChart {

    private static final double ROW = 22;
    private static final double PLOT_FROM = 200;
    private static final double PLOT_TO = 410;

    /** @param label beside the bar. */
    record Bar(String label, Variant variant, Spread value) { }

    private BarChart() {
    }

    static Chart draw(String caption, List<Bar> bars) {
        Svg svg = new Svg(caption);
        double most = bars.stream().mapToDouble(bar -> bar.value.median()).max().orElse(1);
        double y = 0;
        for (Bar bar : bars) {
            svg.text(0, y + 15, "start", "", bar.label);
            svg.rectangle(PLOT_FROM, y + 4, Math.max(1, (PLOT_TO - PLOT_FROM) * bar.value.median() / most), ROW - 8,
                    bar.variant.style() + " bar");
            svg.text(Svg.WIDTH - 4, y + 15, "end", "", Spread.format(bar.value.median()));
            y += ROW;
        }
        return new Chart(caption, svg, y + 8, List.of());
    }
}
