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
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.protocol.FrameType;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** A peer that does not take what is sent to it can neither keep a channel from closing nor hold its memory. */
@Tag("device")
class StuckCloseTest {

    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(10_000);
    /** Short, and no default value. */
    private static final int SHORT_MILLIS = 100;
    private static final int NEVER = 0;
    /** Netty looks every 100 ms whether the quiet period is over. */
    private static final int QUIET_MILLIS = 100;
    /** The least that the protocol allows: one DATA frame and the reserve. */
    private static final int LEAST_GRANT = 5;
    private static final byte[] PAYLOAD = new byte[8];
    private static final byte[] RESET = { 0, 0, 0, 1 };

    private final LeakWatch leaks = new LeakWatch();
    private final Recorder server = new Recorder();
    private ChannelPair pair;
    private RawPeer peer;

    @AfterEach
    void stop() throws Exception {
        if (peer != null) {
            peer.close();
        }
        if (pair != null) {
            pair.close();
        }
        leaks.close();
    }

    private enum Peer {
        /** Grants receives and posts none, while our device is configured to retry without limit. */
        POSTS_NOTHING {
            @Override
            RawPeer connect(ChannelPair pair) throws Exception {
                assumeTrue(TestDevice.get().waitsForReceives(), "a message without a receive ends the connection");
                return RawPeer.connected(pair.address(), RawPeer.RECEIVES, 0);
            }
        },
        /** Makes us use up the reserve, and grants no more receives. */
        GRANTS_NO_MORE {
            @Override
            RawPeer connect(ChannelPair pair) throws Exception {
                RawPeer peer = RawPeer.connected(pair.address(), LEAST_GRANT, RawPeer.RECEIVES);
                for (int i = 0; i < LEAST_GRANT; i++) {
                    peer.sendAndArrive(RawPeer.frame(FrameType.PING.number(), 0, PAYLOAD.length, LEAST_GRANT, PAYLOAD));
                    peer.next(FrameType.PONG);
                }
                return peer;
            }
        },
        /** Never confirms, so to the server it is never connected. On iWARP it is connected, and has to send first. */
        NEVER_CONFIRMS {
            @Override
            RawPeer connect(ChannelPair pair) throws Exception {
                RawPeer peer = RawPeer.of(pair.address());
                peer.ask(RawPeer.data().encode());
                return peer;
            }
        };

        abstract RawPeer connect(ChannelPair pair) throws Exception;
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NEVER_CONFIRMS")
    void drainOfAClosedChannelHasATimeLimit(Peer kind) throws Exception {
        RdmaChannel child = child(kind);
        child.config().setOption(RdmaChannelOption.CLOSE_TIMEOUT_MILLIS, SHORT_MILLIS);
        ChannelFuture written = child.writeAndFlush(Unpooled.directBuffer(1 << 20).writeZero(1 << 20));
        assertEnds(child, child.close());
        awaitNoQueuePair(child);
        assertThat(written.await().cause()).isInstanceOf(ClosedChannelException.class);
        assertThat(child.loopCounters().get(RdmaCounter.CLOSES_TIMED_OUT)).isEqualTo(1);
    }

    /** As TCP's close with SO_LINGER: the caller waits, and the kernel continues when it has waited in vain. */
    @Test
    void closeLingersForSoLingerSeconds() throws Exception {
        RdmaChannel child = child(Peer.GRANTS_NO_MORE);
        child.config().setOption(ChannelOption.SO_LINGER, 1);
        ChannelFuture close = child.close();
        ChannelPair.letWork(child.eventLoop());
        assertThat(close.isDone()).as("the close waits").isFalse();
        assertLooksClosed(child);
        assertEnds(child, close);
        assertThat(QueuePairOf.isGone(child)).as("sends no more").isFalse();
        peer.sendAndArrive(RawPeer.frame(FrameType.CREDIT));
        peer.confirmEnd();
        awaitNoQueuePair(child);
        assertThat(child.loopCounters().get(RdmaCounter.CLOSES_TIMED_OUT)).isZero();
    }

    @Test
    void aCloseLingersUntilThePeerHasEverything() throws Exception {
        RdmaChannel child = child(Peer.GRANTS_NO_MORE);
        child.config().setOption(ChannelOption.SO_LINGER, Integer.MAX_VALUE);
        ChannelFuture close = child.close();
        ChannelPair.letWork(child.eventLoop());
        assertThat(close.isDone()).as("the close waits").isFalse();
        peer.sendAndArrive(RawPeer.frame(FrameType.CREDIT));
        peer.confirmEnd();
        assertEnds(child, close);
    }

    @ParameterizedTest
    @EnumSource
    void closeForciblyReleasesEverything(Peer kind) throws Exception {
        RdmaChannel child = child(kind);
        child.eventLoop().submit(() -> child.unsafe().closeForcibly()).sync();
        assertThat(child.isOpen()).as("open").isFalse();
        awaitNoQueuePair(child);
        child.close().sync();
    }

    /** The program does not know it, so only its loop and its server's handlers can close it. */
    @Test
    void closeOfAnUnconfirmedChildReleasesEverything() throws Exception {
        TestDevice.get().assumeThreeWayHandshake();
        RdmaChannel child = child(Peer.NEVER_CONFIRMS);
        child.close().sync();
        assertLooksClosed(child);
        awaitNoQueuePair(child);
        assertThat(pair.listener().acceptingChildren()).isZero();
        assertThat(server.events()).isEmpty();
    }

    /** A shutdown of the output has no time limit, but what its channel sends after a close has one. */
    @Test
    void theEndOfTheOutputEndsAfterTheClose() throws Exception {
        RdmaChannel child = child(Peer.GRANTS_NO_MORE);
        child.config().setOption(RdmaChannelOption.CLOSE_TIMEOUT_MILLIS, SHORT_MILLIS);
        ChannelFuture end = child.shutdownOutput();
        ChannelPair.letWork(child.eventLoop());
        assertThat(end.isDone()).isFalse();
        assertEnds(child, child.close(), "active", "ChannelOutputShutdownEvent", "inactive");
        awaitNoQueuePair(child);
        assertThat(end.await().cause()).isInstanceOf(IOException.class);
    }

    @Test
    void theEndOfTheOutputSucceedsAfterTheClose() throws Exception {
        RdmaChannel child = child(Peer.GRANTS_NO_MORE);
        ChannelFuture end = child.shutdownOutput();
        assertEnds(child, child.close(), "active", "ChannelOutputShutdownEvent", "inactive");
        assertThat(end.isDone()).isFalse();
        peer.sendAndArrive(RawPeer.frame(FrameType.CREDIT));
        peer.confirmEnd();
        assertThat(end.await(PATIENCE_MILLIS)).isTrue();
        assertThat(end.isSuccess()).isTrue();
    }

    /** PINGs continue after the close. */
    @Test
    void aPeerIsFoundDeadAfterAClose() throws Exception {
        RdmaChannel child = child(Peer.POSTS_NOTHING, SHORT_MILLIS);
        Deadline.standard().until("the connection", child::isActive);
        assertEnds(child, child.close());
        awaitNoQueuePair(child);
        assertThat(child.loopCounters().get(RdmaCounter.CLOSES_TIMED_OUT)).isZero();
    }

    /** The channel itself stays open, because bytes are unread. */
    @Test
    void theEndOfTheOutputDoesNotWaitForAPeerThatAborts() throws Exception {
        RdmaChannel child = child(Peer.POSTS_NOTHING, NEVER, false);
        peer.sendAndArrive(RawPeer.frame(FrameType.DATA, PAYLOAD));
        Deadline.standard().until("the connection", child::isActive);
        ChannelFuture end = child.shutdownOutput();
        ChannelPair.letWork(child.eventLoop());
        assertThat(end.isDone()).isFalse();
        peer.sendAndArrive(RawPeer.frame(FrameType.ABORT, RESET));
        assertThat(end.await(PATIENCE_MILLIS)).as("it ends").isTrue();
        assertThat(end.isSuccess()).isTrue();
        assertThat(child.isOpen()).isTrue();
        child.close().sync();
    }

    @Test
    void lingeringCloseCannotBeCancelled() throws Exception {
        RdmaChannel child = child(Peer.GRANTS_NO_MORE);
        child.config().setOption(ChannelOption.SO_LINGER, 1);
        ChannelPromise promise = child.newPromise();
        child.close(promise);
        ChannelPair.letWork(child.eventLoop());
        assertThat(promise.cancel(false)).isFalse();
        ChannelFuture second = child.close();
        assertEnds(child, promise);
        assertThat(second.await(PATIENCE_MILLIS)).isTrue();
        assertThat(second.isSuccess()).isTrue();
    }

    /** With a quiet period a group has time, and its end waits for what closed channels send. */
    @Test
    void endOfAGroupWaitsForDrainingChannels() throws Exception {
        RdmaChannel child = child(Peer.GRANTS_NO_MORE);
        ChannelFuture written = child.writeAndFlush(Unpooled.copyLong(1));
        assertEnds(child, child.close());
        Future<?> end = endGroup(1, PATIENCE_MILLIS);
        // Longer than a group without outstanding work takes.
        assertThat(end.await(2 * QUIET_MILLIS)).as("ended").isFalse();
        peer.sendAndArrive(RawPeer.frame(FrameType.CREDIT));
        peer.next(FrameType.DATA);
        peer.confirmEnd();
        assertThat(written.await(PATIENCE_MILLIS)).isTrue();
        assertThat(written.isSuccess()).isTrue();
        assertThat(end.await(PATIENCE_MILLIS)).as("ended").isTrue();
    }

    @Test
    void theEndOfAGroupWaitsNoLongerThanTheTimeLimit() throws Exception {
        RdmaChannel child = child(Peer.GRANTS_NO_MORE);
        child.config().setOption(RdmaChannelOption.CLOSE_TIMEOUT_MILLIS, SHORT_MILLIS);
        ChannelFuture written = child.writeAndFlush(Unpooled.copyLong(1));
        assertEnds(child, child.close());
        Future<?> end = endGroup(1, Integer.MAX_VALUE);
        assertThat(end.await(PATIENCE_MILLIS)).as("ended").isTrue();
        assertThat(written.cause()).isInstanceOf(ClosedChannelException.class);
        assertThat(child.loopCounters().get(RdmaCounter.CLOSES_TIMED_OUT)).isEqualTo(1);
    }

    @Test
    void endOfAGroupWithoutTimeFailsUnsentMessages() throws Exception {
        RdmaChannel child = child(Peer.GRANTS_NO_MORE);
        ChannelFuture written = child.writeAndFlush(Unpooled.copyLong(1));
        assertEnds(child, child.close());
        Future<?> end = endGroup(0, 0);
        assertThat(end.await(PATIENCE_MILLIS)).as("ended").isTrue();
        assertThat(written.cause()).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void theEndOfTheOutputCannotBeCancelled() throws Exception {
        RdmaChannel child = child(Peer.GRANTS_NO_MORE);
        ChannelPromise promise = child.newPromise();
        child.shutdownOutput(promise);
        ChannelPair.letWork(child.eventLoop());
        assertThat(promise.cancel(false)).isFalse();
        peer.sendAndArrive(RawPeer.frame(FrameType.CREDIT));
        peer.confirmEnd();
        assertThat(promise.await(PATIENCE_MILLIS)).isTrue();
        assertThat(promise.isSuccess()).isTrue();
        child.close().sync();
    }

    private Future<?> endGroup(int quietMillis, int timeoutMillis) {
        Future<?> end = pair.group().shutdownGracefully(quietMillis, timeoutMillis, TimeUnit.MILLISECONDS);
        pair = null;
        return end;
    }

    /** The server's end. */
    private RdmaChannel child(Peer kind) throws Exception {
        return child(kind, NEVER);
    }

    private RdmaChannel child(Peer kind, int keepaliveMillis) throws Exception {
        return child(kind, keepaliveMillis, true);
    }

    private RdmaChannel child(Peer kind, int keepaliveMillis, boolean reads) throws Exception {
        pair = new ChannelPair(() -> server, bootstrap ->
                bootstrap.childOption(RdmaChannelOption.KEEPALIVE_MILLIS, keepaliveMillis)
                        .childOption(ChannelOption.AUTO_READ, reads));
        peer = kind.connect(pair);
        return kind == Peer.NEVER_CONFIRMS ? pair.requested().get(0) : pair.accepted();
    }

    private void assertEnds(RdmaChannel child, ChannelFuture close) throws Exception {
        assertEnds(child, close, "active", "inactive");
    }

    private void assertEnds(RdmaChannel child, ChannelFuture close, String... events) throws Exception {
        assertThat(close.await(PATIENCE_MILLIS)).as("the close ends").isTrue();
        assertThat(close.isSuccess()).isTrue();
        assertThat(child.closeFuture().isDone()).isTrue();
        assertLooksClosed(child);
        assertThat(server.inactive().await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
        assertThat(server.events()).containsExactly(events);
        assertThat(server.failures()).isEmpty();
    }

    private static void assertLooksClosed(RdmaChannel child) {
        assertThat(child.isOpen()).as("open").isFalse();
        assertThat(child.isActive()).as("active").isFalse();
        assertThat(child.isWritable()).as("writable").isFalse();
    }

    private static void awaitNoQueuePair(Channel child) throws Exception {
        Deadline.standard().until("the end of its queue pair", () -> QueuePairOf.isGone(child));
    }
}
