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
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.testsuite.support.Addresses;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.IpFamily;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.UnresolvedAddressException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/** Connecting: success and every kind of failure. */
@Tag("device")
class ConnectTest {

    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(30_000);
    /** Far too short for a connection that is not accepted. */
    private static final int SHORT_MILLIS = 200;

    @Test
    void bothEndsKnowBothAddresses() throws Exception {
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            RdmaChannel client = pair.connect(new ChannelInboundHandlerAdapter());
            RdmaChannel server = pair.accepted();
            assertThat(client.isActive()).isTrue();
            assertThat(client.remoteAddress()).isEqualTo(pair.address());
            assertThat(client.localAddress().getAddress()).isEqualTo(TestDevice.get().ip());
            assertThat(client.localAddress().getPort()).isPositive();
            assertThat(server.remoteAddress()).isEqualTo(client.localAddress());
            assertThat(server.localAddress()).isEqualTo(client.remoteAddress());
            assertThat(server.parent()).isSameAs(pair.listener());
            assertThat(client.parent()).isNull();
        }
    }

    @Test
    void localAddressCanBeChosen() throws Exception {
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            InetSocketAddress local = new InetSocketAddress(TestDevice.get().ip(), 0);
            Channel client = pair.bootstrap(new ChannelInboundHandlerAdapter()).connect(pair.address(), local).sync()
                    .channel();
            assertThat(((InetSocketAddress) client.localAddress()).getAddress()).isEqualTo(local.getAddress());
            Channel bound = pair.bootstrap(new ChannelInboundHandlerAdapter()).bind(local).sync().channel();
            bound.connect(pair.address()).sync();
            assertThat(bound.isActive()).isTrue();
        }
    }

    /** Programs announce the port to others before they connect. */
    @Test
    void localAddressIsKnownAfterTheBind() throws Exception {
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            Channel bound = pair.bootstrap(new ChannelInboundHandlerAdapter())
                    .bind(new InetSocketAddress(TestDevice.get().ip(), 0)).sync().channel();
            InetSocketAddress local = (InetSocketAddress) bound.localAddress();
            assertThat(local.getPort()).isPositive();
            bound.connect(pair.address()).sync();
            assertThat(bound.localAddress()).isEqualTo(local);
            assertThat(pair.accepted().remoteAddress()).isEqualTo(local);
        }
    }

    /** The port is known at once, the address once the destination is known. */
    @Test
    void wildcardLocalAddressIsResolved() throws Exception {
        InetAddress any = InetAddress.getByAddress(new byte[TestDevice.get().ip().getAddress().length]);
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            Channel bound = pair.bootstrap(new ChannelInboundHandlerAdapter()).bind(new InetSocketAddress(any, 0))
                    .sync().channel();
            InetSocketAddress before = (InetSocketAddress) bound.localAddress();
            assertThat(before.getAddress().isAnyLocalAddress()).isTrue();
            bound.connect(pair.address()).sync();
            assertThat(bound.localAddress())
                    .isEqualTo(new InetSocketAddress(TestDevice.get().ip(), before.getPort()));
            assertThat(pair.accepted().remoteAddress()).isEqualTo(bound.localAddress());
        }
    }

    @Test
    void failedBindReportsItsCause() throws Exception {
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            InetSocketAddress foreign = new InetSocketAddress(Addresses.documentation(IpFamily.IPV4), 0);
            assertThat(failure(pair.bootstrap(new Recorder()).bind(pair.address()))).isInstanceOf(BindException.class)
                    .hasMessageContaining("EADDRINUSE");
            assertThat(failure(pair.bootstrap(new Recorder()).bind(foreign))).isInstanceOf(BindException.class)
                    .hasMessageContaining("EADDRNOTAVAIL");
            Channel channel = pair.bootstrap(new Recorder()).register().sync().channel();
            assertThat(failure(channel.bind(foreign))).isInstanceOf(BindException.class);
            assertThat(failure(channel.bind(InetSocketAddress.createUnresolved("nowhere.invalid", 1))))
                    .isInstanceOf(UnresolvedAddressException.class);
            InetSocketAddress local = new InetSocketAddress(TestDevice.get().ip(), 0);
            channel.bind(local).sync();
            assertThat(failure(channel.bind(local))).isInstanceOf(AlreadyBoundException.class);
            assertThat(failure(channel.connect(pair.address(), local))).isInstanceOf(AlreadyBoundException.class);
            channel.connect(pair.address()).sync();
            assertThat(failure(channel.bind(local))).isInstanceOf(AlreadyBoundException.class);
            assertThat(channel.isActive()).isTrue();
        }
    }

    @Test
    void connectWithoutListenerIsRefused() throws Exception {
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            pair.listener().close().sync();
            Recorder recorder = new Recorder();
            ChannelFuture connect = pair.bootstrap(recorder).connect(pair.address());
            assertThat(failure(connect)).isInstanceOf(ConnectException.class)
                    .hasMessageContaining("Connection refused").hasMessageContaining(pair.address().toString());
            assertThat(failure(connect).getMessage().split(Pattern.quote(pair.address().toString()), -1))
                    .as("the address is named once").hasSize(2);
            assertClosed(connect.channel());
            assertThat(recorder.events()).isEmpty();
            assertThat(recorder.failures()).isEmpty();
        }
    }

    @Test
    void addressWithoutRouteIsRefused() throws Exception {
        InetSocketAddress nowhere = new InetSocketAddress(Addresses.documentation(IpFamily.IPV4), 7471);
        assumeThat(Addresses.hasNoRoute(nowhere)).as("this machine has no route to %s", nowhere).isTrue();
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            ChannelFuture connect = pair.bootstrap(new ChannelInboundHandlerAdapter()).connect(nowhere);
            assertThat(failure(connect)).isInstanceOf(NoRouteToHostException.class)
                    .hasMessageContaining(nowhere.toString());
            assertClosed(connect.channel());
        }
    }

    /** The software device is reachable there, with no listener; RoCE devices are not. */
    @Test
    void connectToTheLoopbackFailsLikeASocket() throws Exception {
        InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 4);
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            ChannelFuture connect = pair.bootstrap(new ChannelInboundHandlerAdapter()).connect(loopback);
            assertThat(failure(connect)).isInstanceOfAny(ConnectException.class, NoRouteToHostException.class)
                    .hasMessageContaining(loopback.toString());
            assertClosed(connect.channel());
        }
    }

    @Test
    void bindToUsedOrForeignAddressFails() throws Exception {
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            ServerBootstrap second = new ServerBootstrap().group(pair.group()).channel(RdmaServerChannel.class)
                    .childHandler(new ChannelInboundHandlerAdapter());
            assertThat(failure(second.bind(pair.address()))).isInstanceOf(BindException.class)
                    .hasMessageContaining("EADDRINUSE").hasMessageContaining(pair.address().toString());
            InetSocketAddress foreign = new InetSocketAddress(Addresses.documentation(IpFamily.IPV4), 0);
            assertThat(failure(second.bind(foreign))).isInstanceOf(BindException.class)
                    .hasMessageContaining("EADDRNOTAVAIL").hasMessageContaining(foreign.toString());
            assertThat(failure(pair.bootstrap(new ChannelInboundHandlerAdapter()).connect(pair.address(), foreign)))
                    .isInstanceOf(SocketException.class).hasCauseInstanceOf(BindException.class)
                    .hasMessageContaining("EADDRNOTAVAIL");
        }
    }

    @Test
    void connectToAnUnusedAddressFails() throws Exception {
        InetSocketAddress silent = new InetSocketAddress(Addresses.neighbour(TestDevice.get().ipv4()), 7471);
        SoftHca.faultsWhereItIsTheDevice(1, "silent=1");
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            ChannelFuture connect = pair.bootstrap(new ChannelInboundHandlerAdapter())
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, SHORT_MILLIS).connect(silent);
            assertThat(failure(connect)).isInstanceOf(ConnectException.class).hasMessageContaining(silent.toString());
            assertClosed(connect.channel());
        } finally {
            SoftHca.noFaults();
        }
    }

    /** Without a limit of time: no waiting helps. */
    @Test
    void localDeviceRefusesOtherHostsAtOnce() throws Exception {
        assumeThat(TestDevice.get().device().info().reachesOtherHosts()).as("may reach the address").isFalse();
        InetSocketAddress other = new InetSocketAddress(Addresses.neighbour(TestDevice.get().ipv4()), 7471);
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            ChannelFuture connect = pair.bootstrap(new ChannelInboundHandlerAdapter())
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 0).connect(other);
            assertThat(failure(connect)).isInstanceOf(NoRouteToHostException.class)
                    .hasMessageContaining(other + ": the software device reaches programs on this machine only");
            assertClosed(connect.channel());
        }
    }

    @Test
    void unansweredConnectTimesOut() throws Exception {
        try (ChannelPair pair = silent()) {
            ChannelFuture connect = pair.bootstrap(new ChannelInboundHandlerAdapter())
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, SHORT_MILLIS).connect(pair.address());
            assertThat(failure(connect)).isInstanceOf(ConnectTimeoutException.class)
                    .hasMessageContaining(SHORT_MILLIS + " ms").hasMessageContaining(pair.address().toString());
            assertClosed(connect.channel());
        }
    }

    @Test
    void connectCanBeCancelled() throws Exception {
        try (ChannelPair pair = silent()) {
            ChannelFuture connect = pair.bootstrap(new ChannelInboundHandlerAdapter()).connect(pair.address());
            Channel client = connect.channel();
            assertThat(connect.cancel(false)).isTrue();
            assertClosed(client);
        }
    }

    @Test
    void channelCanBeClosedWhileItConnects() throws Exception {
        try (ChannelPair pair = silent()) {
            ChannelFuture connect = pair.bootstrap(new ChannelInboundHandlerAdapter()).connect(pair.address());
            connect.channel().close().sync();
            assertThat(failure(connect)).isInstanceOf(ClosedChannelException.class);
            assertClosed(connect.channel());
        }
    }

    @Test
    void requestsOfAClosingListenerAreRejectedWithItsReason() throws Exception {
        try (ChannelPair pair = silent()) {
            ChannelFuture connect = pair.bootstrap(new ChannelInboundHandlerAdapter()).connect(pair.address());
            Deadline.standard().until("the request", () -> pair.listener().waitingRequests() == 1);
            pair.listener().close().sync();
            assertThat(failure(connect)).isInstanceOf(ConnectException.class).hasMessageContaining("CLOSING")
                    .hasMessageContaining("the server is being closed");
            assertClosed(connect.channel());
        }
    }

    @Test
    void secondConnectDuringTheFirstFails() throws Exception {
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            Channel client = pair.bootstrap(new ChannelInboundHandlerAdapter()).register().sync().channel();
            ChannelFuture[] attempts = new ChannelFuture[2];
            client.eventLoop().submit(() -> {
                attempts[0] = client.connect(pair.address());
                attempts[1] = client.connect(pair.address());
            }).sync();
            assertThat(failure(attempts[1])).isInstanceOf(ConnectionPendingException.class);
            attempts[0].sync();
            assertThat(failure(client.connect(pair.address()))).isInstanceOf(AlreadyConnectedException.class);
            assertThat(client.isActive()).isTrue();
        }
    }

    @Test
    void connectToInvalidAddressFails() throws Exception {
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            Bootstrap bootstrap = pair.bootstrap(new ChannelInboundHandlerAdapter());
            Channel client = bootstrap.register().sync().channel();
            assertThat(failure(client.connect(InetSocketAddress.createUnresolved("nowhere.invalid", 1))))
                    .isInstanceOf(UnresolvedAddressException.class);
            assertThat(failure(client.writeAndFlush(Unpooled.EMPTY_BUFFER)))
                    .isInstanceOf(NotYetConnectedException.class);
            client.close().sync();
            assertThat(failure(client.connect(pair.address()))).isInstanceOf(ClosedChannelException.class);
            assertThat(failure(pair.listener().connect(pair.address())))
                    .isInstanceOf(UnsupportedOperationException.class);
        }
    }

    @Test
    void aConnectionStaysOnItsLoop() throws Exception {
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            RdmaChannel client = pair.connect(new ChannelInboundHandlerAdapter());
            assertThat(failure(client.deregister())).isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("stays on its event loop").hasMessageContaining("Close it instead");
            assertThat(client.isActive()).isTrue();
        }
    }

    /** A pair whose server accepts no request. */
    private static ChannelPair silent() throws Exception {
        return new ChannelPair(EchoHandler::new, server -> server.option(ChannelOption.AUTO_READ, false));
    }

    private static Throwable failure(ChannelFuture future) throws InterruptedException {
        assertThat(future.await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).as("%s ends", future).isTrue();
        return future.cause();
    }

    private static void assertClosed(Channel channel) throws InterruptedException {
        assertThat(channel.closeFuture().await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
        assertThat(channel.isOpen()).isFalse();
        assertThat(channel.isActive()).isFalse();
    }
}
