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
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.fallback.FallbackReason;
import io.nettyrdma.fallback.RdmaOrTcp;
import io.nettyrdma.fallback.RdmaOrTcp.Transport;
import io.nettyrdma.fallback.RdmaOrTcpChannel;
import io.nettyrdma.fallback.RdmaOrTcpOption;
import io.nettyrdma.fallback.RdmaOrTcpServerChannel;
import io.nettyrdma.fallback.TransportPolicy;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** Clients and servers with RDMA, and without, meet at one port. */
@Tag("device")
class RdmaOrTcpTest {

    private static final int PATIENCE_SECONDS = 20;
    private static final int HEAD_START_MILLIS = Deadline.scaledMillis(100);
    private static final byte[] BYTES = { 1, 2, 3 };
    /** iWARP of the kernel shares the ports of TCP. */
    private static final int PORT_OFFSET = TestDevice.get().completesWhenTaken() ? 1 : 0;

    private final EventLoopGroup withRdma = new MultiThreadIoEventLoopGroup(2, RdmaOrTcp.newIoHandlerFactory());
    private final EventLoopGroup withoutRdma = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
    private final BlockingQueue<Channel> children = new LinkedBlockingQueue<>();
    /** Of the children, in order. */
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final InetSocketAddress anyPort = new InetSocketAddress(TestDevice.get().ip(), 0);

    @AfterEach
    void end() throws Exception {
        for (EventLoopGroup each : List.of(withRdma, withoutRdma)) {
            assertThat(each.shutdownGracefully(0, PATIENCE_SECONDS, TimeUnit.SECONDS).await(PATIENCE_SECONDS,
                    TimeUnit.SECONDS)).isTrue();
        }
    }

    /** Writes down what a child is notified of. */
    private final class Events extends ChannelInboundHandlerAdapter {

        @Override
        public void channelActive(ChannelHandlerContext context) {
            events.add("active");
            context.fireChannelActive();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            events.add("inactive");
            context.fireChannelInactive();
        }
    }

    private ServerBootstrap server(EventLoopGroup group, Class<? extends ServerChannel> type) {
        ServerBootstrap bootstrap = new ServerBootstrap().group(group).channel(type);
        if (type == RdmaOrTcpServerChannel.class) {
            bootstrap.option(RdmaOrTcpOption.RDMA_PORT_OFFSET, PORT_OFFSET);
        }
        return bootstrap.childHandler(new ChannelInitializer<SocketChannel>() {
            @Override
            protected void initChannel(SocketChannel child) {
                child.pipeline().addLast(new Events(), new EchoHandler());
                children.add(child);
            }
        });
    }

    private Channel listen(EventLoopGroup group, Class<? extends ServerChannel> type, InetSocketAddress at) {
        return server(group, type).bind(at).syncUninterruptibly().channel();
    }

    private static Bootstrap client(EventLoopGroup group, Class<? extends Channel> type, ChannelHandler handler) {
        return new Bootstrap().group(group).channel(type).handler(handler);
    }

    private Bootstrap eitherClient(Echoed echoed) {
        return client(withRdma, RdmaOrTcpChannel.class, echoed)
                .option(RdmaOrTcpOption.HEAD_START_MILLIS, HEAD_START_MILLIS)
                .option(RdmaOrTcpOption.RDMA_PORT_OFFSET, PORT_OFFSET);
    }

    /** Counts what comes back. */
    private static final class Echoed extends ChannelInboundHandlerAdapter {

        private final List<String> events = new CopyOnWriteArrayList<>();
        private volatile int bytes;

        @Override
        public void channelActive(ChannelHandlerContext context) {
            events.add("active");
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            events.add("inactive");
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf buffer = (ByteBuf) message;
            bytes += buffer.readableBytes();
            buffer.release();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            events.add(cause.toString());
        }
    }

    private static InetSocketAddress moved(Channel listener, int ports) {
        InetSocketAddress address = (InetSocketAddress) listener.localAddress();
        return new InetSocketAddress(address.getAddress(), address.getPort() + ports);
    }

    private Channel assertIsEchoed(ChannelFuture connect, Echoed echoed) throws Exception {
        Channel channel = connect.sync().channel();
        channel.writeAndFlush(Unpooled.wrappedBuffer(BYTES)).sync();
        Deadline.standard().until("the echo", () -> echoed.bytes == BYTES.length);
        return channel;
    }

    private void assertEndsWith(Channel client, Echoed echoed) throws Exception {
        Channel child = children.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(child).isNotNull();
        client.close().sync();
        assertThat(child.closeFuture().await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        Deadline.standard().until("the last event", () -> events.equals(List.of("active", "inactive"))
                && echoed.events.equals(List.of("active", "inactive")));
        assertThat(children).isEmpty();
    }

    @Test
    void clientAndServerUseRdma() throws Exception {
        Channel server = listen(withRdma, RdmaOrTcpServerChannel.class, anyPort);
        long before = RdmaOrTcp.connectionsByRdma();
        Echoed echoed = new Echoed();
        Channel client = assertIsEchoed(eitherClient(echoed).connect(server.localAddress()), echoed);
        assertThat(RdmaOrTcp.transport(client)).isEqualTo(Transport.RDMA);
        assertThat(((RdmaOrTcpChannel) client).current()).isInstanceOf(RdmaChannel.class);
        assertThat(children.element()).isInstanceOf(RdmaChannel.class);
        assertThat(RdmaOrTcp.connectionsByRdma()).isEqualTo(before + 1);
        assertEndsWith(client, echoed);
    }

    @Test
    void clientOfRdmaAloneIsServed() throws Exception {
        Channel server = listen(withRdma, RdmaOrTcpServerChannel.class, anyPort);
        Echoed echoed = new Echoed();
        Channel client = assertIsEchoed(client(withRdma, RdmaChannel.class, echoed)
                .connect(moved(server, PORT_OFFSET)), echoed);
        assertEndsWith(client, echoed);
    }

    @Test
    void clientOfTcpAloneIsServed() throws Exception {
        Channel server = listen(withRdma, RdmaOrTcpServerChannel.class, anyPort);
        Echoed echoed = new Echoed();
        Channel client = assertIsEchoed(client(withoutRdma, NioSocketChannel.class, echoed)
                .connect(server.localAddress()), echoed);
        assertThat(RdmaOrTcp.transport(children.element())).isEqualTo(Transport.TCP);
        assertEndsWith(client, echoed);
        try (Socket plain = new Socket(anyPort.getAddress(), ((InetSocketAddress) server.localAddress()).getPort())) {
            plain.getOutputStream().write(BYTES);
            assertThat(plain.getInputStream().readNBytes(BYTES.length)).containsExactly(BYTES);
        }
    }

    @Test
    void clientOfAServerOfTcpAloneUsesTcpAtOnce() throws Exception {
        Channel server = listen(withoutRdma, NioServerSocketChannel.class, anyPort);
        long before = RdmaOrTcp.connectionsByTcp(FallbackReason.REFUSED);
        Echoed echoed = new Echoed();
        Channel client = assertIsEchoed(eitherClient(echoed).connect(server.localAddress()), echoed);
        assertThat(RdmaOrTcp.transport(client)).isEqualTo(Transport.TCP);
        assertThat(RdmaOrTcp.connectionsByTcp(FallbackReason.REFUSED)).isEqualTo(before + 1);
        assertEndsWith(client, echoed);
    }

    /** The address of a device, and a program that does not answer. */
    @Test
    void silentPeerCostsTheHeadStartOnce() throws Exception {
        TestDevice.get().assumeThreeWayHandshake();
        Channel tcp = listen(withoutRdma, NioServerSocketChannel.class, anyPort);
        server(withRdma, RdmaServerChannel.class).option(ChannelOption.AUTO_READ, false)
                .bind(tcp.localAddress()).sync();
        long silent = RdmaOrTcp.connectionsByTcp(FallbackReason.SILENT);
        long remembered = RdmaOrTcp.connectionsByTcp(FallbackReason.REMEMBERED);
        for (int i = 0; i < 3; i++) {
            Echoed echoed = new Echoed();
            Channel client = assertIsEchoed(eitherClient(echoed).connect(tcp.localAddress()), echoed);
            assertThat(RdmaOrTcp.transport(client)).isEqualTo(Transport.TCP);
            client.close().sync();
        }
        assertThat(RdmaOrTcp.connectionsByTcp(FallbackReason.SILENT)).isEqualTo(silent + 1);
        assertThat(RdmaOrTcp.connectionsByTcp(FallbackReason.REMEMBERED)).isEqualTo(remembered + 2);
    }

    @ParameterizedTest
    @EnumSource
    void clientOfNothingIsRefused(TransportPolicy policy) throws Exception {
        Channel closed = listen(withRdma, RdmaOrTcpServerChannel.class, anyPort);
        closed.close().sync();
        ChannelFuture connect = eitherClient(new Echoed()).option(RdmaOrTcpOption.POLICY, policy)
                .connect(closed.localAddress()).await();
        assertThat(connect.cause()).isInstanceOf(ConnectException.class).hasMessageContaining("refused");
        assertThat(RdmaOrTcp.transport(connect.channel())).isNull();
        assertThat(connect.channel().closeFuture().await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void clientThatRequiresRdmaDoesNotFallBack() throws Exception {
        Channel server = listen(withoutRdma, NioServerSocketChannel.class, anyPort);
        Bootstrap required = eitherClient(new Echoed()).option(RdmaOrTcpOption.POLICY, TransportPolicy.RDMA_REQUIRED);
        assertThat(required.connect(server.localAddress()).await().cause()).isInstanceOf(ConnectException.class);
        ChannelFuture without = client(withoutRdma, RdmaOrTcpChannel.class, new Echoed())
                .option(RdmaOrTcpOption.POLICY, TransportPolicy.RDMA_REQUIRED).connect(server.localAddress()).await();
        assertThat(without.cause()).hasMessageContaining("RDMA is required")
                .hasMessageContaining("the event loop has no RDMA");
        assertThat(children).isEmpty();
    }

    @Test
    void serverThatRequiresRdmaIsNotReachedByTcp() throws Exception {
        Channel server = server(withRdma, RdmaOrTcpServerChannel.class)
                .option(RdmaOrTcpOption.POLICY, TransportPolicy.RDMA_REQUIRED).bind(anyPort).sync().channel();
        assertThat(client(withoutRdma, NioSocketChannel.class, new Echoed()).connect(server.localAddress()).await()
                .cause()).isInstanceOf(ConnectException.class);
        Echoed echoed = new Echoed();
        Channel client = assertIsEchoed(eitherClient(echoed).connect(server.localAddress()), echoed);
        assertThat(RdmaOrTcp.transport(client)).isEqualTo(Transport.RDMA);
        assertEndsWith(client, echoed);
    }

    @Test
    void loopsWithoutRdmaUseTcp() throws Exception {
        Channel server = listen(withoutRdma, RdmaOrTcpServerChannel.class, anyPort);
        Echoed echoed = new Echoed();
        Channel client = assertIsEchoed(client(withoutRdma, RdmaOrTcpChannel.class, echoed)
                .connect(server.localAddress()), echoed);
        assertThat(((RdmaOrTcpChannel) client).current()).isInstanceOf(NioSocketChannel.class);
        assertThat(((RdmaOrTcpServerChannel) server).listensByRdma()).isFalse();
        assertEndsWith(client, echoed);
    }

    /** The port is another program's for RDMA, so nothing is bound. */
    @Test
    void bindOfAPortThatRdmaDoesNotGetFails() throws Exception {
        Channel other = listen(withRdma, RdmaServerChannel.class, anyPort);
        InetSocketAddress wanted = moved(other, -PORT_OFFSET);
        ChannelFuture bind = server(withRdma, RdmaOrTcpServerChannel.class).bind(wanted).await();
        assertThat(bind.cause()).hasMessageContaining("EADDRINUSE");
        assertThat(client(withoutRdma, NioSocketChannel.class, new Echoed()).connect(wanted).await().cause())
                .isInstanceOf(ConnectException.class);
    }
}
