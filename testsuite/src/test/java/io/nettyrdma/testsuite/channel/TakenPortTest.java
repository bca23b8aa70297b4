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

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.SocketException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/** On iWARP: another program uses the TCP port that the connection manager has chosen. */
@Tag("device")
class TakenPortTest {

    private final LeakWatch leaks = new LeakWatch();

    @BeforeEach
    void faults() {
        SoftHca.assumeItIsTheDevice();
        assumeFalse(TestDevice.get().connectsByHand(), "only iWARP has the ports of TCP");
    }

    @AfterEach
    void noFaults() throws Exception {
        SoftHca.noFaults();
        leaks.close();
    }

    /** With the same queue pair: the device would flush its requests, whose ids a new one would use as well. */
    @Test
    void connectTriesAnotherPort() throws Exception {
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            SoftHca.faults(1, "port@1,linger=1");
            new SteadyConnection(pair).close();
        }
    }

    /** Fails as with TCP when all ports are in use. */
    @Test
    void connectFailsWhenAllPortsAreUsed() throws Exception {
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            SoftHca.faults(1, "port=1");
            assertThat(pair.bootstrap(new ChannelInboundHandlerAdapter()).connect(pair.address()).await().cause())
                    .isInstanceOf(SocketException.class).hasMessageContaining("EADDRINUSE");
        }
    }

    /** A program that chose a port gets no other. */
    @Test
    void usedLocalPortOfTheProgramIsReported() throws Exception {
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            Channel bound = pair.bootstrap(new ChannelInboundHandlerAdapter()).register().sync().channel();
            bound.bind(new InetSocketAddress(TestDevice.get().ip(), 0)).sync();
            SoftHca.faults(1, "port@1");
            assertThat(bound.connect(pair.address()).await().cause()).isInstanceOf(SocketException.class)
                    .hasMessageContaining("EADDRINUSE");
        }
    }

    @Test
    void listenTriesAnotherPort() throws Exception {
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            SoftHca.faults(1, "port@1");
            ChannelFuture bind = bindHere(pair, 0);
            SoftHca.noFaults();
            assertThat(bind.cause()).isNull();
            assertThat(pair.bootstrap(new ChannelInboundHandlerAdapter()).connect(bind.channel().localAddress())
                    .await().cause()).isNull();
        }
    }

    /** The port of the first family is free, that of the second is not. */
    @Test
    void listenAtAllAddressesTriesAnotherPort() throws Exception {
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            SoftHca.faults(1, "port@2");
            assertThat(bind(pair, new InetSocketAddress("::", 0)).cause()).isNull();
        }
    }

    @Test
    void listenFailsWhenAllPortsAreUsed() throws Exception {
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            SoftHca.faults(1, "port=1");
            assertThat(bindHere(pair, 0).cause()).isInstanceOf(BindException.class)
                    .hasMessageContaining("EADDRINUSE").hasMessageContaining("a program on TCP");
        }
    }

    @Test
    void listenAtAPortOfTheProgramTriesNoOther() throws Exception {
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            int port = pair.address().getPort();
            pair.listener().close().sync();
            SoftHca.faults(1, "port@1");
            assertThat(bindHere(pair, port).cause()).isInstanceOf(BindException.class)
                    .hasMessageContaining(":" + port);
            assertThat(bindHere(pair, port).cause()).isNull();
        }
    }

    private static ChannelFuture bindHere(ChannelPair pair, int port) throws InterruptedException {
        return bind(pair, new InetSocketAddress(TestDevice.get().ip(), port));
    }

    private static ChannelFuture bind(ChannelPair pair, InetSocketAddress address) throws InterruptedException {
        return new ServerBootstrap().group(pair.group()).channel(RdmaServerChannel.class)
                .childHandler(new EchoHandler()).bind(address).await();
    }
}
