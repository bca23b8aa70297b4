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

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.List;

/** What to measure, and how long. */
@Command(name = "microbench/echo", description = "Measures round trips and throughput over RDMA and over TCP.")
final class Options extends io.nettyrdma.program.Options {

    private static final int MOST = 1 << 30;

    @Option(names = "--kinds", split = ",", paramLabel = "NAME", defaultValue = "round-trip,one-way",
            description = "of measurements")
    private List<Kind> kinds;

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "5",
            description = "each measures everything once; one more comes first and is not counted")
    private int rounds;

    @Option(names = "--millis", paramLabel = "N", defaultValue = "700", description = "of each figure of a round")
    private int millis;

    @Option(names = "--sizes", split = ",", paramLabel = "BYTES", defaultValue = "64,4096,65536",
            description = "of messages")
    private List<Integer> sizes;

    @Option(names = "--loops", paramLabel = "N", defaultValue = "1", description = "of each process")
    private int loops;

    @Option(names = "--connections", paramLabel = "N", defaultValue = "2000", description = "at once, or idle ones")
    private int connections;

    /** {@link Transport#USUAL} without it. */
    @Option(names = "--transports", split = ",", paramLabel = "NAME", description = "to measure")
    private List<Transport> transports;

    @Option(names = "--baseline", paramLabel = "NAME", defaultValue = "epoll",
            description = "transport that the others are compared with")
    private Transport baseline;

    @Option(names = "--high-water", paramLabel = "BYTES",
            description = "at which a client's channel stops being writable")
    private Integer highWater;

    @Override
    protected void check() {
        range("--rounds", rounds, 1, MOST);
        range("--millis", millis, 1, MOST);
        range("--loops", loops, 1, MOST);
        range("--connections", connections, 1, MOST);
        sizes.forEach(size -> range("--sizes", size, 1, MOST));
        if (highWater != null) {
            range("--high-water", highWater, 1, MOST);
        }
        if (transports().contains(Transport.FLOOR) && kinds.stream().anyMatch(kind -> kind != Kind.ONE_WAY)) {
            throw new IllegalArgumentException("transport floor has no server, so it measures one-way alone");
        }
        for (Transport transport : transports()) {
            Throwable cause = transport.unavailabilityCause();
            if (cause != null) {
                throw new IllegalArgumentException(transport + " is not available on this machine: " + cause);
            }
        }
    }

    /** The sizes that a kind is measured with. */
    List<Integer> sizes(Kind kind) {
        return kind.hasMessages() ? sizes : List.of(kind == Kind.CONNECT_MANY ? connections : 1);
    }

    List<Kind> kinds() {
        return kinds;
    }

    int rounds() {
        return rounds;
    }

    /** Time of each measurement in a round. */
    int millis() {
        return millis;
    }

    /** Each has a connection. */
    int loops() {
        return loops;
    }

    int connections() {
        return connections;
    }

    List<Transport> transports() {
        return transports == null ? Transport.USUAL : transports;
    }

    Transport baseline() {
        return baseline;
    }

    /** Pending bytes, until half of them are left; {@code null} for the channel's default. */
    Integer highWater() {
        return highWater;
    }
}
