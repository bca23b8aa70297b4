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
package io.nettyrdma.agent.program;

import reactor.core.publisher.Mono;
import reactor.netty.Connection;
import reactor.netty.DisposableServer;
import reactor.netty.resources.LoopResources;
import reactor.netty.tcp.TcpClient;
import reactor.netty.tcp.TcpServer;

import java.time.Duration;

/** Reactor Netty creates its channels without Netty's bootstraps. */
public final class ReactorProgram {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private ReactorProgram() {
    }

    /** @param args whether it prefers native transports. */
    public static void main(String[] args) {
        boolean isNative = Boolean.parseBoolean(args[0]);
        LoopResources loops = LoopResources.create("program", 2, true);
        DisposableServer server = TcpServer.create().runOn(loops, isNative).host("127.0.0.1").port(0)
                .handle((in, out) -> out.send(in.receive().retain())).bindNow(LIMIT);
        Connection client = TcpClient.create().runOn(loops, isNative).host("127.0.0.1").port(server.port())
                .connectNow(LIMIT);
        client.outbound().sendString(Mono.just("hello")).then().block(LIMIT);
        System.out.println("echoed: " + client.inbound().receive().asString().blockFirst(LIMIT));
        client.disposeNow(LIMIT);
        server.disposeNow(LIMIT);
        loops.disposeLater().block(LIMIT);
        System.out.println("ended");
    }
}
