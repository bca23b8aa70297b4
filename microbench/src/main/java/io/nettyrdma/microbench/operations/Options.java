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

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.List;
import java.util.concurrent.TimeUnit;

/** What to measure, and how long. */
@Command(name = "microbench/operations", description = "Compares the operations of RDMA with each other.")
final class Options extends io.nettyrdma.program.Options {

    /** Rounds of each part, each of which measures all of its figures once. One more comes first and is not counted. */
    static final int ROUNDS = 5;

    /** The memory of both ends has six times as much, which the script allows the JVM. */
    private static final int LARGEST = 64 << 20;
    private static final int MOST_MILLIS = 1 << 30;

    /** All without it. */
    @Option(names = "--parts", split = ",", paramLabel = "NAME", description = "to measure")
    private List<Part> parts;

    @Option(names = "--sizes", split = ",", paramLabel = "BYTES", defaultValue = "8,64,4096,65536,1048576",
            description = "of the operations")
    private List<Integer> sizes;

    @Option(names = "--millis", paramLabel = "N", defaultValue = "80", description = "of each figure of a round")
    private int millis;

    @Override
    protected void check() {
        range("--millis", millis, 1, MOST_MILLIS);
        sizes.forEach(size -> range("--sizes", size, 1, LARGEST));
    }

    List<Part> parts() {
        return parts == null ? List.of(Part.values()) : parts;
    }

    List<Integer> sizes() {
        return sizes;
    }

    long nanos() {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }

    int largest() {
        return sizes.stream().mapToInt(Integer::intValue).max().orElseThrow();
    }
}
