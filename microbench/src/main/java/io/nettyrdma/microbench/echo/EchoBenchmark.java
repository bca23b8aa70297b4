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

import io.nettyrdma.Rdma;
import io.nettyrdma.cm.DeviceAddress;
import io.nettyrdma.microbench.Program;
import io.nettyrdma.microbench.RawResults;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.RdmaDeviceInfo;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The main program: {@code microbench/echo}. */
public final class EchoBenchmark {

    private EchoBenchmark() {
    }

    public static void main(String[] words) throws Exception {
        Options options = new Options();
        Program.run(options, words, () -> measure(options));
    }

    private static void measure(Options options) throws Exception {
        printConditions(options);
        List<Series> all = new ArrayList<>();
        for (Kind kind : options.kinds()) {
            int loops = kind.hasMessages() ? options.loops() : 1;
            options.sizes(kind).forEach(size -> all.add(new Series(kind, size, loops, options.baseline())));
        }
        try (ServerProcess server = new ServerProcess()) {
            System.out.println("processes: client " + ProcessHandle.current().pid() + ", server " + server.pid());
            measure(options, new Client(server, options), all);
        }
        all.forEach(Series::print);
        RawResults results = RawResults.of("echo");
        if (results != null) {
            for (Series series : all) {
                series.write(results);
            }
        }
        System.out.println("\nload: " + load());
    }

    private static void measure(Options options, Client client, List<Series> all) throws Exception {
        List<Transport> order = new ArrayList<>(options.transports());
        int figures = (options.rounds() + 1) * all.size() * order.size();
        int done = 0;
        for (int round = 0; round <= options.rounds(); round++) {
            for (Series series : all) {
                for (Transport transport : order) {
                    Program.progress().done(done++, figures);
                    Figure figure = client.measure(transport, series.kind(), series.size(), options.loops());
                    Figure ofOneLoop = series.loops() == 1 ? figure
                            : client.measure(transport, series.kind(), series.size(), 1);
                    // The first round is the warm-up of the JVM's compiler.
                    if (round > 0) {
                        series.add(transport, figure, ofOneLoop);
                    }
                }
            }
            System.out.println("round " + round + " of " + options.rounds() + ", load " + load());
            // So over all rounds no transport has an advantage from its position in a round.
            Collections.reverse(order);
        }
    }

    private static void printConditions(Options options) throws Exception {
        System.out.println("java: " + Runtime.version() + " "
                + String.join(" ", ManagementFactory.getRuntimeMXBean().getInputArguments()));
        System.out.println("processors: " + Runtime.getRuntime().availableProcessors() + ", load: " + load());
        if (options.transports().stream().anyMatch(Transport::isRdma)) {
            Rdma.ensureAvailability();
            System.out.println("address: " + DeviceAddress.forLocalUse());
            System.out.println("devices: " + RdmaDevice.list().stream().map(RdmaDeviceInfo::name)
                    .collect(Collectors.joining(", ")));
        }
    }

    private static String load() {
        return String.format(Locale.ROOT, "%.1f",
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }
}
