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

import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

/**
 * A figure in every round.
 *
 * @param section name of the section.
 * @param series what is measured, such as {@code round trip, 64 B}.
 * @param variant what it is measured with, such as a transport.
 * @param figure name with a unit, such as {@code p50 us}.
 * @param baseline the variant that it is compared with, or {@code ""}.
 * @param rounds the values, in order.
 */
record RawFigure(String section, String series, String variant, String figure, String baseline, double[] rounds) {

    private static final int COLUMNS = 6;

    /** Reads a line of {@link #line}. */
    static RawFigure parse(String line) {
        String[] columns = line.split("\t", -1);
        if (columns.length != COLUMNS) {
            throw new IllegalArgumentException("no figure with " + COLUMNS + " columns: " + line);
        }
        double[] rounds = columns[5].isBlank() ? new double[0]
                : Arrays.stream(columns[5].split(" ")).mapToDouble(Double::parseDouble).toArray();
        return new RawFigure(columns[0], columns[1], columns[2], columns[3], columns[4], rounds);
    }

    String line() {
        return String.join("\t", section, series, variant, figure, baseline,
                DoubleStream.of(rounds).mapToObj(RawFigure::shortest).collect(Collectors.joining(" ")));
    }

    /** With the rounds of another run of the same command. */
    RawFigure and(RawFigure later) {
        return new RawFigure(section, series, variant, figure, baseline,
                DoubleStream.concat(DoubleStream.of(rounds), DoubleStream.of(later.rounds)).toArray());
    }

    /** Everything but the values. */
    String key() {
        return String.join("\t", section, series, variant, figure);
    }

    /** Rates and factors are better if they are more; times, bytes and shares if they are less. */
    boolean isMoreBetter() {
        return figure.contains("/s") || figure.startsWith("times");
    }

    boolean isBaseline() {
        return variant.equals(baseline);
    }

    /** Times as fast as the baseline, in each round that both have. */
    Spread ratio(RawFigure than) {
        double[] ratios = new double[Math.min(rounds.length, than.rounds.length)];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = isMoreBetter() ? rounds[i] / than.rounds[i] : than.rounds[i] / rounds[i];
        }
        return Spread.of(ratios);
    }

    private static String shortest(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15 ? Long.toString((long) value)
                : Double.toString(value);
    }
}
