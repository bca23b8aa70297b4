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

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Measures unreliable datagrams of RDMA and of UDP: one at a time, and several under way. */
final class DatagramRates {

    private static final int[] SIZES = { 64, 1024, 4096 };
    private static final int[] WINDOWS = { 1, 16 };

    private DatagramRates() {
    }

    static void measure(LocalPort port, Options options) throws Exception {
        if (port.attributes().activeMtu() < SIZES[SIZES.length - 1]) {
            System.out.printf("%nNo datagrams: a packet of %s has less than %,d B%n", port.device(),
                    SIZES[SIZES.length - 1]);
            return;
        }
        Map<Integer, Map<DatagramKind, Map<Integer, Median>>> figures = new TreeMap<>();
        for (int round = 0; round <= Options.ROUNDS; round++) {
            for (DatagramKind kind : DatagramKind.values()) {
                try (DatagramPair pair = new DatagramPair(kind, port)) {
                    for (int size : SIZES) {
                        for (int window : WINDOWS) {
                            double micros = pair.micros(size, window, options.nanos());
                            // The first round is the warm-up of the JVM's compiler.
                            if (round > 0) {
                                figures.computeIfAbsent(size, key -> new EnumMap<>(DatagramKind.class))
                                        .computeIfAbsent(kind, key -> new TreeMap<>())
                                        .computeIfAbsent(window, key -> new Median()).add(micros);
                            }
                        }
                    }
                }
            }
        }
        print(figures);
    }

    private static void print(Map<Integer, Map<DatagramKind, Map<Integer, Median>>> figures) {
        System.out.printf("%nDatagrams that are sent back, both ends on one busy loop%n%n| bytes | under way | RDMA, us"
                + " | UDP, us | UDP / RDMA |%n|---|---|---|---|---|%n");
        figures.forEach((size, kinds) -> {
            for (int window : WINDOWS) {
                Median rdma = kinds.get(DatagramKind.RDMA).get(window);
                Median udp = kinds.get(DatagramKind.UDP).get(window);
                System.out.printf(Locale.ROOT, "| %,d | %d | %s | %s | %s |%n", size, window, rdma.format("%.2f"),
                        udp.format("%.2f"), udp.dividedBy(rdma).formatRange());
            }
        });
    }
}
