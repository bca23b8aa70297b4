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
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.protocol.FrameType;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.Fallbacks;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import static org.assertj.core.api.Assertions.assertThat;

/** What completes a close: on a reliable connection the device's acknowledgement of FIN, on iWARP the peer's frame. */
@Tag("device")
class ConfirmedCloseTest {

    private static final double SECONDS = 30;

    @Test
    void closeWaitsForTheConfirmation() throws Exception {
        try (ChannelPair pair = new ChannelPair(ChannelInboundHandlerAdapter::new);
             RawPeer peer = RawPeer.heard(pair.address())) {
            RdmaChannel closing = pair.accepted();
            closing.close().sync();
            awaitsThePeersWord(closing, peer, () -> QueuePairOf.isGone(closing));
        }
    }

    @Test
    void halfCloseWaitsForTheConfirmation() throws Exception {
        try (ChannelPair pair = new ChannelPair(ChannelInboundHandlerAdapter::new);
             RawPeer peer = RawPeer.heard(pair.address())) {
            RdmaChannel closing = pair.accepted();
            Deadline.ofSeconds(SECONDS).until("the confirmation", closing::isActive);
            awaitsThePeersWord(closing, peer, closing.shutdownOutput()::isSuccess);
            closing.config().setSoLinger(0);
            closing.close().sync();
        }
    }

    /** All messages are delayed. A side that closes too early would lose what the peer has not received yet. */
    @Test
    void dataBeforeCloseIsNotLost() throws Exception {
        SoftHca.assumeItIsTheDevice();
        Recorder server = new Recorder();
        try (ChannelPair pair = new ChannelPair(() -> server)) {
            Channel client = pair.connect(new ChannelInboundHandlerAdapter());
            SoftHca.faults(1, "delay=1:20ms");
            try {
                client.writeAndFlush(Unpooled.wrappedBuffer(new byte[] { 1, 2, 3 }));
                client.close().sync();
                Deadline.ofSeconds(SECONDS).until("the end", () -> server.inactive().getCount() == 0);
            } finally {
                SoftHca.noFaults();
            }
            assertThat(server.failures()).isEmpty();
            assertThat(server.bytes()).containsExactly(1, 2, 3);
        }
    }

    /** HiveMQ's client waits for channelInactive only when the shutdown is over. */
    @Test
    void shutdownIsOverBeforeThePeersAnswerClosesTheChannel() throws Exception {
        SoftHca.assumeItIsTheDevice();
        Queue<String> events = new ConcurrentLinkedQueue<>();
        try (ChannelPair pair = new ChannelPair(ChannelInboundHandlerAdapter::new)) {
            RdmaChannel client = pair.connect(new ChannelInboundHandlerAdapter() {
                @Override
                public void channelInactive(ChannelHandlerContext context) {
                    events.add("channelInactive");
                }
            });
            pair.acceptedAndActive();
            SoftHca.faults(1, "acknowledge=1:20ms");
            try {
                // First, since the peer may have answered before this thread adds a listener.
                ChannelPromise shutdown = client.newPromise();
                shutdown.addListener(over -> events.add("shutdown " + over.isSuccess()));
                client.shutdownOutput(shutdown);
                Deadline.ofSeconds(SECONDS).until("two events", () -> events.size() == 2);
            } finally {
                SoftHca.noFaults();
            }
        }
        assertThat(events).containsExactly("shutdown true", "channelInactive");
    }

    /** As on a device whose completions do not imply receipt. */
    @Test
    void aDeviceThatConfirmsNothing() throws Exception {
        String before = System.setProperty(Fallbacks.CONFIRMED_DELIVERY.property(), "false");
        try (ChannelPair pair = new ChannelPair(ChannelInboundHandlerAdapter::new);
             RawPeer peer = RawPeer.heard(pair.address())) {
            RdmaChannel closing = pair.accepted();
            closing.close().sync();
            peer.next(FrameType.FIN);
            awaitsPong(closing, peer, () -> QueuePairOf.isGone(closing));
        } finally {
            restore(Fallbacks.CONFIRMED_DELIVERY, before);
        }
    }

    /** Both sides are as on a device whose accepting side may not begin, and only the accepting side has data. */
    @Test
    void aDeviceWhoseAcceptingSideMayNotBegin() throws Exception {
        String before = System.setProperty(Fallbacks.ACCEPTING_SIDE_FIRST.property(), "false");
        Recorder client = new Recorder();
        try (ChannelPair pair = new ChannelPair(ChannelInboundHandlerAdapter::new)) {
            pair.connect(client);
            Channel accepted = pair.accepted();
            accepted.writeAndFlush(Unpooled.wrappedBuffer(new byte[] { 1, 2, 3 })).sync();
            accepted.close().sync();
            Deadline.ofSeconds(SECONDS).until("the end", () -> client.inactive().getCount() == 0);
            assertThat(client.bytes()).containsExactly(1, 2, 3);
        } finally {
            restore(Fallbacks.ACCEPTING_SIDE_FIRST, before);
        }
    }

    private static void restore(Fallbacks fallback, String before) {
        if (before == null) {
            System.clearProperty(fallback.property());
        } else {
            System.setProperty(fallback.property(), before);
        }
    }

    private static void awaitsThePeersWord(RdmaChannel channel, RawPeer peer, Deadline.Condition ended)
            throws Exception {
        peer.next(FrameType.FIN);
        if (TestDevice.get().completesWhenTaken()) {
            awaitsPong(channel, peer, ended);
        }
        Deadline.ofSeconds(SECONDS).until("the end", ended);
    }

    private static void awaitsPong(RdmaChannel channel, RawPeer peer, Deadline.Condition ended) throws Exception {
        ByteBuffer ping = peer.next(FrameType.PING);
        ChannelPair.letWork(channel.eventLoop());
        assertThat(ended.holds()).as("ended before the peer has confirmed everything").isFalse();
        peer.send(RawPeer.pong(ping));
        Deadline.ofSeconds(SECONDS).until("the end", ended);
    }
}
