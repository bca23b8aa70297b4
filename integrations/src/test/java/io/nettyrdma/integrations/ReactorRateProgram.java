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

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;
import reactor.netty.resources.ConnectionProvider;

import java.util.ArrayList;
import java.util.List;

/** A server of Reactor Netty and its clients, each of which keeps one connection. */
final class ReactorRateProgram implements RateProgram {

    private final RateCarrier carrier;
    private final DisposableServer server;
    private final List<Connection> connections = new ArrayList<>();

    ReactorRateProgram(RateLoops loops) {
        carrier = loops.carrier();
        server = HttpServer.create().runOn(resources(loops.server())).bindAddress(carrier::anyAddress)
                .handle((request, response) -> response.send(request.receive().aggregate().retain()))
                .bindNow(ReactorProgram.WAIT);
        loops.clients().forEach(loop -> connections.add(new Connection(loop)));
    }

    private ReactorLoops resources(EventLoopGroup loops) {
        return new ReactorLoops(loops, carrier.server(), carrier.client());
    }

    @Override
    public List<Connection> connections() {
        return connections;
    }

    @Override
    public void close() {
        connections.forEach(each -> each.pool.disposeLater().block(ReactorProgram.WAIT));
        server.disposeNow(ReactorProgram.WAIT);
    }

    private final class Connection extends RateConnection {

        private final byte[] message = new byte[SIZE];
        private final ConnectionProvider pool = ConnectionProvider.create("rates", 1);
        private final HttpClient.ResponseReceiver<?> echo;
        private int size;

        Connection(EventLoopGroup loop) {
            echo = HttpClient.create(pool).runOn(resources(loop)).remoteAddress(server::address).post().uri("/echo")
                    .send((request, out) -> out.send(Mono.fromSupplier(() -> Unpooled.wrappedBuffer(message))));
        }

        @Override
        void request() {
            echo.responseContent().aggregate().map(ByteBuf::readableBytes)
                    .subscribe(bytes -> size = bytes, this::failed, () -> answered(size));
        }
    }
}
