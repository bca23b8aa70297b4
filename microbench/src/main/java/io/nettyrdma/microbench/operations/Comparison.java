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
import io.nettyrdma.microbench.echo.Figure;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Measures each operation from the binding and through channels, one at a time. */
final class Comparison {

    /** A row of the table. */
    private record Row(Operation operation, int size) { }

    /** Microseconds of the median operation, and MiB/s with that time. */
    private record Column(Median micros, Median rate) {

        Column() {
            this(new Median(), new Median());
        }

        void add(double p50, int size) {
            micros.add(p50);
            rate.add(Rate.mibPerSecond(size, p50));
        }
    }

    /** Measures one figure. */
    private interface Subject {
        Figure latency(Operation operation, int size, long nanos) throws Exception;
    }

    private final LocalPort port;
    private final Options options;
    private final Map<Row, Column> binding = new LinkedHashMap<>();
    private final Map<Row, Column> channels = new LinkedHashMap<>();

    Comparison(LocalPort port, Options options) {
        this.port = port;
        this.options = options;
        for (Operation operation : Operation.values()) {
            for (int size : operation.sizes(options.sizes())) {
                binding.put(new Row(operation, size), new Column());
                channels.put(new Row(operation, size), new Column());
            }
        }
    }

    void measure() throws Exception {
        int largest = Math.max(options.largest(), Long.BYTES);
        try (BindingPair pair = new BindingPair(port, largest)) {
            for (int round = 0; round <= Options.ROUNDS; round++) {
                // The first round is the warm-up of the JVM's compiler.
                boolean counts = round > 0;
                measure(pair::latency, binding, counts);
                try (ChannelPair connected = new ChannelPair(port, largest)) {
                    measure(connected::latency, channels, counts);
                }
            }
        }
        print();
        RawResults results = RawResults.of("operations");
        if (results != null) {
            write(results);
        }
    }

    private void write(RawResults results) throws IOException {
        for (Map.Entry<Row, Column> each : binding.entrySet()) {
            Row row = each.getKey();
            if (row.operation.isSupported(port.capabilities())) {
                String series = String.format(Locale.ROOT, "%s, %,d B", row.operation, row.size);
                results.add(series, "channel", "p50 us", "binding alone", channels.get(row).micros.values());
                results.add(series, "binding alone", "p50 us", "binding alone", each.getValue().micros.values());
            }
        }
    }

    private void measure(Subject subject, Map<Row, Column> table, boolean counts) throws Exception {
        for (Map.Entry<Row, Column> each : table.entrySet()) {
            Row row = each.getKey();
            if (row.operation.isSupported(port.capabilities())) {
                Figure figure = subject.latency(row.operation, row.size, options.nanos());
                if (counts) {
                    each.getValue().add(figure.main(), row.size);
                }
            }
        }
    }

    private void print() {
        System.out.printf("%nOperations compared, one at a time%n%n| | bytes | binding p50 us | MiB/s"
                + " | channel p50 us | MiB/s | channel / binding | binding / SEND | channel / SEND |%n%s%n",
                "|---".repeat(9) + '|');
        binding.forEach((row, direct) -> {
            Column channel = channels.get(row);
            Row send = new Row(Operation.SEND, row.size);
            System.out.printf(Locale.ROOT, "| %s | %,d | %s | %s | %s | %s | %s | %s | %s |%n", row.operation, row.size,
                    direct.micros.format("%,.1f"), direct.rate.format("%,.0f"), channel.micros.format("%,.1f"),
                    channel.rate.format("%,.0f"), channel.micros.dividedBy(direct.micros).formatRange(),
                    ratio(direct, binding.get(send)), ratio(channel, channels.get(send)));
        });
    }

    /** Atomics have a size that may not have been asked for. */
    private static String ratio(Column column, Column send) {
        return send == null ? "n/a" : column.micros.dividedBy(send.micros).format("%.2f");
    }
}
