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

import io.nettyrdma.program.Options;
import io.nettyrdma.program.Programs;
import io.nettyrdma.program.Progress;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.OptionalInt;

/** How the main programs end. */
public final class Program {

    /** A program without its error handling. */
    @FunctionalInterface
    public interface Body {
        void run() throws Exception;
    }

    private static String running;
    private static Progress progress;

    private Program() {
    }

    /**
     * Reads options, runs a program and exits. Its name is that of the command of its options.
     *
     * @param options whose fields are set before the body runs.
     */
    public static void run(Options options, String[] words, Body body) throws Exception {
        OptionalInt end = Programs.read(options, System.out, System.err, words);
        if (end.isPresent()) {
            System.exit(end.getAsInt());
        }
        running = Programs.parser(options).getCommandName();
        run(running, body);
    }

    /** The line on the terminal of the program that runs. It begins with the first call. */
    public static Progress progress() {
        progress = progress == null ? Progress.start(running) : progress;
        return progress;
    }

    private static void endProgress() {
        if (progress != null) {
            progress.close();
        }
    }

    /**
     * Runs a program and exits. Prints one line for an error that a user can cure, such as a missing device or an
     * address that is no device's. Any other error is a bug, and keeps its stack trace.
     */
    private static void run(String name, Body body) throws Exception {
        try {
            body.run();
        } catch (Exception | UnsatisfiedLinkError e) {
            String line = curable(e);
            if (line == null) {
                throw e;
            }
            endProgress();
            System.err.println(name + ": " + line);
            System.exit(1);
        } finally {
            endProgress();
        }
        // A loop that failed to end must not keep the program running.
        System.exit(0);
    }

    /** Any port of an address of the device. The host may be a name. */
    static InetSocketAddress address(String host) throws UnknownHostException {
        try {
            return new InetSocketAddress(InetAddress.getByName(host), 0);
        } catch (UnknownHostException e) {
            throw new UnknownHostException(host + " has no address: bin/rdma-info shows the addresses of the devices");
        }
    }

    /** Returns what was tried and why it failed, or {@code null} if a user cannot cure it. */
    private static String curable(Throwable e) {
        if (e instanceof IOException || e instanceof UnsatisfiedLinkError) {
            return e.getMessage();
        }
        String why = e.getCause() == null ? null : curable(e.getCause());
        return why == null ? null : e.getMessage() + ": " + why;
    }
}
