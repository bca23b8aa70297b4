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
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.io.LoopDevice;
import io.nettyrdma.io.RdmaIoEvent;
import io.nettyrdma.io.RdmaIoHandle;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.io.RdmaIoOps;
import io.nettyrdma.io.RdmaIoRegistration;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.testsuite.support.Closer;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A device takes milliseconds to create or destroy a queue pair. However many connections come or go at a time, a loop
 * polls its completion queues between any two of them, so its other connections wait for one at most.
 */
@Tag("device")
class ControlPathTest {

    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(30_000);
    private static final int CONNECTIONS = 20;
    /** Gathered, in the first frames that a peer grants. */
    private static final int BYTES = 8 * 1024;

    /** Calls for the queue pair of a child that accepts: create, INIT, RTR, RTS. */
    private static final int ACCEPT = 4;
    /** The most that one event of a client takes: two of those, or the one that flushes when the peer has left. */
    private static final int CONNECT_STEP = 2;
    private static final int END = 1;

    private final EventLoopGroup listeners = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    private final EventLoopGroup servers = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    private final EventLoopGroup clients = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    private final Queue<Channel> children = new ConcurrentLinkedQueue<>();
    private final CountDownLatch asked = new CountDownLatch(CONNECTIONS);

    @AfterEach
    void close() throws Exception {
        for (EventLoopGroup each : List.of(clients, servers, listeners)) {
            each.shutdownGracefully(0, PATIENCE_MILLIS, TimeUnit.MILLISECONDS).sync();
        }
    }

    @Test
    void aLoopPollsBetweenAnyTwoConnections() throws Exception {
        Channel listener = listen();
        Watcher server = watch(servers);
        Watcher client = watch(clients);
        List<ChannelFuture> connects = new ArrayList<>();
        Bootstrap bootstrap = new Bootstrap().group(clients).channel(RdmaChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, PATIENCE_MILLIS);
        // The children's loop is blocked until all requests are waiting.
        servers.submit(() -> {
            for (int i = 0; i < CONNECTIONS; i++) {
                connects.add(bootstrap.clone().handler(new ChannelInboundHandlerAdapter())
                        .connect(listener.localAddress()));
            }
            return asked.await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        }).sync();
        for (ChannelFuture each : connects) {
            each.sync();
        }
        Deadline.standard().until("all children", () -> children.size() == CONNECTIONS
                && children.stream().allMatch(Channel::isActive));
        closeAtOnce(servers, List.copyOf(children));
        for (ChannelFuture each : connects) {
            each.channel().closeFuture().await(PATIENCE_MILLIS);
        }
        server.end();
        client.end();
        assertThat(server.seen).as("at the server").isEqualTo(CONNECTIONS);
        assertThat(server.mostMade).as("queue pairs made between two polls, server").isEqualTo(1);
        assertThat(server.mostDestroyed).as("queue pairs destroyed between two polls, server").isEqualTo(1);
        assertThat(server.mostCalls).as("calls between two polls, server").isBetween(1L, (long) ACCEPT + END);
        assertThat(client.mostMade).as("queue pairs made between two polls, client").isEqualTo(1);
        assertThat(client.mostDestroyed).as("queue pairs destroyed between two polls, client").isEqualTo(1);
        assertThat(client.mostCalls).as("calls between two polls, client").isBetween(1L, (long) CONNECT_STEP + END);
    }

    /** Closing many channels in one task costs one call for each channel that is sending, and none for the others. */
    @Test
    void closeDestroysTheQueuePairIfTheDeviceReadsABuffer() throws Exception {
        boolean gathers = TestDevice.get().capabilities().maxSendSge() > 1;
        Channel listener = listen();
        Watcher client = watch(clients);
        Bootstrap bootstrap = new Bootstrap().group(clients).channel(RdmaChannel.class)
                .option(ChannelOption.SO_LINGER, 0);
        Channel idle = bootstrap.clone().handler(new ChannelInboundHandlerAdapter())
                .connect(listener.localAddress()).sync().channel();
        Channel sending = bootstrap.clone().handler(new ChannelInboundHandlerAdapter())
                .connect(listener.localAddress()).sync().channel();
        clients.submit(() -> {
            assertThat(client.callsOf(idle::close)).as("with nothing in flight").isZero();
            // The loop polls the completions only after this task.
            ChannelFuture written = sending.writeAndFlush(sending.alloc().directBuffer(BYTES).writeZero(BYTES));
            assertThat(client.callsOf(sending::close)).as("with " + BYTES + " bytes in flight")
                    .isEqualTo(gathers ? 1 : 0);
            // Memory that the device cannot gather was copied, so its promise has completed.
            assertThat(written.isSuccess()).isNotEqualTo(gathers);
            return null;
        }).sync();
        client.end();
    }

    /** Does not apply to iWARP, where the server learns of it only when it accepts. */
    @Test
    void abandonedRequestCreatesNoQueuePair() throws Exception {
        TestDevice.get().assumeThreeWayHandshake();
        Channel listener = listen();
        Watcher server = watch(servers);
        ChannelFuture patient = servers.submit(() -> {
            // A channel destroys its id later, on another thread. A raw peer leaves before the next request.
            try (RawPeer leaver = RawPeer.of((InetSocketAddress) listener.localAddress())) {
                leaver.begin(RawPeer.data().encode());
                awaitAsked(1);
            }
            // The report that the first client has left arrives before this request.
            ChannelFuture staying = connect(listener);
            awaitAsked(2);
            return staying;
        }).sync().getNow();
        patient.sync();
        // The first has none.
        Deadline.standard().until("the second child", () -> children.size() == 1
                && children.stream().allMatch(Channel::isActive));
        assertThat(server.device.device().queuePairCalls() - server.first).as("calls for queue pairs")
                .isEqualTo(ACCEPT);
        patient.channel().close().sync();
        server.end();
    }

    /** The kernel keeps few requests, and a peer repeats one that it dropped only after seconds. */
    @Test
    void requestsAreReadWhileChildrenWaitForTheirTurn() throws Exception {
        TestDevice.get().assumeThreeWayHandshake();
        RdmaServerChannel crowded = (RdmaServerChannel) listen(servers);
        Watcher server = watch(servers);
        server.taken = () -> crowded.waitingRequests() + crowded.acceptingChildren();
        Closer peers = beginWhileTheLoopIsBlocked(crowded);
        try {
            Deadline.standard().until("two queue pairs", () -> server.seen >= 2);
            assertThat(server.takenAtSecond).as("requests taken before the second queue pair was made")
                    .isEqualTo(CONNECTIONS);
        } finally {
            peers.close();
        }
        Deadline.standard().until("the end of the children", () -> children.stream().noneMatch(Channel::isOpen));
        server.end();
    }

    /** A refusal destroys an id, which a flood of requests must not make the loop do hundreds of times a turn. */
    @Test
    void loopRejectsOneRequestPerTurn() throws Exception {
        TestDevice.get().assumeThreeWayHandshake();
        RdmaServerChannel crowded = (RdmaServerChannel) listen(servers);
        crowded.config().setAutoRead(false);
        crowded.config().setBacklog(1);
        Watcher server = watch(servers);
        server.taken = () -> (int) crowded.loopCounters().get(RdmaCounter.REQUESTS_BEYOND_BACKLOG);
        Closer peers = beginWhileTheLoopIsBlocked(crowded);
        try {
            Deadline.standard().until("all refusals", () -> server.takenBefore == CONNECTIONS - 1);
            assertThat(server.mostTaken).as("requests refused between two polls").isEqualTo(1);
        } finally {
            peers.close();
        }
        server.end();
    }

    /** All requests to {@code crowded} wait when the loop continues. Returns the peers. */
    private Closer beginWhileTheLoopIsBlocked(RdmaServerChannel crowded) throws Exception {
        RdmaServerChannel other = (RdmaServerChannel) listen(listeners);
        other.config().setAutoRead(false);
        CountDownLatch allWait = new CountDownLatch(1);
        Future<Boolean> blocked = servers.submit(() -> allWait.await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS));
        Closer peers = new Closer();
        try {
            for (int i = 0; i < CONNECTIONS; i++) {
                begin(peers, crowded);
            }
            // Messages arrive in order. When this one has been seen, all others are waiting.
            begin(peers, other);
            Deadline.standard().until("the last request", () -> other.waitingRequests() == 1);
            allWait.countDown();
            assertThat(blocked.get()).as("the loop waited for the requests").isTrue();
            return peers;
        } catch (Throwable e) {
            peers.closeAfter(e);
            throw e;
        }
    }

    private static void begin(Closer peers, RdmaServerChannel listener) throws Exception {
        peers.add(RawPeer.of(listener.localAddress())).begin(RawPeer.data().encode());
    }

    private ChannelFuture connect(Channel listener) {
        return new Bootstrap().group(clients).channel(RdmaChannel.class).handler(new ChannelInboundHandlerAdapter())
                .connect(listener.localAddress());
    }

    private void awaitAsked(int count) throws Exception {
        Deadline.standard().until(count + " requests", () -> asked.getCount() <= CONNECTIONS - count);
    }

    private Channel listen() throws Exception {
        return listen(listeners);
    }

    private Channel listen(EventLoopGroup parents) throws Exception {
        return new ServerBootstrap().group(parents, servers).channel(RdmaServerChannel.class)
                .handler(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext context, Object child) {
                        context.fireChannelRead(child);
                        // By now the task that registers it is in the queue of its loop.
                        asked.countDown();
                    }
                })
                .childOption(ChannelOption.SO_LINGER, 0)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        children.add(channel);
                    }
                }).bind(new InetSocketAddress(TestDevice.get().ip(), 0)).sync().channel();
    }

    private static void closeAtOnce(EventLoopGroup group, List<Channel> channels) throws Exception {
        group.submit(() -> channels.forEach(Channel::close)).sync();
        for (Channel each : channels) {
            each.closeFuture().sync();
        }
    }

    private static Watcher watch(EventLoopGroup group) throws Exception {
        IoEventLoop loop = (IoEventLoop) group.next();
        Watcher watcher = new Watcher();
        watcher.registration = loop.register(watcher).sync().getNow();
        RdmaIoRegistration own = watcher.registration.attachment();
        loop.submit(() -> {
            watcher.device = own.loop().device(TestDevice.get().device().name());
            // The probe creates queue pairs, when the loop's first connection needs the capabilities.
            watcher.device.device().capabilities();
            watcher.first = watcher.device.device().queuePairCalls();
            watcher.calls = watcher.first;
            return own.submit(RdmaIoOps.REVISIT);
        }).sync();
        return watcher;
    }

    /** Counts the queue pairs after each poll. */
    private static final class Watcher implements RdmaIoHandle {

        private IoRegistration registration;
        /** The device as the loop has opened it. */
        private LoopDevice device;
        private volatile int count;
        private volatile int seen;
        private volatile int mostMade;
        private volatile int mostDestroyed;
        /** What the listener has taken, how much that was when there were two queue pairs, and the most in one turn. */
        private volatile IntSupplier taken = () -> 0;
        private volatile int takenAtSecond;
        private volatile int takenBefore;
        private volatile int mostTaken;
        private long first;
        private long calls;
        private volatile long mostCalls;

        /** Called on the loop's thread. */
        long callsOf(Runnable action) {
            long before = device.device().queuePairCalls();
            action.run();
            return device.device().queuePairCalls() - before;
        }

        /** Waits until no queue pair is left. */
        void end() throws Exception {
            Deadline.standard().until("no queue pair", () -> count == 0);
            registration.cancel();
        }

        @Override
        public int outstandingWork() {
            return 0;
        }

        @Override
        public void handle(IoRegistration own, IoEvent event) {
            if (((RdmaIoEvent) event).kind() != RdmaIoEvent.Kind.COMPLETIONS_DONE) {
                return;
            }
            int now = device.queuePairs();
            mostMade = Math.max(mostMade, now - count);
            mostDestroyed = Math.max(mostDestroyed, count - now);
            int takenNow = taken.getAsInt();
            mostTaken = Math.max(mostTaken, takenNow - takenBefore);
            takenBefore = takenNow;
            if (now >= 2 && seen < 2) {
                takenAtSecond = takenNow;
            }
            seen = Math.max(seen, now);
            count = now;
            long called = device.device().queuePairCalls();
            mostCalls = Math.max(mostCalls, called - calls);
            calls = called;
            own.submit(RdmaIoOps.REVISIT);
        }

        @Override
        public void close() {
            registration.cancel();
        }
    }
}
