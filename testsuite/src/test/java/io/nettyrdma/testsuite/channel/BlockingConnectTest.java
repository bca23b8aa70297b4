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
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.Threads;
import io.nettyrdma.verbs.Fallbacks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** A driver blocks in {@code rdma_connect}, as the kernel's siw does when the host does not answer. */
@Tag("device")
class BlockingConnectTest {

    private static final int PATIENCE_SECONDS = 30;
    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(PATIENCE_SECONDS * 1_000);
    private static final int SHORT_MILLIS = 200;
    /** Long enough to resolve the address and the route. */
    private static final int SILENT_MILLIS = 3_000;
    private static final int PORT = 7_000;
    /** The longest delay of the software device: the call outlasts the short timeout. */
    private static final String LONG_CALL = "connect=1:4s";
    /** The loop's end waits a second for its connections. */
    private static final String SHORT_CALL = "connect=1:300ms";

    private final String before = System.getProperty(Fallbacks.NON_BLOCKING_CONNECT.property());
    /** A loop that ends during the call logs a warning. */
    private final LeakWatch leaks = new LeakWatch(message -> message.contains("calls have returned")
            || message.contains("ends with 1 work requests outstanding"));
    /** The address of a host that is reachable and never answers, in lanes that have one. */
    private final String silentHost = System.getProperty("io.nettyrdma.testsuite.silentHost");
    private EventLoopGroup group;

    /** On iWARP calls are treated as blocking anyway. */
    @BeforeEach
    void takeTheCallForBlocking() {
        System.setProperty(Fallbacks.NON_BLOCKING_CONNECT.property(), "false");
        assertThat(Fallbacks.NON_BLOCKING_CONNECT.isAllowed()).isFalse();
        group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    }

    @AfterEach
    void close() throws Exception {
        SoftHca.noFaults();
        if (before == null) {
            System.clearProperty(Fallbacks.NON_BLOCKING_CONNECT.property());
        } else {
            System.setProperty(Fallbacks.NON_BLOCKING_CONNECT.property(), before);
        }
        group.shutdownGracefully(0, PATIENCE_MILLIS, TimeUnit.MILLISECONDS).sync();
        leaks.close();
    }

    @Test
    void loopRunsAndTimeoutExpiresDuringTheConnectCall() throws Exception {
        SoftHca.assumeItIsTheDevice();
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            SoftHca.faults(1, LONG_CALL);
            ChannelFuture connecting = connect(pair, SHORT_MILLIS);
            assertThat(connecting.await(PATIENCE_MILLIS)).isTrue();
            assertThat(connecting.cause()).isInstanceOf(ConnectTimeoutException.class);
            assertThat(isCallOut()).as("the call is out when the connection has failed").isTrue();
            assertThat(connecting.channel().closeFuture().await(PATIENCE_MILLIS)).isTrue();

            SoftHca.noFaults();
            Channel next = connect(pair, PATIENCE_MILLIS).sync().channel();
            assertThat(isCallOut()).as("another is connected meanwhile").isTrue();
            next.close().sync();
            Deadline.ofSeconds(PATIENCE_SECONDS).until("the call returns", () -> !isCallOut());
        }
    }

    /** The thread that made the call closes the objects in use when the call returns. */
    @Test
    void loopEndsBeforeTheConnectCallReturns() throws Exception {
        SoftHca.assumeItIsTheDevice();
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            SoftHca.faults(1, LONG_CALL);
            ChannelFuture connecting = connect(pair, PATIENCE_MILLIS);
            Deadline.standard().until("the call is out", BlockingConnectTest::isCallOut);
            group.shutdownGracefully(0, PATIENCE_MILLIS, TimeUnit.MILLISECONDS).sync();
            assertThat(connecting.isSuccess()).isFalse();
            assumeTrue(isCallOut(), "the loop took longer for its end than the call");
            Deadline.ofSeconds(PATIENCE_SECONDS).until("the call returns, and all is closed", () -> !isHelperAtWork());
        }
    }

    /** The loop runs no tasks any more, and takes what has returned by itself. */
    @Test
    void connectCallReturnsWhileTheLoopEnds() throws Exception {
        SoftHca.assumeItIsTheDevice();
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            SoftHca.faults(1, SHORT_CALL);
            RdmaChannel client = (RdmaChannel) connect(pair, PATIENCE_MILLIS).channel();
            Deadline.standard().until("the call is out", BlockingConnectTest::isCallOut);
            group.shutdownGracefully(0, PATIENCE_MILLIS, TimeUnit.MILLISECONDS).sync();
            assertThat(client.loopCounters().get(RdmaCounter.DEPARTURES_TIMED_OUT)).isZero();
        }
    }

    @Test
    void refusedConnectReportsTheUsualException() throws Exception {
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            pair.listener().close().sync();
            ChannelFuture connecting = connect(pair, PATIENCE_MILLIS);
            assertThat(connecting.await(PATIENCE_MILLIS)).isTrue();
            assertThat(connecting.cause()).isInstanceOf(ConnectException.class);
        }
    }

    /** The driver itself blocks. The call is still pending when the loop has ended, and nothing waits for it. */
    @Test
    void silentHostTimesOut() throws Exception {
        assumeTrue(silentHost != null, "no silent host is known");
        ChannelFuture connecting = connect(new InetSocketAddress(silentHost, PORT), SILENT_MILLIS);
        assertThat(connecting.await(PATIENCE_MILLIS)).isTrue();
        assertThat(connecting.cause()).isInstanceOf(ConnectTimeoutException.class);
        assertThat(isCallOut()).as("the call is out when the connection has failed").isTrue();
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            connect(pair, PATIENCE_MILLIS).sync().channel().close().sync();
        }
        assertThat(isCallOut()).as("another was connected meanwhile").isTrue();
    }

    private ChannelFuture connect(ChannelPair pair, int timeoutMillis) {
        return connect(pair.address(), timeoutMillis);
    }

    private ChannelFuture connect(InetSocketAddress to, int timeoutMillis) {
        return new Bootstrap().group(group).channel(RdmaChannel.class).handler(new ChannelInboundHandlerAdapter())
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, timeoutMillis).connect(to);
    }

    private static boolean isCallOut() {
        return Threads.isAnyIn("io.nettyrdma.jni.CmNative", "connect");
    }

    private static boolean isHelperAtWork() {
        return Threads.isAnyIn("io.nettyrdma.io.BlockingCalls", "make");
    }
}
