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
import io.netty.channel.ChannelOption;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.Rounds;
import io.nettyrdma.testsuite.support.Seeds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import static org.assertj.core.api.Assertions.assertThat;

/** Ending a connection loses nothing that was written and reports how it ended. */
@Tag("device")
class CloseTest {

    private static final int ROUNDS = Rounds.scaled(1_000);
    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(10_000);

    private final Random random = Seeds.newRandom();

    @Test
    void dataWrittenBeforeCloseArrives() throws Exception {
        BlockingQueue<Recorder> recorders = new LinkedBlockingQueue<>();
        try (ChannelPair pair = new ChannelPair(() -> {
            Recorder recorder = new Recorder();
            recorders.add(recorder);
            return recorder;
        })) {
            for (int i = 0; i < ROUNDS; i++) {
                byte[] sent = new byte[1 + random.nextInt(i % 10 == 0 ? 200_000 : 2_000)];
                random.nextBytes(sent);
                Channel client = pair.connect(new ChannelInboundHandlerAdapter());
                client.writeAndFlush(Unpooled.wrappedBuffer(sent)).sync();
                client.close();
                Recorder recorder = recorders.poll(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
                assertThat(recorder.inactive().await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS))
                        .as("round %d ends: %s, %s", i, recorder.events(), recorder.failures()).isTrue();
                assertThat(recorder.count()).as("bytes of round %d", i).isEqualTo(sent.length);
                assertThat(Arrays.equals(recorder.bytes(), sent)).as("content of round %d", i).isTrue();
                assertThat(recorder.failures()).isEmpty();
            }
        }
    }

    @Test
    void anAbortIsSeenAsAReset() throws Exception {
        Recorder server = new Recorder();
        try (ChannelPair pair = new ChannelPair(() -> server)) {
            RdmaChannel client = pair.connect(new ChannelInboundHandlerAdapter());
            Channel accepted = pair.accepted();
            client.config().setOption(ChannelOption.SO_LINGER, 0);
            client.close().sync();
            assertThat(accepted.closeFuture().await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
        }
        assertThat(server.failures()).singleElement().isInstanceOf(IOException.class)
                .extracting(Throwable::getMessage).asString().contains("reset");
    }

    /** A shutdown of the output is pending when the connection is aborted. */
    @Test
    void abortFailsUnacknowledgedWrites() throws Exception {
        try (ChannelPair pair = new ChannelPair(Recorder::new)) {
            RdmaChannel client = pair.connect(new ChannelInboundHandlerAdapter());
            client.config().setOption(ChannelOption.SO_LINGER, 0);
            AtomicReference<ChannelFuture> end = new AtomicReference<>();
            client.eventLoop().submit(() -> {
                end.set(client.shutdownOutput());
                client.close();
            }).sync();
            assertThat(client.closeFuture().await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
            assertThat(end.get().await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).as("the promise ends").isTrue();
            assertThat(end.get().cause()).isInstanceOf(IOException.class);
        }
    }

    @Test
    void closeForciblyReleasesEverythingAtOnce() throws Exception {
        Recorder server = new Recorder();
        ChannelPair pair = new ChannelPair(() -> server);
        try (pair) {
            RdmaChannel client = pair.connect(new ChannelInboundHandlerAdapter());
            Channel accepted = pair.accepted();
            client.eventLoop().submit(() -> client.unsafe().closeForcibly()).sync();
            assertThat(client.isOpen()).isFalse();
            assertThat(accepted.closeFuture().await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
            Deadline.standard().until("the end of its queue pair", () -> QueuePairOf.isGone(client));
        }
        assertThat(server.failures()).singleElement().isInstanceOf(IOException.class);
    }

    @Test
    void childrenOutliveTheirListener() throws Exception {
        SameBytes echoed = new SameBytes(new byte[] { 1, 2, 3 });
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            Channel client = pair.connect(echoed);
            pair.listener().close().sync();
            client.writeAndFlush(Unpooled.wrappedBuffer(new byte[] { 1, 2, 3 })).sync();
            Deadline.standard().until("the echo", () -> echoed.count() == 3);
            assertThat(client.isActive()).isTrue();
        }
    }

    /** The connection is half closed, with no peer left at the other end. */
    @Test
    void writeAfterPeerClosedFails() throws Exception {
        Recorder server = new Recorder();
        try (ChannelPair pair = new ChannelPair(() -> server,
                bootstrap -> bootstrap.childOption(ChannelOption.ALLOW_HALF_CLOSURE, true))) {
            pair.connect(new ChannelInboundHandlerAdapter()).close().sync();
            RdmaChannel accepted = pair.accepted();
            Deadline.standard().until("the end", () ->
                    server.events().contains("ChannelInputShutdownReadComplete"));
            AtomicReference<Throwable> cause = new AtomicReference<>();
            // The end of the peer's stream precedes the end of the connection, so some writes may still succeed.
            Deadline.standard().until("a write that fails", () -> {
                cause.set(accepted.writeAndFlush(Unpooled.wrappedBuffer(new byte[] { 1 })).await().cause());
                return cause.get() != null;
            });
            assertThat(accepted.closeFuture().await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
            assertThat(cause.get()).isInstanceOf(IOException.class);
        }
    }

    @Test
    void directionsEndIndependently() throws Exception {
        Recorder server = new Recorder();
        Recorder client = new Recorder();
        try (ChannelPair pair = new ChannelPair(() -> server,
                bootstrap -> bootstrap.childOption(ChannelOption.ALLOW_HALF_CLOSURE, true))) {
            RdmaChannel connected = (RdmaChannel) pair.bootstrap(client)
                    .option(ChannelOption.ALLOW_HALF_CLOSURE, true).connect(pair.address()).sync().channel();
            RdmaChannel accepted = pair.accepted();
            connected.writeAndFlush(Unpooled.wrappedBuffer(new byte[] { 1 })).sync();
            connected.shutdownOutput().sync();
            Deadline.standard().until("the end", () ->
                    server.events().contains("ChannelInputShutdownReadComplete"));
            assertThat(server.bytes()).containsExactly(1);
            assertThat(accepted.isInputShutdown()).isTrue();
            assertThat(accepted.isOutputShutdown()).isFalse();
            assertThat(connected.isOutputShutdown()).isTrue();
            accepted.writeAndFlush(Unpooled.wrappedBuffer(new byte[] { 2, 3 })).sync();
            accepted.shutdownOutput().sync();
            Deadline.standard().until("the other end", () ->
                    client.events().contains("ChannelInputShutdownReadComplete"));
            assertThat(client.bytes()).containsExactly(2, 3);
            connected.close().sync();
            accepted.close().sync();
        }
        assertThat(server.failures()).isEmpty();
        assertThat(client.failures()).isEmpty();
    }

    /** Netty does nothing to end the channels of such a loop. */
    @Test
    void channelsGetInactiveWhenATaskShutsDownTheirLoop() throws Exception {
        Recorder server = new Recorder();
        Recorder client = new Recorder();
        // Never closed explicitly, only by its loops.
        ChannelPair pair = new ChannelPair(() -> server);
        pair.connect(client);
        Deadline.standard().until("the server knows too", () -> server.events().contains("active"));
        pair.group().forEach(loop -> loop.execute(() -> loop.shutdownGracefully(0, 0, TimeUnit.SECONDS)));
        assertThat(pair.group().terminationFuture().await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
        assertThat(server.events()).endsWith("inactive");
        assertThat(client.events()).startsWith("active").endsWith("inactive");
    }
}
