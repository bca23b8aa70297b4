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
package io.nettyrdma.integrations;

import reactor.netty.DisposableServer;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;
import reactor.netty.resources.ConnectionProvider;
import reactor.netty.resources.LoopResources;
import reactor.netty.tcp.TcpClient;
import reactor.netty.tcp.TcpServer;

import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Reactor Netty servers and clients that share loops and connections. */
final class ReactorProgram implements AutoCloseable {

    static final Duration WAIT = Duration.ofSeconds(Waiting.SECONDS);
    private static final int CONNECTIONS = 4;

    private final Loops loops;
    private final LoopResources resources;
    private final ConnectionProvider connections = ConnectionProvider.create("integrations", CONNECTIONS);
    private final List<DisposableServer> servers = new ArrayList<>();

    ReactorProgram(Carrier carrier) {
        loops = new Loops(carrier);
        resources = carrier == Carrier.AGENT ? LoopResources.create("unmodified", 2, true)
                : new ReactorLoops(loops.group(), carrier.server(), carrier.client());
    }

    HttpServer httpServer() {
        return HttpServer.create().runOn(resources).bindAddress(Host::anyPort);
    }

    TcpServer tcpServer() {
        return TcpServer.create().runOn(resources).bindAddress(Host::anyPort);
    }

    /** Runs until the program ends. */
    DisposableServer started(DisposableServer server) {
        servers.add(server);
        return server;
    }

    HttpClient httpClient(DisposableServer server) {
        return httpClient(server::address);
    }

    HttpClient httpClient(Supplier<SocketAddress> server) {
        return HttpClient.create(connections).runOn(resources).remoteAddress(server);
    }

    TcpClient tcpClient(Supplier<SocketAddress> server) {
        return TcpClient.create(connections).runOn(resources).remoteAddress(server);
    }

    /** Call while the connections are open. */
    void checkSockets() {
        loops.checkSockets();
    }

    @Override
    public void close() {
        try {
            if (!servers.isEmpty()) {
                checkSockets();
            }
        } finally {
            connections.disposeLater().block(WAIT);
            servers.forEach(server -> server.disposeNow(WAIT));
            resources.disposeLater(Duration.ZERO, WAIT).block(WAIT);
            loops.close();
        }
    }
}
