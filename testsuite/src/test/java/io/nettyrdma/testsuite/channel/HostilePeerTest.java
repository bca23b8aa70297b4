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

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.Deviation;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.ProcessResources;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Limits what a malicious peer can keep a server from doing and make it hold: nothing longer than the bounds of
 * docs/hostile-peers.md, which are short here. Honest clients on the same loops are served all the time.
 */
@Tag("device")
@Tag("native-speed")
class HostilePeerTest {

    private static final double PATIENCE_SECONDS = 20;
    private static final int CONNECTIONS = 12;
    private static final int FLOOD = Deviation.SIW_HAS_FEW_QUEUES.isHere() ? 15 : 40;
    private static final int HONEST = 2;
    private static final int ROUNDS = 50;
    private static final int MAX_ACCEPTING = 8;
    private static final int BACKLOG = 16;
    private static final int BOUND_MILLIS = Deadline.scaledMillis(200);
    /** 4.096 us times 2^14 is 67 ms, and there are seven retries. */
    private static final int ACK_TIMEOUT = 14;
    /** A pool keeps one unused slab, and one may be half used; there are two loops. */
    private static final int KEPT_SLABS = 2 * 2 * (256 << 10);
    /** Allows for files that the JVM opens for itself. */
    private static final int SOME_DESCRIPTORS = CONNECTIONS / 2;

    private static HostilePeer hostile;

    private final LeakWatch leaks = new LeakWatch();
    private final RdmaByteBufAllocator allocator = RdmaByteBufAllocator.builder().build();
    private final Queue<SocketChannel> children = new ConcurrentLinkedQueue<>();
    private final List<PingPong> honest = new ArrayList<>();
    private ChannelPair pair;
    private long memory;
    private int descriptors;

    /** What the server does with the connections of the hostile peer, in turn. */
    private enum Service {
        /** Echoes, and closes when the peer sends FIN. */
        ECHO,
        /** Shuts down its output at once, behind more than the peer accepts. The other direction may stay open. */
        HALF_CLOSE,
        /** Writes more than the peer accepts, and closes at once. */
        CLOSE;

        private static final int BYTES = 256 << 10;

        ChannelHandler handler() {
            return this == ECHO ? new EchoHandler() : new ChannelInboundHandlerAdapter() {
                @Override
                public void channelActive(ChannelHandlerContext context) {
                    SocketChannel channel = (SocketChannel) context.channel();
                    channel.config().setAllowHalfClosure(Service.this == HALF_CLOSE);
                    channel.writeAndFlush(Unpooled.buffer(BYTES).writerIndex(BYTES));
                    if (Service.this == HALF_CLOSE) {
                        channel.shutdownOutput();
                    } else {
                        channel.close();
                    }
                }
            };
        }
    }

    @AfterAll
    static void stopHostilePeer() {
        hostile.close();
    }

    @BeforeEach
    void start() throws Exception {
        if (hostile == null || !hostile.isAlive()) {
            hostile = new HostilePeer(TestDevice.get().ip());
        }
        startServer();
    }

    private void startServer() throws Exception {
        pair = new ChannelPair(() -> new ChannelInitializer<SocketChannel>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                int number = children.size();
                Service service = number < HONEST ? Service.ECHO : Service.values()[number % Service.values().length];
                children.add(channel);
                // Failures are expected.
                channel.pipeline().addLast(service.handler(), new Recorder());
            }
        }, server -> server.option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(RdmaChannelOption.MAX_ACCEPTING, MAX_ACCEPTING)
                .childOption(ChannelOption.ALLOCATOR, allocator)
                .childOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, BOUND_MILLIS)
                .childOption(RdmaChannelOption.KEEPALIVE_MILLIS, BOUND_MILLIS)
                .childOption(RdmaChannelOption.CLOSE_TIMEOUT_MILLIS, BOUND_MILLIS)
                .childOption(RdmaChannelOption.ACK_TIMEOUT_EXPONENT, ACK_TIMEOUT));
        for (int i = 0; i < HONEST; i++) {
            PingPong each = new PingPong();
            honest.add(each);
            pair.connect(each);
        }
        assertHonestGoOn();
        memory = allocator.metric().inUseBytes();
        descriptors = ProcessResources.openDescriptors();
    }

    @AfterEach
    void stopServer() throws Exception {
        pair.close();
        leaks.close();
    }

    @ParameterizedTest
    @EnumSource
    void resourcesAreReleasedWithinTheirTimeLimit(HostilePeer.Behaviour behaviour) throws Exception {
        if (behaviour == HostilePeer.Behaviour.NEVER_CONFIRMS) {
            TestDevice.get().assumeThreeWayHandshake();
        }
        hostile.attack(behaviour, pair.address().getPort(),
                behaviour == HostilePeer.Behaviour.FLOODS ? FLOOD : CONNECTIONS);
        assertHonestGoOn();
        // The peer is still there and keeps all that it has.
        awaitAllIsFree();
        assertHonestGoOn();
        assertNewcomerIsServed();
        assertThat(pair.mostAccepting()).as("children on their way in at a time").isBetween(1, MAX_ACCEPTING);
        hostile.leave();
    }

    /** Only its silence shows that a process is stopped. */
    @Test
    void stoppedPeerReleasesItsResources() throws Exception {
        hostile.attack(HostilePeer.Behaviour.READS_NOTHING, pair.address().getPort(), CONNECTIONS);
        hostile.signal("STOP");
        try {
            assertHonestGoOn();
            awaitAllIsFree();
            assertHonestGoOn();
        } finally {
            hostile.signal("CONT");
        }
        hostile.leave();
    }

    @Test
    void killedPeerReleasesItsResources() throws Exception {
        hostile.attack(HostilePeer.Behaviour.POSTS_NOTHING, pair.address().getPort(), CONNECTIONS);
        hostile.kill();
        assertHonestGoOn();
        awaitAllIsFree();
        assertHonestGoOn();
    }

    private void assertHonestGoOn() throws Exception {
        for (PingPong each : honest) {
            long before = each.rounds();
            Deadline.ofSeconds(PATIENCE_SECONDS).until("round trips of an honest client", () ->
                    each.rounds() > before + ROUNDS);
        }
    }

    private void assertNewcomerIsServed() throws Exception {
        // Otherwise the next child would be its child, and not an echo.
        while (children.size() % Service.values().length != Service.ECHO.ordinal()) {
            int before = children.size();
            pair.connect(new ChannelInboundHandlerAdapter()).close().sync();
            Deadline.standard().until("its child", () -> children.size() > before);
        }
        PingPong newcomer = new PingPong();
        Channel channel = pair.connect(newcomer);
        Deadline.ofSeconds(PATIENCE_SECONDS).until("a newcomer", () -> newcomer.rounds() > ROUNDS);
        channel.close().sync();
    }

    /** Except for the honest clients. A slot is returned only when its queue pair is gone. */
    private void awaitAllIsFree() throws Exception {
        Deadline deadline = Deadline.ofSeconds(PATIENCE_SECONDS);
        try {
            deadline.until("the end of the handshakes", () -> pair.listener().acceptingChildren() == 0
                    && pair.listener().waitingRequests() == 0);
            deadline.until("the end of the children", () ->
                    children.stream().filter(Channel::isRegistered).count() == HONEST);
            deadline.until("their memory", () -> allocator.metric().inUseBytes() <= memory + KEPT_SLABS);
            deadline.until("their descriptors", () ->
                    ProcessResources.openDescriptors() <= descriptors + SOME_DESCRIPTORS);
        } catch (AssertionError e) {
            throw new AssertionError("kept: " + children.stream().filter(Channel::isRegistered).toList() + ", "
                    + allocator.metric().inUseBytes() + " bytes, " + memory + " before, accepting "
                    + pair.listener().acceptingChildren() + ", waiting " + pair.listener().waitingRequests(), e);
        }
    }

    /** Sends a message when the previous one has been echoed. */
    private static final class PingPong extends ChannelInboundHandlerAdapter {

        private static final int WORD = 64;

        private int missing;
        private volatile long rounds;

        long rounds() {
            return rounds;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            send(context);
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            missing -= ((ByteBuf) message).readableBytes();
            ((ByteBuf) message).release();
            if (missing == 0) {
                rounds++;
                send(context);
            }
        }

        private void send(ChannelHandlerContext context) {
            missing = WORD;
            context.writeAndFlush(Unpooled.wrappedBuffer(new byte[WORD]));
        }
    }
}
