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
package io.nettyrdma.microbench.echo;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.nettyrdma.channel.RdmaChannelOption;

import java.util.concurrent.TimeUnit;

/** Measures one figure after the other, each on a connection and a loop of its own. */
final class Client {

    /** On top of the measurement's own time. */
    private static final int PATIENCE_MILLIS = 20_000;

    private final ServerProcess server;
    private final int millis;
    private final WriteBufferWaterMark mark;
    private final Samples samples = new Samples();

    Client(ServerProcess server, Options options) {
        this.server = server;
        millis = options.millis();
        Integer high = options.highWater();
        mark = high == null ? null : new WriteBufferWaterMark(high / 2, high);
    }

    Figure measure(Transport transport, Kind kind, int size) throws Exception {
        int port = server.listen(transport, kind);
        EventLoopGroup group = transport.newGroup();
        try {
            MeasuringHandler handler = kind.clientHandler(size, TimeUnit.MILLISECONDS.toNanos(millis), samples);
            new Bootstrap()
                    .group(group)
                    .channel(transport.channel())
                    .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                    .option(ChannelOption.WRITE_BUFFER_WATER_MARK, mark)
                    .option(RdmaChannelOption.ZERO_COPY_THRESHOLD, transport.zeroCopyThreshold())
                    .handler(handler)
                    .connect(transport.localAddress(), port).sync();
            return handler.result().get(millis + PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(transport + ", " + kind + " of " + size + " bytes failed", e);
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
            server.stopListening();
        }
    }
}
