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

import io.nettyrdma.program.Options;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The options of the command line. */
@Command(name = "bin/echo", description = "Echoes messages over RDMA, and checks every byte.")
final class EchoOptions extends Options {

    /** Both ends in one process, or one end. */
    enum Role { BOTH, SERVER, CLIENT }

    @Parameters(paramLabel = "ROLE", arity = "0..1", defaultValue = "BOTH", description = "server, client or both")
    private Role role;

    @Option(names = "--host", paramLabel = "ADDRESS", description = "where the server is")
    private String host;

    @Option(names = "--port", paramLabel = "PORT", defaultValue = "0", description = "of the server")
    private int port;

    @Option(names = "--size", paramLabel = "BYTES", defaultValue = "64", description = "of a message")
    private int size;

    @Option(names = "--count", paramLabel = "MESSAGES", defaultValue = "100000", description = "of each measurement")
    private int count;

    @Option(names = "--connections", paramLabel = "N", defaultValue = "1", description = "of the client")
    private int connections;

    @Option(names = "--transport", paramLabel = "NAME", defaultValue = "RDMA", description = "rdma, efa, epoll or nio")
    private Transport transport;

    @Override
    protected void check() {
        range("--port", port, 0, MOST_PORT);
        range("--size", size, 1, 64 << 20);
        range("--count", count, 1, 100_000_000);
        range("--connections", connections, 1, 10_000);
        if (role == Role.CLIENT && port == 0) {
            throw new IllegalArgumentException("a client needs the --port that its server printed");
        }
    }

    Role role() {
        return role;
    }

    /** {@code null} for an address of this machine, see {@link EchoAddress}. */
    String host() {
        return host;
    }

    int port() {
        return port;
    }

    /** Bytes of a message. */
    int size() {
        return size;
    }

    /** Messages of each of the two measurements, over all connections. */
    int count() {
        return count;
    }

    int connections() {
        return connections;
    }

    Transport transport() {
        return transport;
    }
}
