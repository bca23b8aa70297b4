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

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Measures writes and reads of each size from the binding, with several in flight. */
final class WriteAgainstRead {

    private record Row(Median write, Median read) { }

    private WriteAgainstRead() {
    }

    static void measure(LocalPort port, Options options) throws Exception {
        Map<Integer, Row> rows = new TreeMap<>();
        options.sizes().forEach(size -> rows.put(size, new Row(new Median(), new Median())));
        try (BindingPair pair = new BindingPair(port, options.largest())) {
            for (int round = 0; round <= Options.ROUNDS; round++) {
                for (Map.Entry<Integer, Row> each : rows.entrySet()) {
                    double write = pair.throughput(Operation.WRITE, each.getKey(), options.nanos());
                    double read = pair.throughput(Operation.READ, each.getKey(), options.nanos());
                    // The first round is the warm-up of the JVM's compiler.
                    if (round > 0) {
                        each.getValue().write.add(write);
                        each.getValue().read.add(read);
                    }
                }
            }
        }
        System.out.printf("%nWrite against read by size, %d in flight%n%n| bytes | WRITE MiB/s | READ MiB/s"
                + " | write / read |%n|---|---|---|---|%n", End.WINDOW);
        rows.forEach((size, row) -> System.out.printf(Locale.ROOT, "| %,d | %s | %s | %s |%n", size,
                row.write.format("%,.0f"), row.read.format("%,.0f"), row.write.dividedBy(row.read).formatRange()));
        RawResults results = RawResults.of("operations");
        if (results != null) {
            for (Map.Entry<Integer, Row> each : rows.entrySet()) {
                String series = String.format(Locale.ROOT, "%d in flight, %,d B", End.WINDOW, each.getKey());
                results.add(series, "WRITE", "MiB/s", "READ", each.getValue().write.values());
                results.add(series, "READ", "MiB/s", "READ", each.getValue().read.values());
            }
        }
    }
}
