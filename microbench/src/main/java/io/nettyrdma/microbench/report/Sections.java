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
package io.nettyrdma.microbench.report;

import io.netty.channel.uring.IoUring;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The sections in the order of the page. The times in them are those of a machine with two processors. */
final class Sections {

    /** Milliseconds to start and to end loops and a connection in two processes. */
    private static final double ECHO_OVERHEAD = 90;
    private static final double ECHO_START = 3;

    private Sections() {
    }

    static List<Section> all() {
        return List.of(
                new Section("round-trips", "Round trips",
                        "One message at a time travels to another process and back, over one connection. The curves "
                        + "have the round trips of all rounds.", 22, 0, Sections::roundTrips),
                new Section("throughput", "Throughput",
                        "Messages travel one way over one connection, as many as it takes.", 18, 0,
                        Sections::throughput),
                new Section("loops", "More loops",
                        "Each process has two loops, and each of them a connection. On a machine with "
                        + "fewer processors than loops they share them.", 10, 0, Sections::loops),
                new Section("connections", "Connections",
                        "One after the other, many at once, the first one of a process, and the memory of two "
                        + "processes with many of them.", 12, 0, Sections::connections),
                new Section("memory", "Memory",
                        "Connections whose ends are both in one process, first idle, then busy, then calm again.", 3, 0,
                        Sections::memory),
                new Section("idle", "Idle connections",
                        "The share of a processor that ten idle connections take.", 3, 16, Sections::idle),
                new Section("raw-verbs", "Verbs without Java",
                        "The device alone, from C, beside TCP from C: half a round trip, and messages one way.", 3, 0,
                        Sections::rawVerbs),
                new Section("datagrams", "Datagrams",
                        "Unreliable datagrams (UD) that are sent back, both ends in one process, against UDP.", 4, 0,
                        Sections::datagrams),
                new Section("efa", "EFA's datagrams",
                        "Reliable datagrams (SRD) that are sent back, both ends in one process, against UDP.", 4, 0,
                        Sections::efa),
                new Section("operations", "Operations",
                        "Messages, writes, reads and atomics one at a time, and several in flight, from the binding of "
                        + "verbs and through channels, all in one process.", 6, 10, Sections::operations),
                new Section("frameworks", "Frameworks",
                        "Requests and answers of 64 bytes, one at a time on each of four connections, with four loops "
                        + "for the clients and four for the server in one process.", 18, 0, Sections::frameworks),
                new Section("agent-start", "Start of a JVM with the agent",
                        "Without the agent, with it on a machine without a device, and with it on the software device.",
                        4, 0, Sections::agentStart),
                new Section("microbenchmarks", "Single steps",
                        "Steps of the hot path alone, by JMH: buffers that are allocated and released, work requests "
                        + "that are written, polls that find nothing.", 7, 50, Sections::microbenchmarks),
                new Section("spark", "A Spark job",
                        "A job that moves much data, by a driver and two executors, without the agent and with it. All "
                        + "of it runs on this machine, so most of its time is computation.", 12, 45, Sections::spark));
    }

    /** Variants that this machine lacks, each with its reason. */
    static List<String> notes(Section section) {
        boolean concerned = section.name().equals("round-trips") || section.name().equals("throughput");
        return concerned && !IoUring.isAvailable()
                ? List.of("io-uring is left out: " + IoUring.unavailabilityCause().getMessage()) : List.of();
    }

    private static List<Command> roundTrips(Budget budget) {
        List<String> transports = withIoUring("rdma-busy", "rdma-adaptive", "rdma-event", "epoll", "nio");
        int millis = budget.millis(3 * transports.size(), ECHO_START, ECHO_OVERHEAD, 1.2);
        return List.of(Command.of("microbench/echo", "--kinds", "round-trip", "--sizes", "64,4096,65536",
                "--rounds", budget.rounds(), "--millis", millis, "--transports", String.join(",", transports)));
    }

    private static List<Command> throughput(Budget budget) {
        List<String> transports = withIoUring("rdma-adaptive", "rdma-event", "epoll", "nio");
        int millis = budget.millis(5 * transports.size(), ECHO_START, ECHO_OVERHEAD, 1);
        return List.of(Command.of("microbench/echo", "--kinds", "one-way", "--sizes", "64,512,4096,32768,262144",
                "--rounds", budget.rounds(), "--millis", millis, "--transports", String.join(",", transports)));
    }

    private static List<Command> loops(Budget budget) {
        // Each figure is measured with one loop as well.
        int millis = budget.millis(2 * 2 * 4, ECHO_START, ECHO_OVERHEAD, 1.1);
        return List.of(Command.of("microbench/echo", "--kinds", "round-trip,one-way", "--loops", 2, "--sizes", 64,
                "--rounds", budget.rounds(), "--millis", millis,
                "--transports", "rdma-busy,rdma-adaptive,rdma-event,epoll"));
    }

    private static List<Command> connections(Budget budget) {
        List<Command> commands = new ArrayList<>();
        commands.add(Command.of("microbench/echo", "--kinds", "connect,connect-many", "--connections", 500,
                "--rounds", budget.rounds(), "--millis", budget.quick() ? 100 : 300,
                "--transports", "rdma-adaptive,epoll"));
        commands.add(Command.of("microbench/first-connect", budget.quick() ? 3 : budget.rounds()));
        if (!budget.quick()) {
            for (int i = 0; i < budget.repeats(20); i++) {
                commands.add(Command.of("microbench/many-connections", 1000, 2, "rdma-adaptive"));
                commands.add(Command.of("microbench/many-connections", 1000, 2, "epoll"));
            }
        }
        return commands;
    }

    private static List<Command> memory(Budget budget) {
        return Collections.nCopies(budget.repeats(6), Command.of("microbench/memory-cost", 1, 200));
    }

    private static List<Command> idle(Budget budget) {
        return Collections.nCopies(budget.repeats(17), Command.of("microbench/idle-cost", 3));
    }

    private static List<Command> rawVerbs(Budget budget) {
        return Collections.nCopies(budget.repeats(6), Command.of("microbench/raw-verbs", "0.1"));
    }

    private static List<Command> datagrams(Budget budget) {
        // Five rounds and one that is not counted, of 30 figures each.
        int millis = (int) Math.max(10, (budget.seconds() - 3) * 1000 / 180 - 5);
        return List.of(Command.of("microbench/operations", "--parts", "datagrams", "--millis", Math.min(millis, 200)));
    }

    private static List<Command> efa(Budget budget) {
        return datagrams(budget).stream().map(each -> each.with("SOFTHCA_PERSONALITY", "efa")).toList();
    }

    private static List<Command> operations(Budget budget) {
        // Five rounds and one that is not counted, of 34 figures each.
        int millis = (int) Math.max(5, (budget.seconds() - 3) * 1000 / 204);
        return List.of(Command.of("microbench/operations", "--parts", "operations,write-read",
                "--sizes", "8,4096,65536", "--millis", Math.min(millis, 200)));
    }

    /** Each of 34 figures has a JVM of its own, which takes about a second. */
    private static List<Command> microbenchmarks(Budget budget) {
        int warmUps = 2;
        String time = (int) Math.max(50, Math.min(500,
                (budget.seconds() / 34 - 1) * 1000 / (warmUps + budget.rounds()))) + "ms";
        return List.of(Command.of("microbench/run", "Allocator|SendBatch|SlotPool|EmptyPoll|WritePromises", "-f", 1,
                "-wi", warmUps, "-w", time, "-i", budget.rounds(), "-r", time));
    }

    private static List<Command> frameworks(Budget budget) {
        // The round that is not counted is three times as long.
        int millis = new Budget(budget.seconds(), budget.rounds() + 2, false).millis(6 * 4, 5, 120, 1.2);
        return List.of(Command.of("microbench/frameworks", "--rounds", budget.rounds(), "--millis", millis,
                "--transports", "rdma-busy,rdma-adaptive,rdma-event,epoll"));
    }

    private static List<Command> agentStart(Budget budget) {
        return List.of(Command.of("microbench/agent-start", "--rounds", budget.repeats(4)));
    }

    private static List<Command> spark(Budget budget) {
        return Collections.nCopies(budget.repeats(50), Command.of("bin/spark-demo", "--rows", 200_000));
    }

    private static List<String> withIoUring(String... others) {
        List<String> all = new ArrayList<>(List.of(others));
        if (IoUring.isAvailable()) {
            all.add("io-uring");
        }
        return all;
    }
}
