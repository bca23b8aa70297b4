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
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.socket.SocketChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.cm.CmEventType;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.net.ConnectException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** Bounds admission: the number of requests that wait, the number of children being accepted, and the time for each. */
@Tag("device")
class AdmissionTest {

    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(10_000);
    /** Far too short for a server that does not read. */
    private static final int SHORT_MILLIS = Deadline.scaledMillis(200);
    private static final int BACKLOG = 2;
    private static final byte[] WORD = { 1, 2, 3 };

    private final LeakWatch leaks = new LeakWatch();
    private final Queue<Recorder> children = new ConcurrentLinkedQueue<>();
    private ChannelPair pair;

    @AfterEach
    void stopServer() throws Exception {
        // Null if the device lacks what the test needs.
        if (pair != null) {
            pair.close();
        }
        leaks.close();
    }

    @Test
    void moreRequestsThanTheBacklogAreRefused() throws Exception {
        start(BACKLOG, false);
        ChannelFuture[] waiting = new ChannelFuture[BACKLOG];
        for (int i = 0; i < BACKLOG; i++) {
            waiting[i] = connect(PATIENCE_MILLIS);
            awaitWaiting(i + 1);
        }
        for (int i = 1; i <= BACKLOG; i++) {
            ChannelFuture refused = connect(PATIENCE_MILLIS);
            assertThat(failure(refused)).isInstanceOf(ConnectException.class)
                    .hasMessageContainingAll("Connection refused", "RESOURCES", "backlog");
            assertThat(counted(RdmaCounter.REQUESTS_BEYOND_BACKLOG)).isEqualTo(i);
        }
        assertThat(pair.listener().waitingRequests()).isEqualTo(BACKLOG);
        pair.listener().config().setAutoRead(true);
        for (ChannelFuture each : waiting) {
            assertIsServed(each);
        }
        assertIsServed(connect(PATIENCE_MILLIS));
        assertThat(counted(RdmaCounter.REQUESTS_BEYOND_BACKLOG)).isEqualTo(BACKLOG);
    }

    /**
     * On iWARP the device learns that the client has left only when the request is accepted; elsewhere the news may
     * come too late as well. Then there is a child that is not confirmed.
     */
    @Test
    void requestOfADepartedClientIsDropped() throws Exception {
        start(BACKLOG, false);
        ChannelFuture gone = connect(SHORT_MILLIS);
        awaitWaiting(1);
        ChannelFuture patient = connect(PATIENCE_MILLIS);
        awaitWaiting(2);
        assertThat(failure(gone)).isInstanceOf(ConnectTimeoutException.class);
        pair.listener().config().setAutoRead(true);
        assertIsServed(patient);
        Deadline.standard().until("the end of both: " + children.size() + " children", () ->
                counted(RdmaCounter.REQUESTS_ABANDONED) + pair.sum(RdmaCounter.CHILDREN_UNCONFIRMED)
                        + children.stream().filter(each -> each.inactive().getCount() == 0).count() == 2);
        if (TestDevice.get().connectsByHand()) {
            assertNoFailures();
        } else {
            assertThat(children).flatExtracting(Recorder::failures).hasSizeLessThanOrEqualTo(1)
                    .allSatisfy(each -> assertThat(each).hasMessageStartingWith("Connection reset by peer: "));
        }
    }

    /** A request whose sender has left no longer takes an entry of the backlog. */
    @Test
    void abandonedRequestFreesBacklog() throws Exception {
        TestDevice.get().assumeThreeWayHandshake();
        start(1, false);
        // A channel destroys its id later, on another thread. A raw peer leaves before the next request is sent.
        try (RawPeer leaver = RawPeer.of(pair.address())) {
            leaver.begin(RawPeer.data().encode());
            awaitWaiting(1);
        }
        assertThat(pair.listener().waitingRequests()).isEqualTo(1);
        ChannelFuture next = connect(PATIENCE_MILLIS);
        Deadline.standard().until("the first to be dropped", () -> counted(RdmaCounter.REQUESTS_ABANDONED) == 1);
        pair.listener().config().setAutoRead(true);
        assertIsServed(next);
        assertThat(counted(RdmaCounter.REQUESTS_BEYOND_BACKLOG)).isZero();
    }

    /** Does not apply to iWARP, where the device confirms by itself. */
    @Test
    void unconfirmedChildTimesOut() throws Exception {
        TestDevice.get().assumeThreeWayHandshake();
        start(BACKLOG, true);
        try (RawPeer silent = RawPeer.of(pair.address())) {
            assertThat(silent.ask(RawPeer.data().encode()).type()).isEqualTo(CmEventType.CONNECT_RESPONSE);
            Deadline.standard().until("the child", () -> pair.requested().size() == 1);
            assertThat(pair.requested().get(0).closeFuture().await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS))
                    .as("it is closed").isTrue();
            assertThat(children).isEmpty();
            assertThat(pair.listener().acceptingChildren()).isZero();
            assertThat(pair.sum(RdmaCounter.CHILDREN_UNCONFIRMED)).isEqualTo(1);
        }
        assertIsServed(connect(PATIENCE_MILLIS));
        assertNoFailures();
    }

    /** The time is that of the admission alone. */
    @Test
    void confirmedChildOutlivesTheConnectTimeout() throws Exception {
        start(BACKLOG, true);
        Channel client = connect(PATIENCE_MILLIS).sync().channel();
        Channel child = pair.accepted();
        Deadline.standard().until("it is confirmed", () -> pair.listener().acceptingChildren() == 0);
        child.eventLoop().schedule(() -> { }, SHORT_MILLIS, TimeUnit.MILLISECONDS).sync();
        assertThat(child.isActive()).isTrue();
        assertThat(pair.sum(RdmaCounter.CHILDREN_UNCONFIRMED)).isZero();
        client.close().sync();
    }

    /** A further request waits until one of the children being accepted is connected or has left. */
    @Test
    void maxAcceptingLimitsUnconfirmedChildren() throws Exception {
        TestDevice.get().assumeThreeWayHandshake();
        start(BACKLOG, true, PATIENCE_MILLIS);
        pair.listener().config().setOption(RdmaChannelOption.MAX_ACCEPTING, 1);
        ChannelFuture waiting;
        try (RawPeer silent = RawPeer.of(pair.address())) {
            assertThat(silent.ask(RawPeer.data().encode()).type()).isEqualTo(CmEventType.CONNECT_RESPONSE);
            waiting = connect(PATIENCE_MILLIS);
            awaitWaiting(1);
            // The request is counted as waiting before the limit is applied.
            Deadline.standard().until("it to be held back", () -> counted(RdmaCounter.REQUESTS_HELD_BACK) > 0);
            assertThat(pair.listener().acceptingChildren()).isEqualTo(1);
            assertThat(pair.requested()).hasSize(1);
        }
        assertIsServed(waiting);
        assertThat(pair.requested()).hasSize(2);
        assertThat(children).hasSize(1);
        assertIsServed(connect(PATIENCE_MILLIS));
        assertNoFailures();
    }

    /** A child that a filter closes at once was counted as well. */
    @Test
    void closedChildDoesNotCountAsAccepting() throws Exception {
        pair = new ChannelPair(() -> new ChannelInitializer<SocketChannel>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                channel.close();
            }
        }, server -> server.option(RdmaChannelOption.MAX_ACCEPTING, 1));
        assertEachIsLetGo();
    }

    /** A limiter in the server's pipeline does not register a child that it rejects. */
    @Test
    void unregisteredChildDoesNotCountAsAccepting() throws Exception {
        pair = new ChannelPair(this::child, server -> server.option(RdmaChannelOption.MAX_ACCEPTING, 1)
                .handler(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext context, Object child) {
                        ((Channel) child).unsafe().closeForcibly();
                    }
                }));
        assertEachIsLetGo();
        assertThat(children).isEmpty();
    }

    private void assertEachIsLetGo() throws Exception {
        for (int i = 0; i < 3; i++) {
            assertThat(connect(PATIENCE_MILLIS).await(PATIENCE_MILLIS)).as("connection %d", i).isTrue();
            Deadline.standard().until("no accepting children", () -> pair.listener().acceptingChildren() == 0);
        }
    }

    private void start(int backlog, boolean reads) throws Exception {
        start(backlog, reads, SHORT_MILLIS);
    }

    /** @param confirmMillis the time that a peer has to confirm. */
    private void start(int backlog, boolean reads, int confirmMillis) throws Exception {
        pair = new ChannelPair(this::child, server -> server.option(ChannelOption.SO_BACKLOG, backlog)
                .option(ChannelOption.AUTO_READ, reads)
                .childOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, confirmMillis));
    }

    private ChannelHandler child() {
        return new ChannelInitializer<SocketChannel>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                Recorder recorder = new Recorder();
                channel.pipeline().addLast(new EchoHandler(), recorder);
                children.add(recorder);
            }
        };
    }

    private ChannelFuture connect(int timeoutMillis) {
        return pair.bootstrap(new ChannelInboundHandlerAdapter())
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, timeoutMillis).connect(pair.address());
    }

    private void awaitWaiting(int requests) throws Exception {
        Deadline.standard().until(requests + " requests that wait", () ->
                pair.listener().waitingRequests() == requests);
    }

    private long counted(RdmaCounter counter) {
        return pair.listener().loopCounters().get(counter);
    }

    private static Throwable failure(ChannelFuture connect) throws InterruptedException {
        assertThat(connect.await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).as("%s ends", connect).isTrue();
        return connect.cause();
    }

    private static void assertIsServed(ChannelFuture connect) throws Exception {
        assertThat(failure(connect)).isNull();
        Recorder echo = new Recorder();
        connect.channel().pipeline().addLast(echo);
        connect.channel().writeAndFlush(Unpooled.wrappedBuffer(WORD)).sync();
        Deadline.standard().until("the echo", () -> echo.count() == WORD.length);
        connect.channel().close().sync();
    }

    private void assertNoFailures() {
        assertThat(children).allSatisfy(each -> assertThat(each.failures()).isEmpty());
    }
}
