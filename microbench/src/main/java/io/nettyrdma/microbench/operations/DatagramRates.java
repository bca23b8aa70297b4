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
package io.nettyrdma.microbench.operations;

import io.nettyrdma.microbench.RawResults;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Measures datagrams, SRD where the device has them and else UD, against UDP and against the binding alone: one at a
 * time, and several in flight; both ends on one loop that never sleeps, and each on its own, with defaults.
 */
final class DatagramRates {

    private static final int[] SIZES = { 64, 1024, 4096 };
    private static final int[] WINDOWS = { 1, 16 };
    private static final int[] LOOPS = { 1, 2 };

    /** What a figure is of, as its table has it. */
    private record Row(int loops, int size, int window) implements Comparable<Row> {

        @Override
        public int compareTo(Row other) {
            int byLoops = Integer.compare(loops, other.loops);
            int bySize = byLoops != 0 ? byLoops : Integer.compare(size, other.size);
            return bySize != 0 ? bySize : Integer.compare(window, other.window);
        }
    }

    private record Figures(Median rdma, Median udp, Median raw) {

        Figures() {
            this(new Median(), new Median(), new Median());
        }
    }

    private final LocalPort port;
    private final Options options;
    private final Map<Row, Figures> figures = new TreeMap<>();

    private DatagramRates(LocalPort port, Options options) {
        this.port = port;
        this.options = options;
    }

    static void measure(LocalPort port, Options options) throws Exception {
        if (port.attributes().activeMtu() < SIZES[SIZES.length - 1]) {
            System.out.printf("%nNo datagrams: a packet of %s has less than %,d B%n", port.device(),
                    SIZES[SIZES.length - 1]);
            return;
        }
        DatagramRates rates = new DatagramRates(port, options);
        for (int round = 0; round <= Options.ROUNDS; round++) {
            rates.round(round > 0);
        }
        rates.print();
        RawResults results = RawResults.of("operations");
        if (results != null) {
            rates.write(results);
        }
    }

    private void write(RawResults results) throws IOException {
        String type = port.datagrams().toString();
        for (Map.Entry<Row, Figures> each : figures.entrySet()) {
            Row row = each.getKey();
            Figures values = each.getValue();
            String series = String.format(Locale.ROOT, "%s datagrams, %,d B, %d in flight, %s", type, row.size,
                    row.window, row.loops == 1 ? "one busy loop" : "two loops");
            results.add(series, type, "us each", "UDP", values.rdma.values());
            results.add(series, "UDP", "us each", "UDP", values.udp.values());
            if (row.loops == 1) {
                results.add(series, "binding alone", "us each", "UDP", values.raw.values());
            }
        }
    }

    /** @param counts false in the warm-up of the JVM's compiler. */
    private void round(boolean counts) throws Exception {
        for (int loops : LOOPS) {
            for (DatagramKind kind : DatagramKind.values()) {
                try (DatagramPair pair = new DatagramPair(kind, port, loops)) {
                    for (int size : SIZES) {
                        for (int window : WINDOWS) {
                            double micros = pair.micros(size, window, options.nanos());
                            Figures row = figures.computeIfAbsent(new Row(loops, size, window), key -> new Figures());
                            if (counts) {
                                (kind == DatagramKind.RDMA ? row.rdma : row.udp).add(micros);
                            }
                        }
                    }
                }
            }
        }
        try (RawDatagramPair pair = new RawDatagramPair(port, SIZES[SIZES.length - 1])) {
            for (int size : SIZES) {
                for (int window : WINDOWS) {
                    double micros = pair.micros(size, window, options.nanos());
                    if (counts) {
                        figures.get(new Row(1, size, window)).raw.add(micros);
                    }
                }
            }
        }
    }

    private void print() {
        System.out.printf("%nDatagrams of type %s that are sent back%n%n| loops | bytes | in flight | %s, us | UDP, us"
                + " | UDP / %s | raw, us | %s / raw |%n|---|---|---|---|---|---|---|---|%n", port.datagrams(),
                port.datagrams(), port.datagrams(), port.datagrams());
        figures.forEach((row, each) -> System.out.printf(Locale.ROOT, "| %d | %,d | %d | %s | %s | %s | %s | %s |%n",
                row.loops, row.size, row.window, each.rdma.format("%.2f"), each.udp.format("%.2f"),
                each.udp.dividedBy(each.rdma).formatRange(),
                // The binding alone has one thread for both ends.
                row.loops == 1 ? each.raw.format("%.2f") : "", row.loops == 1
                        ? each.rdma.dividedBy(each.raw).formatRange() : ""));
    }
}
