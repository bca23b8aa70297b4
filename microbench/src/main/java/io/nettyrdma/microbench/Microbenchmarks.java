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
package io.nettyrdma.microbench;

import org.openjdk.jmh.Main;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.CommandLineOptions;

import java.io.IOException;
import java.util.Locale;

/** The benchmarks of JMH. Gives their figures to other programs too, if wanted. Run by {@code microbench/run}. */
public final class Microbenchmarks {

    /** The parameter whose values are compared, and the value that the others are compared with. */
    private static final String COMPARED = "allocator";
    private static final String BASELINE = "pooled allocator";
    private static final String BYTES = "bytes";

    private Microbenchmarks() {
    }

    /** @param words those of JMH. */
    public static void main(String[] words) throws Exception {
        RawResults results = RawResults.of("run");
        if (results == null) {
            Main.main(words);
            return;
        }
        for (RunResult each : new Runner(new CommandLineOptions(words)).run()) {
            add(results, each);
        }
    }

    private static void add(RawResults results, RunResult run) throws IOException {
        BenchmarkParams parameters = run.getParams();
        boolean isCompared = parameters.getParamsKeys().contains(COMPARED);
        results.add(series(parameters), isCompared ? parameters.getParam(COMPARED) + ' ' + COMPARED : "rdma",
                run.getPrimaryResult().getScoreUnit(), isCompared ? BASELINE : "",
                run.getBenchmarkResults().stream().flatMap(fork -> fork.getIterationResults().stream())
                        .mapToDouble(iteration -> iteration.getPrimaryResult().getScore()).toArray());
    }

    /** Such as {@code Allocator.releaseAtOnce, 1,024 B}, or {@code EmptyPoll.poll, extended true}. */
    private static String series(BenchmarkParams parameters) {
        String[] names = parameters.getBenchmark().split("\\.");
        StringBuilder series = new StringBuilder(names[names.length - 2].replaceAll("Benchmark$", ""))
                .append('.').append(names[names.length - 1]);
        for (String key : parameters.getParamsKeys()) {
            String value = parameters.getParam(key);
            if (key.equals(BYTES)) {
                series.append(String.format(Locale.ROOT, ", %,d B", Integer.parseInt(value)));
            } else if (!key.equals(COMPARED)) {
                series.append(", ").append(key).append(' ').append(value);
            }
        }
        return series.toString();
    }
}
