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
package io.nettyrdma.microbench.echo;

import io.nettyrdma.microbench.RawResults;
import org.HdrHistogram.Histogram;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.StringJoiner;
import java.util.stream.IntStream;

/** One kind of measurement with one message size: the figures of each transport in each round, printed as a table. */
final class Series {

    private final Kind kind;
    private final int size;
    private final int loops;
    private final Transport baseline;
    private final Map<Transport, List<Figure>> figures = new EnumMap<>(Transport.class);
    /** The same with one loop, of the same rounds. */
    private final Map<Transport, List<Figure>> ofOneLoop = new EnumMap<>(Transport.class);

    /**
     * @param loops of each process; more than one are compared with one.
     * @param baseline the transport that the others are compared with, if it is measured.
     */
    Series(Kind kind, int size, int loops, Transport baseline) {
        this.kind = kind;
        this.size = size;
        this.loops = loops;
        this.baseline = baseline;
    }

    Kind kind() {
        return kind;
    }

    int size() {
        return size;
    }

    int loops() {
        return loops;
    }

    void add(Transport transport, Figure figure, Figure withOneLoop) {
        figures.computeIfAbsent(transport, key -> new ArrayList<>()).add(figure);
        ofOneLoop.computeIfAbsent(transport, key -> new ArrayList<>()).add(withOneLoop);
    }

    /** Names the series as {@link #print} does. */
    void write(RawResults results) throws IOException {
        String title = String.format(Locale.ROOT, "%s, %,d %s%s", kind.title(), size, kind.unit(),
                loops == 1 ? "" : ", " + loops + " loops");
        String than = figures.containsKey(baseline) ? baseline.toString() : "";
        String[] names = kind.columns().split(" \\| ");
        for (Map.Entry<Transport, List<Figure>> each : figures.entrySet()) {
            String transport = each.getKey().toString();
            List<Figure> rounds = each.getValue();
            for (int i = 0; i < names.length; i++) {
                results.add(title, transport, names[i], than, column(rounds, i));
            }
            if (loops > 1) {
                results.add(title, transport, "messages/s of all", than,
                        rounds.stream().mapToDouble(Figure::total).toArray());
                results.add(title, transport, "times one loop", "", timesOneLoop(each.getKey()));
            }
            List<Histogram> histograms = rounds.stream().map(Figure::histogram).filter(Objects::nonNull).toList();
            if (!histograms.isEmpty()) {
                results.add(title, transport, histograms);
            }
        }
    }

    private static double[] column(List<Figure> rounds, int index) {
        return rounds.stream().mapToDouble(each -> each.columns()[index]).toArray();
    }

    private double[] timesOneLoop(Transport transport) {
        List<Figure> all = figures.get(transport);
        List<Figure> one = ofOneLoop.get(transport);
        return IntStream.range(0, all.size()).mapToDouble(i -> all.get(i).total() / one.get(i).total()).toArray();
    }

    void print() {
        String more = loops == 1 ? "" : String.format(Locale.ROOT, " of all %d loops, per second | times one loop |",
                loops);
        System.out.printf(Locale.ROOT, "%n| %s, %,d %s | %s | times as fast as %s |%s%n|---|%s---|%s%n", kind.title(),
                size, kind.unit(), kind.columns(), baseline, more, "---|".repeat(kind.formats().length),
                loops == 1 ? "" : "---|---|");
        figures.forEach((transport, rounds) -> System.out.printf("| %s | %s | %s |%s%n", transport, values(rounds),
                timesAsFast(rounds), loops == 1 ? "" : ofAllLoops(transport, rounds)));
    }

    /** The sum over all loops, and how many times that of one loop it is. */
    private String ofAllLoops(Transport transport, List<Figure> rounds) {
        double[] totals = rounds.stream().mapToDouble(Figure::total).toArray();
        return String.format(Locale.ROOT, " %,.0f | %s |", median(totals), medianAndSpread(timesOneLoop(transport)));
    }

    private String values(List<Figure> rounds) {
        StringJoiner values = new StringJoiner(" | ");
        for (int i = 0; i < kind.formats().length; i++) {
            values.add(String.format(Locale.ROOT, kind.formats()[i], median(column(rounds, i))));
        }
        return values.toString();
    }

    /** Each ratio compares figures of one round, because the other load of the machine varies between rounds. */
    private String timesAsFast(List<Figure> rounds) {
        List<Figure> than = figures.get(baseline);
        if (than == null) {
            return "";
        }
        double[] ratios = new double[rounds.size()];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = kind.timesAsFast(rounds.get(i), than.get(i));
        }
        return medianAndSpread(ratios);
    }

    private static String medianAndSpread(double[] ratios) {
        double median = median(ratios);
        return String.format(Locale.ROOT, "%.2f (%.2f to %.2f)", median, ratios[0], ratios[ratios.length - 1]);
    }

    /** Sorts the values. */
    private static double median(double[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }
}
