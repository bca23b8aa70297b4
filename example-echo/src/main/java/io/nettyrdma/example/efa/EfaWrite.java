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
package io.nettyrdma.example.efa;

import io.nettyrdma.Rdma;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;

/**
 * Writes twice to a peer's memory, each time with an immediate, and distinguishes the writes by these: over EFA they
 * come in any order. The peers exchange addresses and keys over TCP.
 */
public final class EfaWrite {

    private static final int FAILED = 1;
    private static final int WRONG_USAGE = 2;
    private static final int MOST_PORT = 0xffff;

    private EfaWrite() {
    }

    public static void main(String[] words) throws Exception {
        int status = run(words, System.out, System.err);
        if (status != 0) {
            // A loop that still runs must not keep the program running.
            System.exit(status);
        }
    }

    /** @return exit status: 0; 1 if something is missing, or bytes are wrong; 2 for wrong usage. */
    static int run(String[] words, PrintStream out, PrintStream errors) throws Exception {
        try {
            Rdma.ensureAvailability();
            switch (words.length == 0 ? "" : words[0]) {
            case "" -> both(out);
            case "--server" -> server(words, out);
            case "--client" -> client(words, out);
            case "--self-check" -> {
                return selfCheck(Arrays.copyOfRange(words, 1, words.length), out) ? 0 : FAILED;
            }
            default -> throw new IllegalArgumentException("no option " + words[0]);
            }
            return 0;
        } catch (IllegalArgumentException e) {
            errors.println("bin/efa-write: " + e.getMessage() + ": see bin/efa-write --help");
            return WRONG_USAGE;
        } catch (IOException | UnsatisfiedLinkError e) {
            errors.println("bin/efa-write: " + e.getMessage());
            return FAILED;
        }
    }

    private static void both(PrintStream out) throws Exception {
        try (WriteTarget target = new WriteTarget(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), out);
             WriteSource source = new WriteSource(out)) {
            source.write(target.address());
            target.await();
        }
    }

    private static void server(String[] words, PrintStream out) throws Exception {
        checkLength(words, 1, 2);
        try (WriteTarget target = new WriteTarget(new InetSocketAddress(words.length == 2 ? port(words[1]) : 0),
                out)) {
            out.println("target: waits at port " + target.address().getPort());
            target.await();
        }
    }

    private static void client(String[] words, PrintStream out) throws Exception {
        checkLength(words, 3, 3);
        try (WriteSource source = new WriteSource(out)) {
            source.write(new InetSocketAddress(InetAddress.getByName(words[1]), port(words[2])));
        }
    }

    /** The words behind --self-check say which end this is: without any this program is both. */
    private static boolean selfCheck(String[] words, PrintStream out) throws Exception {
        switch (words.length == 0 ? "" : words[0]) {
        case "" -> {
            try (SelfCheck check = new SelfCheck(out)) {
                return check.run();
            }
        }
        case "--server" -> {
            checkLength(words, 1, 2);
            try (CheckPeer peer = new CheckPeer(new InetSocketAddress(words.length == 2 ? port(words[1]) : 0))) {
                CheckedAdapters.printAll(out);
                out.println("self-check: waits at port " + peer.port() + ", until it is interrupted");
                peer.await();
                return true;
            }
        }
        case "--client" -> {
            checkLength(words, 3, 3);
            try (SelfCheck check = new SelfCheck(out)) {
                return check.run(new InetSocketAddress(InetAddress.getByName(words[1]), port(words[2])));
            }
        }
        default -> throw new IllegalArgumentException("--self-check has no option " + words[0]);
        }
    }

    private static void checkLength(String[] words, int least, int most) {
        if (words.length < least || words.length > most) {
            throw new IllegalArgumentException(words[0] + " has " + (words.length - 1) + " values");
        }
    }

    private static int port(String word) {
        int port;
        try {
            port = Integer.parseInt(word);
        } catch (NumberFormatException e) {
            port = -1;
        }
        if (port < 0 || port > MOST_PORT) {
            throw new IllegalArgumentException(word + " is no port");
        }
        return port;
    }
}
