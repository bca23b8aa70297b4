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

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** Messages of the connection manager are datagrams, which may overtake each other. */
@Tag("device")
class OvertakenMessageTest {

    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(10_000);
    private static final String CONFIRMATION_IS_LATE = "ready-late=1:500ms";

    private final Recorder server = new Recorder();

    @BeforeEach
    void setFaults() {
        SoftHca.assumeItIsTheDevice();
    }

    @AfterEach
    void endFaults() throws Exception {
        SoftHca.noFaults();
    }

    /** Data that was sent in between is delivered, because the client's write succeeded. */
    @Test
    void disconnectOvertakesEstablished() throws Exception {
        try (ChannelPair pair = new ChannelPair(() -> server)) {
            SoftHca.faults(1, CONFIRMATION_IS_LATE);
            Channel client = pair.connect(new ChannelInboundHandlerAdapter());
            client.writeAndFlush(Unpooled.wrappedBuffer(new byte[] { 1, 2, 3 }));
            client.close().sync();
            assertThat(server.inactive().await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).as("the server's end").isTrue();
            assertThat(server.bytes()).containsExactly(1, 2, 3);
            assertThat(server.events()).containsExactly("active", "inactive");
            assertThat(server.failures()).isEmpty();
        }
    }

    /** Every confirmation is lost, but the peer's frame confirms the connection too. */
    @Test
    void theConfirmationIsLost() throws Exception {
        TestDevice.get().assumeConnectsByHand();
        try (ChannelPair pair = new ChannelPair(() -> server)) {
            SoftHca.faults(1, "ready=1");
            Channel client = pair.connect(new ChannelInboundHandlerAdapter());
            client.writeAndFlush(Unpooled.wrappedBuffer(new byte[] { 1, 2, 3 })).sync();
            Deadline.ofSeconds(30).until("the server's bytes", () -> server.bytes().length == 3);
            assertThat(server.events()).containsExactly("active");
            SoftHca.noFaults();
            client.close().sync();
            assertThat(server.inactive().await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).as("the server's end").isTrue();
            assertThat(server.bytes()).containsExactly(1, 2, 3);
            assertThat(server.failures()).isEmpty();
        }
    }

    /** The peer is already connected, and sees an orderly end and not a reset. */
    @Test
    void aChildIsClosedBeforeItIsActive() throws Exception {
        Recorder client = new Recorder();
        try (ChannelPair pair = new ChannelPair(() -> server)) {
            SoftHca.faults(1, CONFIRMATION_IS_LATE);
            pair.connect(client);
            Channel child = pair.accepted();
            ChannelFuture written = child.writeAndFlush(Unpooled.wrappedBuffer(new byte[] { 1, 2, 3 }));
            child.close().sync();
            written.sync();
            assertThat(client.inactive().await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).as("the client's end").isTrue();
            assertThat(client.bytes()).containsExactly(1, 2, 3);
            assertThat(client.failures()).isEmpty();
            assertThat(server.inactive().await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).as("the server's end").isTrue();
            assertThat(server.events()).containsExactly("active", "inactive");
        }
    }
}
