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
package io.nettyrdma.example;

import io.nettyrdma.program.Options;
import picocli.CommandLine.Option;

import java.util.List;

/** Options of programs that are a server, a client, or both in one process. */
public abstract class EndOptions extends Options {

    /** Both ends in one process, or one end. */
    public enum Role { BOTH, SERVER, CLIENT }

    @Option(names = "--server", arity = "0..1", fallbackValue = "0", paramLabel = "PORT",
            description = "listens on PORT, or on any")
    private Integer server;

    @Option(names = "--client", arity = "2", paramLabel = "HOST PORT", hideParamSyntax = true,
            description = "connects to the server there")
    private List<String> client;

    private int port;

    @Override
    protected void check() {
        if (server != null && client != null || client != null && client.size() > 2) {
            throw new IllegalArgumentException("--server or --client, and only once");
        }
        if (client != null) {
            port = port(client.get(1));
        } else if (server != null) {
            port = server;
        }
        range("the port", port, client == null ? 0 : 1, MOST_PORT);
    }

    private static int port(String word) {
        try {
            return Integer.parseInt(word);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("the port is " + word + ", which is no number");
        }
    }

    /** {@return which end this process is} */
    public final Role role() {
        return client != null ? Role.CLIENT : server != null ? Role.SERVER : Role.BOTH;
    }

    /** {@return the server's host, {@code null} except for a client} */
    public String host() {
        return client == null ? null : client.get(0);
    }

    /** {@return the server's port, 0 for any} */
    public final int port() {
        return port;
    }
}
