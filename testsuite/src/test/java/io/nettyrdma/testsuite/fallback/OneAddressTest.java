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
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.fallback.RdmaOrTcp;
import io.nettyrdma.fallback.RdmaOrTcp.Transport;
import io.nettyrdma.fallback.RdmaOrTcpChannel;
import io.nettyrdma.fallback.RdmaOrTcpOption;
import io.nettyrdma.fallback.RdmaOrTcpServerChannel;
import io.nettyrdma.testsuite.channel.Recorder;
import io.nettyrdma.testsuite.support.IpFamily;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Both transports listen at one address: a wildcard, one of each family, a port that either may refuse. */
@Tag("device")
class OneAddressTest {

    private final OnePort port = new OnePort();

    @AfterEach
    void end() {
        port.close();
    }

    private Channel listen(InetSocketAddress at) {
        return port.server(port.withRdma(), RdmaOrTcpServerChannel.class).bind(at).syncUninterruptibly().channel();
    }

    private void assertServes(InetSocketAddress address) throws Exception {
        Recorder byRdma = new Recorder();
        Channel rdma = OnePort.assertIsEchoed(port.client(byRdma).connect(address), byRdma);
        assertThat(RdmaOrTcp.transport(rdma)).isEqualTo(Transport.RDMA);
        port.assertEndsWith(rdma, byRdma);
        Recorder byTcp = new Recorder();
        Channel tcp = OnePort.assertIsEchoed(OnePort.client(port.withoutRdma(), NioSocketChannel.class, byTcp)
                .connect(address), byTcp);
        port.assertEndsWith(tcp, byTcp);
    }

    @ParameterizedTest
    @EnumSource
    void wildcardServesBothFamilies(IpFamily family) throws Exception {
        InetAddress host = family.address();
        Channel server = listen(new InetSocketAddress(0));
        int bound = ((InetSocketAddress) server.localAddress()).getPort();
        assertThat(((RdmaOrTcpServerChannel) server).listensByRdma()).isTrue();
        assertServes(new InetSocketAddress(host, bound));
    }

    @ParameterizedTest
    @EnumSource
    void addressOfAFamilyServes(IpFamily family) throws Exception {
        Channel server = listen(new InetSocketAddress(family.address(), 0));
        assertServes((InetSocketAddress) server.localAddress());
    }

    /** Whether RDMA has loopback addresses depends on the device. */
    @Test
    void loopbackAddressServes() throws Exception {
        Channel server = listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Recorder recorder = new Recorder();
        Channel client = OnePort.assertIsEchoed(port.client(recorder).connect(server.localAddress()), recorder);
        assertThat(RdmaOrTcp.transport(port.assertEndsWith(client, recorder)))
                .isEqualTo(RdmaOrTcp.transport(client));
    }

    /** Each has the port of both, and is free to take it again. */
    @Test
    void portIsFreeWhenTheServerIsClosed() throws Exception {
        InetSocketAddress address = null;
        for (int i = 0; i < 3; i++) {
            Channel server = listen(address == null ? OnePort.anyPort() : address);
            address = (InetSocketAddress) server.localAddress();
            assertServes(address);
            ChannelFuture second = port.server(port.withRdma(), RdmaOrTcpServerChannel.class).bind(address).await();
            assertThat(second.cause()).isNotNull();
            assertServes(address);
            server.close().sync();
        }
    }

    @Test
    void portOfAnotherServerByTcpIsRefused() throws Exception {
        Channel other = port.listenByTcp();
        assertThat(port.server(port.withRdma(), RdmaOrTcpServerChannel.class).bind(other.localAddress()).await()
                .cause()).hasMessageContaining("in use");
        // RDMA does not keep the port either.
        port.server(port.withRdma(), RdmaServerChannel.class)
                .bind(OnePort.moved(other.localAddress(), OnePort.PORT_OFFSET)).sync();
    }

    /** A server's own backlog is that of each transport. */
    @Test
    void listenerThatDoesNotReadAcceptsNothing() throws Exception {
        Channel server = port.server(port.withRdma(), RdmaOrTcpServerChannel.class)
                .option(ChannelOption.AUTO_READ, false).bind(OnePort.anyPort()).sync().channel();
        Recorder byTcp = new Recorder();
        Channel tcp = OnePort.client(port.withoutRdma(), NioSocketChannel.class, byTcp).connect(server.localAddress())
                .sync().channel();
        Recorder byRdma = new Recorder();
        ChannelFuture rdma = port.client(byRdma).option(RdmaOrTcpOption.HEAD_START_MILLIS, 60_000)
                .connect(server.localAddress());
        port.assertHasNoChild();
        server.config().setAutoRead(true);
        OnePort.assertIsEchoed(rdma, byRdma);
        OnePort.assertIsEchoed(tcp.newSucceededFuture(), byTcp);
        tcp.close().sync();
        rdma.channel().close().sync();
    }

    private enum OtherLoops {
        EPOLL, IO_URING
    }

    /** Such a program has chosen its transport for TCP. */
    @ParameterizedTest
    @EnumSource
    void loopsOfAnotherTransportUseIt(OtherLoops kind) throws Exception {
        assumeTrue(kind != OtherLoops.IO_URING || IoUring.isAvailable(), "this kernel has no io_uring for us");
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1,
                kind == OtherLoops.EPOLL ? EpollIoHandler.newFactory() : IoUringIoHandler.newFactory());
        try {
            Channel server = port.server(loops, RdmaOrTcpServerChannel.class).bind(OnePort.anyPort()).sync().channel();
            Recorder recorder = new Recorder();
            Bootstrap bootstrap = OnePort.client(loops, RdmaOrTcpChannel.class, recorder);
            Channel client = OnePort.assertIsEchoed(bootstrap.connect(server.localAddress()), recorder);
            SocketChannel current = ((RdmaOrTcpChannel) client).current();
            assertThat(current.getClass().getSimpleName())
                    .isEqualTo(kind == OtherLoops.EPOLL ? "EpollSocketChannel" : "IoUringSocketChannel");
            port.assertEndsWith(client, recorder);
        } finally {
            loops.shutdownGracefully(0, OnePort.PATIENCE_SECONDS, TimeUnit.SECONDS).sync();
        }
    }
}
