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

import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.cm.CmQueuePair;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.QueuePairAttributes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Each side chooses how long it waits for a peer that is gone, and the traffic class of its packets. */
@Tag("device")
class SidesOptionsTest {

    private static final int OWN_TIMEOUT = 15;
    private static final int OWN_RETRIES = 2;
    private static final int OWN_SERVICE = 0x68;
    /** Longer than any sensible choice. Linux takes it for both sides. */
    private static final int PEERS_TIMEOUT = 23;
    private static final int PEERS_RETRIES = 5;
    private static final int PEERS_SERVICE = 0x20;

    @BeforeEach
    void aQueuePairIsConnectedByHand() {
        TestDevice.get().assumeConnectsByHand();
    }

    @Test
    void bothSidesHaveTheirOwnOptions() throws Exception {
        try (ChannelPair pair = new ChannelPair(EchoHandler::new, bootstrap -> bootstrap
                .childOption(RdmaChannelOption.ACK_TIMEOUT_EXPONENT, OWN_TIMEOUT)
                .childOption(RdmaChannelOption.RETRY_COUNT, OWN_RETRIES)
                .childOption(ChannelOption.IP_TOS, OWN_SERVICE))) {
            RdmaChannel client = connect(pair);
            QueuePairAttributes server = attributes(pair.accepted());
            assertThat(server.timeout()).isEqualTo(OWN_TIMEOUT);
            assertThat(server.retryCount()).isEqualTo(OWN_RETRIES);
            assertThat(server.addressVector().trafficClass()).isEqualTo(OWN_SERVICE);
            assertPeers(attributes(client));
        }
    }

    /** A child without a traffic class of its own takes that of the request. Its timeouts are its own anyway. */
    @Test
    void aChildWithoutOptionsHasTheDefaults() throws Exception {
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            RdmaChannel client = connect(pair);
            QueuePairAttributes server = attributes(pair.accepted());
            assertThat(server.timeout()).isBetween(1, CmQueuePair.LONGEST_REQUESTED_ACK_TIMEOUT_EXPONENT);
            assertThat(server.retryCount()).isEqualTo(7);
            assertThat(server.addressVector().trafficClass()).isEqualTo(PEERS_SERVICE);
            assertPeers(attributes(client));
        }
    }

    private static RdmaChannel connect(ChannelPair pair) throws Exception {
        return pair.connect(new ChannelInboundHandlerAdapter(), bootstrap -> bootstrap
                .option(RdmaChannelOption.ACK_TIMEOUT_EXPONENT, PEERS_TIMEOUT)
                .option(RdmaChannelOption.RETRY_COUNT, PEERS_RETRIES)
                .option(ChannelOption.IP_TOS, PEERS_SERVICE));
    }

    private static void assertPeers(QueuePairAttributes client) {
        assertThat(client.timeout()).isEqualTo(PEERS_TIMEOUT);
        assertThat(client.retryCount()).isEqualTo(PEERS_RETRIES);
        assertThat(client.addressVector().trafficClass()).isEqualTo(PEERS_SERVICE);
    }

    private static QueuePairAttributes attributes(RdmaChannel channel) throws Exception {
        return channel.eventLoop().submit(() -> QueuePairOf.channel(channel).query()).sync().getNow();
    }
}
