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
package io.nettyrdma.integrations;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The figures of one framework on each carrier in each round. */
final class RateTable {

    private final RateFramework framework;
    private final Map<RateCarrier, List<RateFigure>> figures = new EnumMap<>(RateCarrier.class);

    RateTable(RateFramework framework) {
        this.framework = framework;
    }

    RateFramework framework() {
        return framework;
    }

    void add(RateCarrier carrier, RateFigure figure) {
        figures.computeIfAbsent(carrier, key -> new ArrayList<>()).add(figure);
    }

    void print() {
        System.out.printf("%n| %s | requests/s | p50 us | p99 us | times as fast as %s |%n|---|---|---|---|---|%n",
                framework, RateCarrier.EPOLL);
        figures.forEach((carrier, rounds) -> System.out.printf(Locale.ROOT, "| %s | %,.0f | %,.1f | %,.1f | %s |%n",
                carrier, median(rounds, RateFigure::requestsPerSecond), median(rounds, RateFigure::p50),
                median(rounds, RateFigure::p99), timesAsFast(rounds)));
    }

    /** Appends all rounds to a file in the format of RawResults in microbench, which has no use for frameworks. */
    void write(Path file) throws IOException {
        String than = figures.containsKey(RateCarrier.EPOLL) ? RateCarrier.EPOLL.toString() : "";
        for (Map.Entry<RateCarrier, List<RateFigure>> each : figures.entrySet()) {
            write(file, each.getKey(), "requests/s", than, each.getValue(), RateFigure::requestsPerSecond);
            write(file, each.getKey(), "p50 us", than, each.getValue(), RateFigure::p50);
            write(file, each.getKey(), "p99 us", than, each.getValue(), RateFigure::p99);
        }
    }

    private void write(Path file, RateCarrier carrier, String figure, String than, List<RateFigure> rounds,
                       ToDoubleFunction<RateFigure> which) throws IOException {
        String values = rounds.stream().map(each -> String.format(Locale.ROOT, "%.1f", which.applyAsDouble(each)))
                .collect(Collectors.joining(" "));
        Files.writeString(file, String.join("\t", framework.toString(), carrier.toString(), figure, than, values)
                + '\n', StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** Each ratio compares figures of one round, because the other load of the machine varies between rounds. */
    private String timesAsFast(List<RateFigure> rounds) {
        List<RateFigure> than = figures.get(RateCarrier.EPOLL);
        if (than == null) {
            return "";
        }
        double[] ratios = IntStream.range(0, rounds.size()).mapToDouble(
                i -> rounds.get(i).requestsPerSecond() / than.get(i).requestsPerSecond()).sorted().toArray();
        return String.format(Locale.ROOT, "%.2f (%.2f to %.2f)", ratios[ratios.length / 2], ratios[0],
                ratios[ratios.length - 1]);
    }

    private static double median(List<RateFigure> rounds, ToDoubleFunction<RateFigure> which) {
        return rounds.stream().mapToDouble(which).sorted().toArray()[rounds.size() / 2];
    }
}
