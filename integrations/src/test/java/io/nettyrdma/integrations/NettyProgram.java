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
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;

import java.net.InetSocketAddress;
import java.util.function.Consumer;

/** A server with one pipeline for all its children, and its clients. */
final class NettyProgram implements AutoCloseable {

    private final Carrier carrier;
    private final Loops loops;
    private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final Channel listener;

    NettyProgram(Carrier carrier, Consumer<Channel> children) throws Exception {
        this.carrier = carrier;
        loops = new Loops(carrier);
        listener = new ServerBootstrap().group(loops.group()).channel(carrier.server())
                .childHandler(initializer(children.andThen(channels::add)))
                .bind(Host.anyPort()).sync().channel();
        channels.add(listener);
    }

    /** A handler that sets up channels, or the streams of one. */
    static ChannelHandler initializer(Consumer<Channel> setUp) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                setUp.accept(channel);
            }
        };
    }

    /** For other clients of the server. */
    EventLoopGroup loops() {
        return loops.group();
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listener.localAddress();
    }

    Channel connect(Consumer<Channel> setUp) throws Exception {
        return new Bootstrap().group(loops.group()).channel(carrier.client())
                .handler(initializer(setUp.andThen(channels::add)))
                .connect(address()).sync().channel();
    }

    @Override
    public void close() {
        try {
            loops.checkSockets();
        } finally {
            channels.close().syncUninterruptibly();
            loops.close();
        }
    }
}
