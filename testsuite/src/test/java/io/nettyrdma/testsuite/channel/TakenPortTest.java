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

import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.net.InetSocketAddress;
import java.net.SocketException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/** On iWARP: another program uses the TCP port that the connection manager has chosen for a client. */
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
}
