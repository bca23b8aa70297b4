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
import io.netty.channel.ChannelHandler;
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
import io.nettyrdma.testsuite.support.TestDevice;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** One connection, over RDMA or, to see what a program may expect, over TCP. The server remembers what comes. */
final class Connection implements AutoCloseable {

    enum Transport {
        RDMA(RdmaIoHandler::newFactory, RdmaServerChannel.class, RdmaChannel.class) {
            @Override
            InetAddress address() {
                return TestDevice.get().ip();
            }
        },
        TCP(NioIoHandler::newFactory, NioServerSocketChannel.class, NioSocketChannel.class) {
            @Override
            InetAddress address() {
                return InetAddress.getLoopbackAddress();
            }
        };

        private final Supplier<IoHandlerFactory> loops;
        private final Class<? extends ServerChannel> server;
        private final Class<? extends Channel> client;

        Transport(Supplier<IoHandlerFactory> loops, Class<? extends ServerChannel> server,
                  Class<? extends Channel> client) {
            this.loops = loops;
            this.server = server;
            this.client = client;
        }

        abstract InetAddress address();
    }

    final Recorder server = new Recorder();
    final Channel client;
    private final EventLoopGroup group;

    Connection(Transport over, ChannelHandler handler) throws Exception {
        this(over, handler, bootstrap -> { });
    }

    /** @param options of the client. */
    Connection(Transport over, ChannelHandler handler, Consumer<Bootstrap> options) throws Exception {
        group = new MultiThreadIoEventLoopGroup(2, over.loops.get());
        Channel listener = new ServerBootstrap().group(group).channel(over.server).childHandler(server)
                .bind(new InetSocketAddress(over.address(), 0)).sync().channel();
        Bootstrap bootstrap = new Bootstrap().group(group).channel(over.client).handler(handler)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, Deadline.scaledMillis(30_000));
        options.accept(bootstrap);
        client = bootstrap.connect(listener.localAddress()).sync().channel();
    }

    /** Waits for that many bytes; what came, which may be more. */
    byte[] received(int count) throws Exception {
        Deadline deadline = Deadline.standard();
        while (server.count() < count) {
            deadline.pause(() -> count + " bytes, of which " + server.count() + " have come");
        }
        return server.bytes();
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, Deadline.scaledMillis(30_000), TimeUnit.MILLISECONDS).syncUninterruptibly();
    }
}
