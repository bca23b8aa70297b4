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
package io.nettyrdma.example.echo;

import io.nettyrdma.Rdma;
import io.nettyrdma.example.ServerAddress;
import io.nettyrdma.program.Programs;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.RdmaDeviceInfo;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;

/** The main program: {@code bin/echo}. */
public final class Echo {

    /** Messages in flight when the throughput is measured: enough to hide the round-trip time. */
    private static final int WINDOW = 32;

    private Echo() {
    }

    public static void main(String[] words) throws Exception {
        int status = run(words, System.err);
        if (status != 0) {
            // A loop that still runs must not keep the program running.
            System.exit(status);
        }
    }

    /**
     * Runs the program. Prints one line for an error that a user can cure: a missing device, or a server that is not
     * there. Any other error is a bug, and keeps its stack trace.
     *
     * @return exit status: 0, 1 if something is missing, 2 for wrong usage.
     */
    static int run(String[] words, PrintStream errors) throws Exception {
        EchoOptions options = new EchoOptions();
        OptionalInt end = Programs.read(options, System.out, errors, words);
        if (end.isPresent()) {
            return end.getAsInt();
        }
        try {
            run(options);
            return 0;
        } catch (IOException | UnsatisfiedLinkError e) {
            errors.println("bin/echo: " + e.getMessage());
            return Programs.FAILED;
        }
    }

    private static void run(EchoOptions options) throws Exception {
        if (options.transport().usesDevices()) {
            Rdma.ensureAvailability();
        }
        InetSocketAddress address = EchoAddress.of(options);
        if (options.role() == EchoOptions.Role.CLIENT) {
            runClient(options, address);
            return;
        }
        try (Server server = options.transport().newServer(address)) {
            System.out.println("echo server: " + options.transport() + " on "
                    + (options.transport() == Transport.RDMA ? ServerAddress.describe(server.address())
                            : server.address().toString()));
            if (options.role() == EchoOptions.Role.SERVER) {
                server.awaitClose();
            } else {
                runClient(options, server.address());
            }
        }
    }

    private static void runClient(EchoOptions options, InetSocketAddress server) throws Exception {
        try (Client client = options.transport().newClient(server)) {
            // Warms up the JVM's compiler, so that only the transport is measured.
            client.run(options, 1, "warm-up");
            EchoResult roundTrips = client.run(options, 1, "round trips");
            EchoResult stream = client.run(options, WINDOW, "throughput");
            print(options, roundTrips, stream);
        }
    }

    private static void print(EchoOptions options, EchoResult roundTrips, EchoResult stream) throws Exception {
        row("transport", options.transport().name().toLowerCase(Locale.ROOT));
        row("device", options.transport().usesDevices() ? deviceNames() : "none, TCP");
        row("path", roundTrips.path());
        row("messages", String.format(Locale.ROOT, "%,d of %,d bytes on %d connections, every byte checked",
                2 * options.count(), options.size(), options.connections()));
        row("round trip", String.format(Locale.ROOT, "%.1f us p50, %.1f us p99, %.1f us p99.9",
                roundTrips.micros(0.5), roundTrips.micros(0.99), roundTrips.micros(0.999)));
        row("throughput", String.format(Locale.ROOT, "%,.0f messages/s, %,.1f MB/s each way, %d in flight",
                stream.messagesPerSecond(), stream.megabytesPerSecond(), WINDOW));
    }

    private static String deviceNames() throws Exception {
        List<RdmaDeviceInfo> devices = RdmaDevice.list();
        StringBuilder names = new StringBuilder();
        for (RdmaDeviceInfo device : devices) {
            names.append(names.length() == 0 ? "" : ", ").append(device.name());
        }
        return names.toString();
    }

    private static void row(String name, String value) {
        System.out.printf("  %-12s %s%n", name, value);
    }
}
