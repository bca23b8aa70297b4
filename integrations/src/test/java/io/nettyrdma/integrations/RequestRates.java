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

import io.nettyrdma.program.Programs;
import io.nettyrdma.program.Progress;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;

/** The program {@code microbench/frameworks}: how fast frameworks answer small requests on each transport. */
final class RequestRates {

    /** The first round is this many times as long: the JVM's compiler shares the processors with the loops. */
    private static final int WARMUP_TIMES = 3;

    private RequestRates() {
    }

    public static void main(String[] words) throws Exception {
        RateOptions options = new RateOptions();
        OptionalInt end = Programs.read(options, System.out, System.err, words);
        if (end.isPresent()) {
            System.exit(end.getAsInt());
        }
        try (Progress progress = Progress.start("microbench/frameworks")) {
            measure(options, progress);
        }
        // The threads of gRPC's executor live on for a minute.
        System.exit(0);
    }

    private static void measure(RateOptions options, Progress progress) throws Exception {
        System.out.println("java: " + Runtime.version() + " "
                + String.join(" ", ManagementFactory.getRuntimeMXBean().getInputArguments()));
        System.out.println("processors: " + Runtime.getRuntime().availableProcessors() + ", loops: "
                + options.loops() + " of the clients, " + options.loops() + " of the server, load: " + load());
        List<RateTable> tables = options.frameworks().stream().map(RateTable::new).toList();
        List<RateCarrier> order = new ArrayList<>(options.carriers());
        int figures = (options.rounds() + 1) * tables.size() * order.size();
        int done = 0;
        for (int round = 0; round <= options.rounds(); round++) {
            int millis = round == 0 ? WARMUP_TIMES * options.millis() : options.millis();
            for (RateTable table : tables) {
                for (RateCarrier carrier : order) {
                    progress.done(done++, figures);
                    if (!table.framework().runsOn(carrier)) {
                        continue;
                    }
                    RateFigure figure = measure(table.framework(), carrier, options.loops(), millis);
                    if (round > 0) {
                        table.add(carrier, figure);
                    }
                }
            }
            System.out.println("round " + round + " of " + options.rounds() + ", load " + load());
            // So over all rounds no carrier has an advantage from its position in a round.
            Collections.reverse(order);
        }
        tables.forEach(RateTable::print);
        String results = System.getenv("RESULTS");
        if (results != null) {
            for (RateTable table : tables) {
                table.write(Path.of(results, "frameworks.tsv"));
            }
        }
    }

    private static RateFigure measure(RateFramework framework, RateCarrier carrier, int count, int millis)
            throws Exception {
        try (RateLoops loops = new RateLoops(carrier, count); RateProgram program = framework.start(loops)) {
            return RateFigure.measure(program.connections(), millis);
        } catch (Exception | AssertionError e) {
            throw new IllegalStateException(framework + " on " + carrier + " failed", e);
        }
    }

    private static String load() {
        return String.format(Locale.ROOT, "%.1f",
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }
}
