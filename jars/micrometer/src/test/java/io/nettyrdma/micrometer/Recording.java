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

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Scrapes of an endpoint, one after the other, with the lines that queries draw of them. */
final class Recording {

    /** Scrapes from the first to the last of a rate, as Grafana's rate interval is some times that of the scrapes. */
    private static final int RATE_SCRAPES = 4;
    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final List<Scrape> scrapes = new ArrayList<>();
    private final List<Double> seconds = new ArrayList<>();
    private final long begin = System.nanoTime();

    void add(Scrape scrape) {
        scrapes.add(scrape);
        seconds.add((System.nanoTime() - begin) / NANOS_PER_SECOND);
    }

    /** When the scrapes were made, since the beginning. */
    List<Double> seconds() {
        return seconds;
    }

    /** By the label's value: a value for each scrape. */
    Map<String, double[]> lines(Query query) {
        Map<String, double[]> lines = new TreeMap<>();
        for (int i = 0; i < scrapes.size(); i++) {
            int at = i;
            query.sums(scrapes.get(i)).forEach((key, value) ->
                    lines.computeIfAbsent(key, added -> new double[scrapes.size()])[at] = value);
        }
        if (query.isRate()) {
            lines.replaceAll((key, values) -> rates(values));
        }
        return lines;
    }

    private double[] rates(double[] sums) {
        double[] rates = new double[sums.length];
        for (int i = 1; i < sums.length; i++) {
            int from = Math.max(0, i - RATE_SCRAPES);
            rates[i] = Math.max(0, sums[i] - sums[from]) / (seconds.get(i) - seconds.get(from));
        }
        return rates;
    }
}
