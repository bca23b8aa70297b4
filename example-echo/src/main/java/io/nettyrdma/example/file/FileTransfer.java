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
package io.nettyrdma.example.file;

import io.nettyrdma.Rdma;
import io.nettyrdma.cm.DeviceAddress;
import io.nettyrdma.example.ServerAddress;
import io.nettyrdma.program.Programs;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.OptionalInt;

/** The main program: {@code bin/file-transfer}. */
public final class FileTransfer {

    private FileTransfer() {
    }

    public static void main(String[] words) throws Exception {
        int status = run(words, System.err);
        if (status != 0) {
            // A loop that still runs must not keep the program running.
            System.exit(status);
        }
    }

    /**
     * Runs the program. Prints one line for an error that a user can cure. Any other error is a bug, and keeps its
     * stack trace.
     *
     * @return exit status: 0, 1 if the file did not arrive or something is missing, 2 for wrong usage.
     */
    static int run(String[] words, PrintStream errors) throws Exception {
        FileTransferOptions options = new FileTransferOptions();
        OptionalInt end = Programs.read(options, System.out, errors, words);
        if (end.isPresent()) {
            return end.getAsInt();
        }
        try {
            return run(options) ? 0 : Programs.FAILED;
        } catch (IOException | UnsatisfiedLinkError e) {
            errors.println("bin/file-transfer: " + e.getMessage());
            return Programs.FAILED;
        }
    }

    private static boolean run(FileTransferOptions options) throws Exception {
        check(options);
        Rdma.ensureAvailability();
        InetSocketAddress address = address(options);
        if (options.role() == FileTransferOptions.Role.CLIENT) {
            return runClient(options, address);
        }
        try (FileServer server = new FileServer(address, FileServer.MOST_BYTES, options.out())) {
            System.out.println("file server: on " + ServerAddress.describe(server.address()));
            if (options.role() == FileTransferOptions.Role.BOTH) {
                return runClient(options, server.address());
            }
            server.awaitClose();
            return true;
        }
    }

    /** Failures that would be noticed only when the file was read, or had arrived. */
    private static void check(FileTransferOptions options) throws FileNotFoundException {
        Path file = options.file();
        if (file != null && (!Files.isReadable(file) || Files.isDirectory(file))) {
            throw new FileNotFoundException("--file " + file + " cannot be read: give one that can");
        }
        Path out = options.out();
        if (out != null && !mayWrite(out)) {
            throw new FileNotFoundException("--out " + out + " cannot be written: give a file in a directory that "
                    + "exists and may be written to");
        }
    }

    private static boolean mayWrite(Path out) {
        Path directory = out.toAbsolutePath().getParent();
        return Files.exists(out) ? Files.isWritable(out) && !Files.isDirectory(out)
                : directory != null && Files.isDirectory(directory) && Files.isWritable(directory);
    }

    /** Without a host a server listens at all addresses, and both ends in one process meet at one. */
    private static InetSocketAddress address(FileTransferOptions options) throws IOException {
        if (options.host() != null) {
            return new InetSocketAddress(ServerAddress.resolve("the host", options.host()), options.port());
        }
        return options.role() == FileTransferOptions.Role.SERVER ? new InetSocketAddress(options.port())
                : new InetSocketAddress(DeviceAddress.forLocalUse().address(), options.port());
    }

    private static boolean runClient(FileTransferOptions options, InetSocketAddress server) throws Exception {
        if (options.file() != null) {
            return send(options.file(), server);
        }
        try (GeneratedFile generated = new GeneratedFile(options.size())) {
            return send(generated.path(), server);
        }
    }

    private static boolean send(Path file, InetSocketAddress server) throws Exception {
        FileMessage.Offer offer = FileClient.offer(file);
        FileProgress progress = new FileProgress();
        boolean good;
        try (FileClient client = new FileClient(server)) {
            good = client.send(file, offer, progress);
        }
        row("file", String.format(Locale.ROOT, "%s, %,d bytes", offer.name(), offer.length()));
        row("sha-256", offer.sha256());
        row("written", String.format(Locale.ROOT, "%,d bytes by %,d RDMA writes, %,.1f MB/s", progress.bytes(),
                progress.writes(), progress.megabytesPerSecond()));
        row("result", good ? "good" : "BAD: the server has other bytes");
        return good;
    }

    private static void row(String name, String value) {
        System.out.printf("  %-12s %s%n", name, value);
    }
}
