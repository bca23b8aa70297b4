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

import io.nettyrdma.verbs.RdmaDevice;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Measures messages over more and more connections. */
final class QueuePairScaling {

    private static final int[] COUNTS = { 1, 2, 8, 64, 256 };

    private record Row(Median rate, Median setUp) { }

    private QueuePairScaling() {
    }

    static void measure(LocalPort port, Options options) throws IOException {
        Map<Integer, Row> rows = new TreeMap<>();
        for (int count : COUNTS) {
            rows.put(count, new Row(new Median(), new Median()));
        }
        for (int round = 0; round <= Options.ROUNDS; round++) {
            for (Map.Entry<Integer, Row> each : rows.entrySet()) {
                if (fits(port, each.getKey())) {
                    // The first round is the warm-up of the JVM's compiler.
                    measure(port, each.getKey(), options.nanos(), round > 0 ? each.getValue()
                            : new Row(new Median(), new Median()));
                }
            }
        }
        System.out.printf("%nScaling of queue pairs, SENDs of %d B in turn, %d in flight, one thread%n%n| connections"
                + " | messages/s | as many as with one | create and connect both ends, us |%n|---|---|---|---|%n",
                QueuePairSet.BYTES, QueuePairSet.WINDOW);
        Median one = rows.get(1).rate;
        rows.forEach((count, row) -> System.out.printf(Locale.ROOT, "| %,d | %s | %s | %s |%n", count,
                row.rate.format("%,.0f"), row.rate.dividedBy(one).formatRange(), row.setUp.format("%,.1f")));
    }

    private static boolean fits(LocalPort port, int count) throws IOException {
        try (RdmaDevice device = port.open()) {
            return QueuePairSet.fits(device, count);
        }
    }

    private static void measure(LocalPort port, int count, long nanos, Row row) throws IOException {
        try (QueuePairSet set = new QueuePairSet(port, count)) {
            row.setUp.add(set.setUpMicros());
            row.rate.add(set.send(nanos));
        }
    }
}
