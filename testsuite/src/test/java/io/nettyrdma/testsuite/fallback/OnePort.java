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
package io.nettyrdma.testsuite.fallback;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.fallback.RdmaOrTcp;
import io.nettyrdma.fallback.RdmaOrTcpChannel;
import io.nettyrdma.fallback.RdmaOrTcpOption;
import io.nettyrdma.fallback.RdmaOrTcpServerChannel;
import io.nettyrdma.testsuite.channel.Recorder;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.TestDevice;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** Loops with RDMA and without, servers that echo, and clients, for connections by one transport or the other. */
final class OnePort implements AutoCloseable {

    static final int PATIENCE_SECONDS = 20;
    /** iWARP of the kernel shares the ports of TCP. */
    static final int PORT_OFFSET = TestDevice.get().completesWhenTaken() ? 1 : 0;
    static final byte[] BYTES = { 1, 2, 3 };

    /** Longer than anything takes; the first connect of a process takes a while. */
    private static final int HEAD_START_MILLIS = 30_000;
    private static final List<String> WHOLE_LIFE = List.of("active", "inactive");

    private final EventLoopGroup withRdma = new MultiThreadIoEventLoopGroup(2, RdmaOrTcp.newIoHandlerFactory());
    private final EventLoopGroup withoutRdma = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
    private final BlockingQueue<Child> children = new LinkedBlockingQueue<>();

    /** A server's end of a connection. */
    record Child(Channel channel, Recorder recorder) { }

    EventLoopGroup withRdma() {
        return withRdma;
    }

    EventLoopGroup withoutRdma() {
        return withoutRdma;
    }

    static InetSocketAddress anyPort() {
        return new InetSocketAddress(TestDevice.get().ip(), 0);
    }

    /** The address that the listener has in the other transport, if the ports are that far apart. */
    static InetSocketAddress moved(SocketAddress listener, int ports) {
        InetSocketAddress address = (InetSocketAddress) listener;
        return new InetSocketAddress(address.getAddress(), address.getPort() + ports);
    }

    /** A server whose children echo. */
    ServerBootstrap server(EventLoopGroup group, Class<? extends ServerChannel> type) {
        ServerBootstrap bootstrap = new ServerBootstrap().group(group).channel(type);
        if (type == RdmaOrTcpServerChannel.class) {
            bootstrap.option(RdmaOrTcpOption.RDMA_PORT_OFFSET, PORT_OFFSET);
        }
        return bootstrap.childHandler(new ChannelInitializer<SocketChannel>() {
            @Override
            protected void initChannel(SocketChannel child) {
                Recorder recorder = new Recorder(true);
                child.pipeline().addLast(recorder);
                children.add(new Child(child, recorder));
            }
        });
    }

    /** Serves clients by RDMA and by TCP. */
    Channel listen() {
        return server(withRdma, RdmaOrTcpServerChannel.class).bind(anyPort()).syncUninterruptibly().channel();
    }

    /** Serves clients by TCP. */
    Channel listenByTcp() {
        return server(withoutRdma, NioServerSocketChannel.class).bind(anyPort()).syncUninterruptibly().channel();
    }

    /** Has the port of RDMA too, and leaves requests as they are until it reads. */
    RdmaServerChannel addSilentRdma(SocketAddress tcp) {
        return (RdmaServerChannel) server(withRdma, RdmaServerChannel.class).option(ChannelOption.AUTO_READ, false)
                .bind(moved(tcp, PORT_OFFSET)).syncUninterruptibly().channel();
    }

    static Bootstrap client(EventLoopGroup group, Class<? extends Channel> type, Recorder recorder) {
        return new Bootstrap().group(group).channel(type).handler(recorder);
    }

    /** Uses either transport. No host is remembered. */
    Bootstrap client(Recorder recorder) {
        return client(withRdma, RdmaOrTcpChannel.class, recorder)
                .option(RdmaOrTcpOption.HEAD_START_MILLIS, HEAD_START_MILLIS)
                .option(RdmaOrTcpOption.SILENT_HOST_MILLIS, 0)
                .option(RdmaOrTcpOption.RDMA_PORT_OFFSET, PORT_OFFSET);
    }

    /** The next child that has not been taken yet. */
    Child child() throws InterruptedException {
        Child child = children.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(child).as("a child of the server").isNotNull();
        return child;
    }

    /** Those that have not been taken yet. */
    void assertChildrenEnd() throws InterruptedException {
        for (Child child = children.poll(); child != null; child = children.poll()) {
            assertThat(child.channel().closeFuture().await(PATIENCE_SECONDS, TimeUnit.SECONDS)).as("%s ends", child)
                    .isTrue();
        }
    }

    void assertHasNoChild() {
        assertThat(children).isEmpty();
    }

    static Channel assertIsEchoed(ChannelFuture connect, Recorder recorder) throws Exception {
        Channel channel = connect.sync().channel();
        channel.writeAndFlush(Unpooled.wrappedBuffer(BYTES)).sync();
        Deadline.standard().until("the echo", () -> recorder.count() == BYTES.length);
        assertThat(recorder.bytes()).containsExactly(BYTES);
        return channel;
    }

    /**
     * Closes a client. Each end was active once and is inactive once, and the server has had no other child.
     *
     * @return the server's end.
     */
    Channel assertEndsWith(Channel client, Recorder recorder) throws Exception {
        Child child = child();
        client.close().sync();
        assertThat(child.channel().closeFuture().await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        Deadline.standard().until("the last event", () -> child.recorder().events().equals(WHOLE_LIFE)
                && recorder.events().equals(WHOLE_LIFE));
        assertHasNoChild();
        return child.channel();
    }

    @Override
    public void close() {
        for (EventLoopGroup each : List.of(withRdma, withoutRdma)) {
            assertThat(each.shutdownGracefully(0, PATIENCE_SECONDS, TimeUnit.SECONDS)
                    .awaitUninterruptibly(PATIENCE_SECONDS, TimeUnit.SECONDS)).as("the loops end").isTrue();
        }
    }
}
