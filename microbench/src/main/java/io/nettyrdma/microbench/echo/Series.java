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

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** One kind of measurement with one size of messages: what each transport had in each round, as a table. */
final class Series {

    private final Kind kind;
    private final int size;
    private final Transport baseline;
    private final Map<Transport, List<Figure>> figures = new EnumMap<>(Transport.class);

    /** @param baseline what the others are compared with, if it is measured. */
    Series(Kind kind, int size, Transport baseline) {
        this.kind = kind;
        this.size = size;
        this.baseline = baseline;
    }

    Kind kind() {
        return kind;
    }

    int size() {
        return size;
    }

    void add(Transport transport, Figure figure) {
        figures.computeIfAbsent(transport, key -> new ArrayList<>()).add(figure);
    }

    void print() {
        boolean roundTrip = kind == Kind.ROUND_TRIP;
        System.out.printf("%n| %s, %,d B | %s | times as fast as %s |%n|---|---|---|---|%s%n",
                roundTrip ? "round trip" : "one way", size,
                roundTrip ? "p50 us | p99 us | mean us" : "MiB/s | messages/s", baseline, roundTrip ? "---|" : "");
        figures.forEach((transport, rounds) -> System.out.printf("| %s | %s | %s |%n", transport,
                roundTrip ? value(rounds, Figure::main, "%.1f") + " | " + value(rounds, Figure::second, "%.1f")
                        + " | " + value(rounds, Figure::third, "%.1f")
                        : value(rounds, Figure::main, "%,.0f") + " | " + value(rounds, Figure::second, "%,.0f"),
                timesAsFast(rounds)));
    }

    private static String value(List<Figure> rounds, ToDoubleFunction<Figure> which, String format) {
        return String.format(Locale.ROOT, format, median(rounds.stream().mapToDouble(which).toArray()));
    }

    /** Each round's ratio is of that round alone: what the machine does otherwise changes from round to round. */
    private String timesAsFast(List<Figure> rounds) {
        List<Figure> than = figures.get(baseline);
        if (than == null) {
            return "";
        }
        double[] ratios = new double[rounds.size()];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = kind.timesAsFast(rounds.get(i), than.get(i));
        }
        double median = median(ratios);
        return String.format(Locale.ROOT, "%.2f (%.2f to %.2f)", median, ratios[0], ratios[ratios.length - 1]);
    }

    /** Sorts the values. */
    private static double median(double[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }
}
