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
import java.util.List;

/** Curves of several variants over a logarithmic axis: percentiles, or rates against sizes. */
final class CurveChart {

    private static final double PLOT_FROM = 52;
    private static final double PLOT_TO = Svg.WIDTH - 14;
    private static final double TOP = 20;
    private static final double BOTTOM = 250;

    /** @param marked whether the points are few, and measured ones. */
    record Curve(Variant variant, List<double[]> points, boolean marked) { }

    /** A value of the horizontal axis and its label. */
    record Tick(double value, String label) { }

    private final String caption;
    private final String horizontal;
    private final String vertical;
    private final List<Tick> ticks;
    private final List<Curve> curves = new ArrayList<>();

    /**
     * @param horizontal name of the axis with its unit.
     * @param ticks of that axis; the first and the last one are its ends.
     */
    CurveChart(String caption, String horizontal, String vertical, List<Tick> ticks) {
        this.caption = caption;
        this.horizontal = horizontal;
        this.vertical = vertical;
        this.ticks = ticks;
    }

    void add(Curve curve) {
        curves.add(curve);
    }

    Chart draw() {
        Svg svg = new Svg(caption);
        Scale x = new Scale(ticks.get(0).value, ticks.get(ticks.size() - 1).value, PLOT_FROM, PLOT_TO);
        double[] values = curves.stream().flatMap(curve -> curve.points.stream()).mapToDouble(point -> point[1])
                .filter(value -> value > 0).sorted().toArray();
        Scale y = new Scale(values.length == 0 ? 1 : values[0], values.length == 0 ? 10 : values[values.length - 1],
                BOTTOM, TOP + 10);
        for (double tick : y.ticks()) {
            svg.line(PLOT_FROM, y.at(tick), PLOT_TO, y.at(tick), "grid");
            svg.text(PLOT_FROM - 6, y.at(tick) + 4, "end", "soft", Scale.label(tick));
        }
        for (Tick tick : ticks) {
            svg.line(x.at(tick.value), TOP, x.at(tick.value), BOTTOM, "grid");
            svg.text(x.at(tick.value), BOTTOM + 16, tick == ticks.get(ticks.size() - 1) ? "end" : "middle", "soft",
                    tick.label);
        }
        svg.text(0, 12, "start", "soft", vertical);
        svg.text(PLOT_TO, BOTTOM + 32, "end", "soft", horizontal);
        for (Curve curve : curves) {
            draw(svg, curve, x, y);
        }
        return new Chart(caption, svg, BOTTOM + 38, curves.stream().map(Curve::variant).toList());
    }

    private static void draw(Svg svg, Curve curve, Scale x, Scale y) {
        StringBuilder line = new StringBuilder();
        for (double[] point : curve.points) {
            line.append(Svg.point(x.at(point[0]), y.at(point[1])));
        }
        svg.polyline(line.toString().trim(), curve.variant.style() + " curve");
        List<double[]> marks = curve.marked ? curve.points : last(curve.points);
        for (double[] point : marks) {
            svg.mark(x.at(point[0]), y.at(point[1]), curve.variant,
                    curve.variant.name() + ": " + Spread.format(point[1]));
        }
    }

    private static List<double[]> last(List<double[]> points) {
        return points.isEmpty() ? points : points.subList(points.size() - 1, points.size());
    }
}
