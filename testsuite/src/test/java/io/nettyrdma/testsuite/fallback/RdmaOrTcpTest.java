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
import io.netty.channel.socket.nio.NioSocketChannel;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.fallback.FallbackReason;
import io.nettyrdma.fallback.RdmaOrTcp;
import io.nettyrdma.fallback.RdmaOrTcp.Transport;
import io.nettyrdma.fallback.RdmaOrTcpChannel;
import io.nettyrdma.fallback.RdmaOrTcpOption;
import io.nettyrdma.fallback.RdmaOrTcpServerChannel;
import io.nettyrdma.fallback.TransportPolicy;
import io.nettyrdma.testsuite.channel.Recorder;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** Clients and servers with RDMA, and without, meet at one port. */
@Tag("device")
class RdmaOrTcpTest {

    private static final int SHORT_MILLIS = Deadline.scaledMillis(50);
    private static final int LONG_MILLIS = 20_000;

    private final OnePort port = new OnePort();

    @AfterEach
    void end() {
        port.close();
    }

    @Test
    void clientAndServerUseRdma() throws Exception {
        Channel server = port.listen();
        long before = RdmaOrTcp.connectionsByRdma();
        Recorder recorder = new Recorder();
        Channel client = OnePort.assertIsEchoed(port.client(recorder).connect(server.localAddress()), recorder);
        assertThat(RdmaOrTcp.transport(client)).isEqualTo(Transport.RDMA);
        assertThat(((RdmaOrTcpChannel) client).current()).isInstanceOf(RdmaChannel.class);
        assertThat(client).asString().startsWith("[id: 0x").endsWith("] RDMA OPEN on "
                + TestDevice.get().device().info());
        assertThat(server).asString().endsWith("] RDMA and TCP LISTENING on " + TestDevice.get().device().info());
        assertThat(client.config()).asString().startsWith("options of " + client + ": {").contains("POLICY=");
        assertThat(RdmaOrTcp.connectionsByRdma()).isEqualTo(before + 1);
        Channel child = port.assertEndsWith(client, recorder);
        assertThat(child).isInstanceOf(RdmaChannel.class);
        assertThat(child.parent()).isSameAs(server);
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void closeOfTheParentOfAChildClosesTheServer(Transport by) throws Exception {
        Channel server = port.listen();
        Recorder recorder = new Recorder();
        Channel client = OnePort.assertIsEchoed(port.client(recorder).option(RdmaOrTcpOption.POLICY,
                by == Transport.RDMA ? TransportPolicy.RDMA_REQUIRED : TransportPolicy.TCP_ONLY)
                .connect(server.localAddress()), recorder);
        Channel child = port.assertEndsWith(client, recorder);
        assertThat(RdmaOrTcp.transport(child)).isEqualTo(by);
        assertThat(RdmaOrTcp.server(child.parent())).isSameAs(server);
        assertThat(RdmaOrTcp.server(client.parent())).as("of a client").isNull();
        assertThat(child.parent().close().sync().isSuccess()).isTrue();
        assertThat(server.isOpen()).isFalse();
        assertThat(((RdmaOrTcpServerChannel) server).listensByRdma()).isFalse();
    }

    @Test
    void clientOfRdmaAloneIsServed() throws Exception {
        Channel server = port.listen();
        Recorder recorder = new Recorder();
        Channel client = OnePort.assertIsEchoed(OnePort.client(port.withRdma(), RdmaChannel.class, recorder)
                .connect(OnePort.moved(server.localAddress(), OnePort.PORT_OFFSET)), recorder);
        port.assertEndsWith(client, recorder);
    }

    @Test
    void clientOfTcpAloneIsServed() throws Exception {
        Channel server = port.listen();
        Recorder recorder = new Recorder();
        Channel client = OnePort.assertIsEchoed(OnePort.client(port.withoutRdma(), NioSocketChannel.class, recorder)
                .connect(server.localAddress()), recorder);
        assertThat(RdmaOrTcp.transport(port.assertEndsWith(client, recorder))).isEqualTo(Transport.TCP);
        InetSocketAddress address = (InetSocketAddress) server.localAddress();
        try (Socket plain = new Socket(address.getAddress(), address.getPort())) {
            plain.getOutputStream().write(OnePort.BYTES);
            assertThat(plain.getInputStream().readNBytes(OnePort.BYTES.length)).containsExactly(OnePort.BYTES);
        }
    }

    @Test
    void clientOfAServerOfTcpAloneUsesTcpAtOnce() throws Exception {
        Channel server = port.listenByTcp();
        long before = RdmaOrTcp.connectionsByTcp(FallbackReason.REFUSED);
        Recorder recorder = new Recorder();
        Channel client = OnePort.assertIsEchoed(port.client(recorder).connect(server.localAddress()), recorder);
        assertThat(RdmaOrTcp.transport(client)).isEqualTo(Transport.TCP);
        assertThat(RdmaOrTcp.connectionsByTcp(FallbackReason.REFUSED)).isEqualTo(before + 1);
        port.assertEndsWith(client, recorder);
    }

    /** The address of a device, and a program that does not answer. */
    @Test
    void silentPeerCostsTheHeadStartOnce() throws Exception {
        TestDevice.get().assumeThreeWayHandshake();
        Channel tcp = port.listenByTcp();
        port.addSilentRdma(tcp.localAddress());
        long silent = RdmaOrTcp.connectionsByTcp(FallbackReason.SILENT);
        long remembered = RdmaOrTcp.connectionsByTcp(FallbackReason.REMEMBERED);
        for (int i = 0; i < 3; i++) {
            Recorder recorder = new Recorder();
            Channel client = OnePort.assertIsEchoed(port.client(recorder)
                    .option(RdmaOrTcpOption.HEAD_START_MILLIS, SHORT_MILLIS)
                    .option(RdmaOrTcpOption.SILENT_HOST_MILLIS, LONG_MILLIS).connect(tcp.localAddress()), recorder);
            assertThat(RdmaOrTcp.transport(client)).isEqualTo(Transport.TCP);
            port.assertEndsWith(client, recorder);
        }
        assertThat(RdmaOrTcp.connectionsByTcp(FallbackReason.SILENT)).isEqualTo(silent + 1);
        assertThat(RdmaOrTcp.connectionsByTcp(FallbackReason.REMEMBERED)).isEqualTo(remembered + 2);
    }

    @ParameterizedTest
    @EnumSource
    void clientOfNothingIsRefused(TransportPolicy policy) throws Exception {
        Channel closed = port.listen();
        closed.close().sync();
        ChannelFuture connect = port.client(new Recorder()).option(RdmaOrTcpOption.POLICY, policy)
                .connect(closed.localAddress()).await();
        assertThat(connect.cause()).isInstanceOf(ConnectException.class).hasMessageContaining("refused");
        assertThat(RdmaOrTcp.transport(connect.channel())).isNull();
        assertThat(connect.channel().closeFuture().await(OnePort.PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void clientThatRequiresRdmaDoesNotFallBack() throws Exception {
        Channel server = port.listenByTcp();
        Bootstrap required = port.client(new Recorder()).option(RdmaOrTcpOption.POLICY, TransportPolicy.RDMA_REQUIRED);
        assertThat(required.connect(server.localAddress()).await().cause()).isInstanceOf(ConnectException.class);
        ChannelFuture without = OnePort.client(port.withoutRdma(), RdmaOrTcpChannel.class, new Recorder())
                .option(RdmaOrTcpOption.POLICY, TransportPolicy.RDMA_REQUIRED).connect(server.localAddress()).await();
        assertThat(without.cause()).hasMessageContaining("RDMA is required")
                .hasMessageContaining("the event loop has no RDMA");
        port.assertHasNoChild();
    }

    @Test
    void serverThatRequiresRdmaIsNotReachedByTcp() throws Exception {
        Channel server = port.server(port.withRdma(), RdmaOrTcpServerChannel.class)
                .option(RdmaOrTcpOption.POLICY, TransportPolicy.RDMA_REQUIRED).bind(OnePort.anyPort()).sync().channel();
        assertThat(OnePort.client(port.withoutRdma(), NioSocketChannel.class, new Recorder())
                .connect(server.localAddress()).await().cause()).isInstanceOf(ConnectException.class);
        Recorder recorder = new Recorder();
        Channel client = OnePort.assertIsEchoed(port.client(recorder).connect(server.localAddress()), recorder);
        assertThat(RdmaOrTcp.transport(client)).isEqualTo(Transport.RDMA);
        port.assertEndsWith(client, recorder);
    }

    @Test
    void loopsWithoutRdmaUseTcp() throws Exception {
        Channel server = port.server(port.withoutRdma(), RdmaOrTcpServerChannel.class)
                .bind(OnePort.anyPort()).sync().channel();
        Recorder recorder = new Recorder();
        Channel client = OnePort.assertIsEchoed(OnePort.client(port.withoutRdma(), RdmaOrTcpChannel.class, recorder)
                .connect(server.localAddress()), recorder);
        assertThat(((RdmaOrTcpChannel) client).current()).isInstanceOf(NioSocketChannel.class);
        assertThat(((RdmaOrTcpServerChannel) server).listensByRdma()).isFalse();
        assertThat(client).asString().endsWith("] TCP OPEN");
        assertThat(server).asString().endsWith("] TCP LISTENING");
        assertThat(server.config()).asString().startsWith("options of " + server + ": {");
        port.assertEndsWith(client, recorder);
        assertThat(client).asString().endsWith("] TCP CLOSED");
        assertThat(new RdmaOrTcpChannel()).asString().endsWith("] RDMA or TCP NEW");
    }

    /** The port is another program's for RDMA, so nothing is bound. */
    @Test
    void bindOfAPortThatRdmaDoesNotGetFails() throws Exception {
        try (Socket held = new Socket()) {
            // For TCP no other program gets the port. A listener gets it, as long as this one does not listen.
            held.setReuseAddress(true);
            held.bind(OnePort.anyPort());
            InetSocketAddress wanted = (InetSocketAddress) held.getLocalSocketAddress();
            port.addSilentRdma(wanted);
            ChannelFuture bind = port.server(port.withRdma(), RdmaOrTcpServerChannel.class).bind(wanted).await();
            assertThat(bind.cause()).hasMessageContaining("EADDRINUSE");
            assertThat(OnePort.client(port.withoutRdma(), NioSocketChannel.class, new Recorder())
                    .connect(wanted).await().cause()).isInstanceOf(ConnectException.class);
        }
    }
}
