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
package io.nettyrdma.testsuite.differential;

import io.netty.bootstrap.AbstractBootstrap;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.SocketChannel;
import io.nettyrdma.testsuite.support.Deadline;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

/** One transport, for one program at a time: a listener, and the loops that all instances of it share. */
final class Transport implements AutoCloseable {

    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(30_000);

    private final String name;
    private final EventLoopGroup group;
    private final Class<? extends Channel> channels;
    private final ByteBufAllocator allocator;
    private final Map<ChannelOption<?>, ?> options;
    private final Channel listener;
    /** Gets the next child. */
    private final AtomicReference<Interpreter> expected = new AtomicReference<>();

    Transport(String name, EventLoopGroup group, Class<? extends Channel> channels,
              Class<? extends ServerChannel> servers, InetAddress ip, ByteBufAllocator allocator,
              Map<ChannelOption<?>, ?> options) throws InterruptedException {
        this.name = name;
        this.group = group;
        this.channels = channels;
        this.allocator = allocator;
        this.options = options;
        ServerBootstrap bootstrap = new ServerBootstrap().group(group).channel(servers);
        set(options, bootstrap);
        bootstrap.childHandler(new ChannelInitializer<SocketChannel>() {
            @Override
            protected void initChannel(SocketChannel child) {
                Interpreter server = expected.getAndSet(null);
                if (server == null) {
                    throw new IllegalStateException("no client has connected");
                }
                server.install(child, allocator);
            }
        });
        listener = bootstrap.bind(new InetSocketAddress(ip, 0)).sync().channel();
    }

    /**
     * Returns when the client's connect has completed. The server's end may become active later.
     *
     * @return why it failed, or {@code null}.
     */
    Throwable connect(Route route, Interpreter client, Interpreter server) throws InterruptedException {
        expected.set(server);
        Bootstrap bootstrap = new Bootstrap().group(group).channel(channels)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, PATIENCE_MILLIS)
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        client.install(channel, allocator);
                    }
                });
        set(options, bootstrap);
        return route.connect(bootstrap, (InetSocketAddress) listener.localAddress()).await().cause();
    }

    @SuppressWarnings("unchecked")
    private static void set(Map<ChannelOption<?>, ?> options, AbstractBootstrap<?, ?> bootstrap) {
        options.forEach((option, value) -> bootstrap.option((ChannelOption<Object>) option, value));
    }

    @Override
    public void close() {
        listener.close().syncUninterruptibly();
    }

    @Override
    public String toString() {
        return name;
    }
}
