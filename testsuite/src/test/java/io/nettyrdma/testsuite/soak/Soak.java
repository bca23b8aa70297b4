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
package io.nettyrdma.testsuite.soak;

import io.nettyrdma.Rdma;
import io.nettyrdma.program.Programs;
import io.nettyrdma.program.Progress;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.Callable;

/**
 * The main program of {@code bin/soak}: a server and clients that exchange data for a long time, check every byte, and
 * look for growth, leaks and stalls.
 */
public final class Soak {

    private Soak() {
    }

    public static void main(String[] words) {
        halt(() -> {
            SoakOptions options = options(words);
            Rdma.ensureAvailability();
            Run run = new Run(options);
            reportBeforeExit(run::stop);
            System.out.println("soak: " + options);
            Loops loops = new Loops(options.modes());
            if (options.processes() == 1) {
                SoakServer server = new SoakServer(run, loops);
                talk(run, loops, server.addresses());
                run.drain();
                server.close();
                loops.end(run.verdict());
            } else {
                ServerProcess server = new ServerProcess(options, words);
                Stops stops = new Stops(server.pid(), options.stops(), options.seed(), run.verdict());
                talk(run, loops, server.addresses());
                stops.end();
                server.stop();
                run.drain();
                loops.end(run.verdict());
                server.end(run.verdict());
            }
            return run.report();
        });
    }

    private static void talk(Run run, Loops loops, List<InetSocketAddress> servers) throws Exception {
        new SoakClients(run, loops, servers).start();
        try (Progress progress = Progress.start("bin/soak")) {
            if (run.options().messages() == Long.MAX_VALUE) {
                progress.expect(run.options().duration().toSeconds());
            }
            run.goOn(progress);
        }
    }

    static SoakOptions options(String[] words) {
        SoakOptions options = new SoakOptions();
        OptionalInt end = Programs.read(options, System.out, System.err, words);
        if (end.isPresent()) {
            System.out.flush();
            Runtime.getRuntime().halt(end.getAsInt());
        }
        if (options.device() != null) {
            // Before any of our classes is loaded that would choose a device.
            System.setProperty("io.nettyrdma.device", options.device());
        }
        return options;
    }

    /** Ctrl-C and SIGTERM end the run, which still reports. */
    static void reportBeforeExit(Runnable stop) {
        Thread main = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            stop.run();
            try {
                main.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "end"));
    }

    /** Halts with the status. An orderly exit would wait for the shutdown hook, which waits for this thread. */
    static void halt(Callable<Boolean> program) {
        int status = 1;
        try {
            status = program.call() ? 0 : 1;
        } catch (UnsatisfiedLinkError e) {
            // No device or no library: the message says what is missing and how to get it.
            System.err.println("bin/soak: " + e.getMessage());
        } catch (Exception | LinkageError | AssertionError e) {
            e.printStackTrace(System.out);
        }
        System.out.flush();
        Runtime.getRuntime().halt(status);
    }
}
