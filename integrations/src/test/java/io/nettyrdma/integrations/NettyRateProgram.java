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

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** A server and its clients that differ from other programs on Netty only in their handlers. */
final class NettyRateProgram implements RateProgram {

    private final List<RateConnection> connections = new ArrayList<>();

    /**
     * @param child sets up a connection of the server.
     * @param client sets up the client's end of a connection.
     */
    NettyRateProgram(RateLoops loops, Consumer<Channel> child, Function<Channel, RateConnection> client)
            throws Exception {
        Channel listener = new ServerBootstrap().group(loops.server()).channel(loops.carrier().server())
                .childHandler(NettyProgram.initializer(child))
                .bind(loops.carrier().anyAddress()).sync().channel();
        for (EventLoop loop : loops.clients()) {
            new Bootstrap().group(loop).channel(loops.carrier().client())
                    .handler(NettyProgram.initializer(channel -> connections.add(client.apply(channel))))
                    .connect(listener.localAddress()).sync();
        }
    }

    @Override
    public List<RateConnection> connections() {
        return connections;
    }

    /** The end of the loops closes the channels. */
    @Override
    public void close() {
    }
}
