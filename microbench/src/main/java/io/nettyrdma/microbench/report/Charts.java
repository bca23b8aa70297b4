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

import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The drawings of a section, as its results allow. */
final class Charts {

    /** The size in the name of a series. */
    private static final Pattern SIZE = Pattern.compile("(.*), ([\\d,]+) B\\b(.*)");
    /** Fewer sizes make no curve. */
    private static final int SIZES = 4;
    /** Points of a curve between two halves of what is left to 100 %. */
    private static final int STEPS = 3;
    private static final double NANOS = 1000;

    private static final List<CurveChart.Tick> PERCENTILES = List.of(new CurveChart.Tick(1, "0"),
            new CurveChart.Tick(2, "50"), new CurveChart.Tick(10, "90"), new CurveChart.Tick(100, "99"),
            new CurveChart.Tick(1_000, "99.9"), new CurveChart.Tick(10_000, "99.99"));

    private final RawReport report;
    private final String section;
    private final List<RawFigure> figures;

    Charts(RawReport report, String section) {
        this.report = report;
        this.section = section;
        figures = report.figures(section);
    }

    List<Chart> all() {
        List<Chart> charts = new ArrayList<>();
        report.histograms().getOrDefault(section, Map.of()).entrySet().stream()
                .collect(Collectors.groupingBy(entry -> series(entry.getKey()), LinkedHashMap::new,
                        Collectors.toList()))
                .forEach((series, byTag) -> charts.add(percentiles(series, byTag)));
        charts.addAll(curvesBySize());
        RatioChart ratios = ratios();
        if (!ratios.isEmpty()) {
            charts.add(ratios.draw());
        }
        charts.addAll(bars());
        return charts;
    }

    /** The series that a histogram is of. */
    private String series(String tag) {
        String name = tag.substring(0, tag.lastIndexOf('/'));
        return figures.stream().map(RawFigure::series).filter(each -> each.replaceAll("[ ,]+", "-").equals(name))
                .findFirst().orElse(name);
    }

    private static Chart percentiles(String series, List<Map.Entry<String, Histogram>> byTag) {
        CurveChart chart = new CurveChart(series, "percentile", "us", PERCENTILES);
        byTag.stream().map(entry -> new CurveChart.Curve(
                        new Variant(entry.getKey().substring(entry.getKey().lastIndexOf('/') + 1)),
                        percentiles(entry.getValue()), false))
                .sorted(Comparator.comparing(curve -> curve.variant().order())).forEach(chart::add);
        return chart.draw();
    }

    /** As far as ten values are beyond: fewer say little. */
    private static List<double[]> percentiles(Histogram histogram) {
        double last = Math.min(PERCENTILES.get(PERCENTILES.size() - 1).value(), histogram.getTotalCount() / 10.0);
        List<double[]> points = new ArrayList<>();
        for (HistogramIterationValue each : histogram.percentiles(STEPS)) {
            double beyond = 100 / (100 - each.getPercentileLevelIteratedTo());
            if (beyond <= last) {
                points.add(new double[] { beyond, each.getValueIteratedTo() / NANOS });
            }
        }
        return points;
    }

    /** One for each figure of those series that differ in nothing but enough sizes. */
    private List<Chart> curvesBySize() {
        Map<String, List<RawFigure>> byTitle = grouped(main(), each -> {
            Matcher size = SIZE.matcher(each.series());
            return size.matches() ? size.group(1) + size.group(3) : "";
        });
        List<Chart> charts = new ArrayList<>();
        byTitle.forEach((title, rows) -> {
            List<Double> sizes = rows.stream().map(Charts::size).distinct().sorted().toList();
            if (!title.isEmpty() && sizes.size() >= SIZES) {
                CurveChart chart = new CurveChart(title, "bytes", rows.get(0).figure(),
                        sizes.stream().map(size -> new CurveChart.Tick(size, bytes(size))).toList());
                grouped(rows, RawFigure::variant).values().stream()
                        .map(each -> new CurveChart.Curve(new Variant(each.get(0).variant()), each.stream()
                                .map(row -> new double[] { size(row), Spread.of(row.rounds()).median() })
                                .filter(point -> !Double.isNaN(point[1])).toList(), true))
                        .sorted(Comparator.comparing(curve -> curve.variant().order())).forEach(chart::add);
                charts.add(chart.draw());
            }
        });
        return charts;
    }

    /** The main figure of each series and variant against its baseline. */
    private RatioChart ratios() {
        String baselines = figures.stream().map(RawFigure::baseline).filter(each -> !each.isEmpty()).distinct()
                .collect(Collectors.joining(" or "));
        RatioChart chart = new RatioChart("Times as fast as " + baselines + ", and the spread of the rounds");
        grouped(main(), RawFigure::series).forEach((series, rows) -> chart.add(series, rows.stream()
                .filter(row -> !row.isBaseline())
                .map(row -> new RatioChart.Row(row.variant(), new Variant(row.variant()), report.ratio(row)))
                .sorted(Comparator.comparing(row -> row.variant().order())).toList()));
        return chart;
    }

    /** Of figures without a baseline, one for each unit. */
    private List<Chart> bars() {
        List<Chart> charts = new ArrayList<>();
        List<RawFigure> alone = figures.stream().filter(each -> each.baseline().isEmpty()
                && each.rounds().length > 0).toList();
        boolean oneVariant = alone.stream().map(RawFigure::variant).distinct().count() == 1;
        grouped(alone, RawFigure::figure).forEach((figure, rows) -> charts.add(BarChart.draw(figure, rows.stream()
                .map(row -> new BarChart.Bar(oneVariant ? row.series() : bar(row, rows), new Variant(row.variant()),
                        Spread.of(row.rounds()))).toList())));
        return charts;
    }

    private static String bar(RawFigure row, List<RawFigure> rows) {
        boolean oneSeries = rows.stream().map(RawFigure::series).distinct().count() == 1;
        return oneSeries ? row.variant() : row.series().replaceAll(",.*", "") + ", " + row.variant();
    }

    /** Only the first figure of each series: the others are in the table. */
    private List<RawFigure> main() {
        Map<String, String> first = new LinkedHashMap<>();
        figures.forEach(each -> first.putIfAbsent(each.series(), each.figure()));
        return figures.stream().filter(each -> each.figure().equals(first.get(each.series()))
                && !each.baseline().isEmpty()).toList();
    }

    private static Map<String, List<RawFigure>> grouped(List<RawFigure> rows, Function<RawFigure, String> by) {
        return rows.stream().collect(Collectors.groupingBy(by, LinkedHashMap::new, Collectors.toList()));
    }

    private static double size(RawFigure row) {
        Matcher size = SIZE.matcher(row.series());
        return size.matches() ? Double.parseDouble(size.group(2).replace(",", "")) : Double.NaN;
    }

    private static String bytes(double size) {
        int kib = 1 << 10;
        int mib = 1 << 20;
        return size >= mib ? Scale.label(size / mib) + " Mi" : size >= kib ? Scale.label(size / kib) + " Ki"
                : Scale.label(size);
    }
}
