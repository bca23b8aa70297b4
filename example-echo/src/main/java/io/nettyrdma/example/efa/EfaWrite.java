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
import io.nettyrdma.program.Programs;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.OptionalInt;

/**
 * Writes twice to a peer's memory, each time with an immediate, and distinguishes the writes by these: over EFA they
 * come in any order. The peers exchange addresses and keys over TCP.
 */
public final class EfaWrite {

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
        EfaWriteOptions options = new EfaWriteOptions();
        OptionalInt end = Programs.read(options, out, errors, words);
        if (end.isPresent()) {
            return end.getAsInt();
        }
        try {
            Rdma.ensureAvailability();
            if (options.isSelfCheck()) {
                return selfCheck(options, out) ? Programs.SUCCESS : Programs.FAILED;
            }
            switch (options.role()) {
            case SERVER -> server(options, out);
            case CLIENT -> client(options, out);
            default -> both(out);
            }
            return Programs.SUCCESS;
        } catch (IOException | UnsatisfiedLinkError e) {
            errors.println("bin/efa-write: " + e.getMessage());
            return Programs.FAILED;
        }
    }

    private static void both(PrintStream out) throws Exception {
        try (WriteTarget target = new WriteTarget(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), out);
             WriteSource source = new WriteSource(out)) {
            source.write(target.address());
            target.await();
        }
    }

    private static void server(EfaWriteOptions options, PrintStream out) throws Exception {
        try (WriteTarget target = new WriteTarget(new InetSocketAddress(options.port()), out)) {
            out.println("target: waits at port " + target.address().getPort());
            target.await();
        }
    }

    private static void client(EfaWriteOptions options, PrintStream out) throws Exception {
        try (WriteSource source = new WriteSource(out)) {
            source.write(server(options));
        }
    }

    /** With neither --server nor --client this program is both. */
    private static boolean selfCheck(EfaWriteOptions options, PrintStream out) throws Exception {
        switch (options.role()) {
        case SERVER -> {
            try (CheckPeer peer = new CheckPeer(new InetSocketAddress(options.port()))) {
                CheckedAdapters.printAll(out);
                out.println("self-check: waits at port " + peer.port() + ", until it is interrupted");
                peer.await();
                return true;
            }
        }
        case CLIENT -> {
            try (SelfCheck check = new SelfCheck(out)) {
                return check.run(server(options));
            }
        }
        default -> {
            try (SelfCheck check = new SelfCheck(out)) {
                return check.run();
            }
        }
        }
    }

    private static InetSocketAddress server(EfaWriteOptions options) throws IOException {
        return new InetSocketAddress(InetAddress.getByName(options.host()), options.port());
    }
}
