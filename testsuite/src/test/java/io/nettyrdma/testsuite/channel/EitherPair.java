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
package io.nettyrdma.testsuite.channel;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.TestDevice;

import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

import static org.assertj.core.api.Assertions.assertThat;

/** Runs a program on RDMA, or on TCP as the reference: one connection, each end with its own loop. */
final class EitherPair implements AutoCloseable {

    /** The transport. */
    enum Carrier {
        NIO(NioIoHandler::newFactory, NioServerSocketChannel.class, NioSocketChannel.class),
        RDMA(RdmaIoHandler::newFactory, RdmaServerChannel.class, RdmaChannel.class);

        private final Supplier<IoHandlerFactory> handlers;
        private final Class<? extends ServerChannel> listeners;
        private final Class<? extends Channel> channels;

        Carrier(Supplier<IoHandlerFactory> handlers, Class<? extends ServerChannel> listeners,
                Class<? extends Channel> channels) {
            this.handlers = handlers;
            this.listeners = listeners;
            this.channels = channels;
        }
    }

    private static final int PATIENCE_SECONDS = 30;
    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(1000 * PATIENCE_SECONDS);

    private final EventLoopGroup serving;
    private final EventLoopGroup connecting;
    private final ServerBootstrap server;
    private final Bootstrap bootstrap;
    private final Channel listener;
    private final BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();

    /**
     * @param handler for the server's children.
     * @param server configures the server.
     * @param client configures the clients.
     */
    EitherPair(Carrier carrier, Supplier<ChannelHandler> handler, Consumer<ServerBootstrap> server,
               Consumer<Bootstrap> client) throws InterruptedException {
        this(carrier, handler, server, client, new InetSocketAddress(TestDevice.get().ip(), 0));
    }

    /** A pair whose server echoes, at that address. */
    static EitherPair at(Carrier carrier, InetSocketAddress address) throws InterruptedException {
        return new EitherPair(carrier, EchoHandler::new, server -> { }, client -> { }, address);
    }

    private EitherPair(Carrier carrier, Supplier<ChannelHandler> handler, Consumer<ServerBootstrap> options,
                       Consumer<Bootstrap> client, InetSocketAddress address) throws InterruptedException {
        serving = new MultiThreadIoEventLoopGroup(1, carrier.handlers.get());
        connecting = new MultiThreadIoEventLoopGroup(1, carrier.handlers.get());
        server = new ServerBootstrap().group(serving).channel(carrier.listeners)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(handler.get());
                        accepted.add(channel);
                    }
                });
        options.accept(server);
        listener = server.bind(address).sync().channel();
        bootstrap = new Bootstrap().group(connecting).channel(carrier.channels)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, PATIENCE_MILLIS);
        client.accept(bootstrap);
    }

    Channel listener() {
        return listener;
    }

    Channel connect(ChannelHandler handler) throws InterruptedException {
        return beginConnect(handler).sync().channel();
    }

    /** Of the server. */
    ServerBootstrap server() {
        return server.clone();
    }

    /** Of the clients, without a handler. */
    Bootstrap bootstrap() {
        return bootstrap.clone();
    }

    ChannelFuture beginConnect(ChannelHandler handler) {
        return bootstrap.clone().handler(handler).connect(listener.localAddress());
    }

    /** Waits for a request that the server has not read: TCP's connect succeeds then, RDMA's waits for an answer. */
    void awaitRequest(ChannelFuture connecting) throws Exception {
        Deadline.ofSeconds(PATIENCE_SECONDS).until("a connection request", () ->
                listener instanceof RdmaServerChannel rdma ? rdma.waitingRequests() == 1 : connecting.isSuccess());
    }

    /** The server's end of the oldest connection that was not returned yet. */
    Channel accepted() throws InterruptedException {
        Channel channel = accepted.poll(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        assertThat(channel).as("a connection at the server").isNotNull();
        return channel;
    }

    @Override
    public void close() {
        listener.close().syncUninterruptibly();
        for (EventLoopGroup group : new EventLoopGroup[] { connecting, serving }) {
            assertThat(group.shutdownGracefully(0, PATIENCE_MILLIS, TimeUnit.MILLISECONDS)
                    .awaitUninterruptibly(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).as("the loops end").isTrue();
        }
    }
}
