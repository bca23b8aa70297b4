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
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.testsuite.support.ByteRegion;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.Rounds;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.WritableByteChannel;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** Channels that move to another event loop, as long as that is allowed. */
@Tag("device")
class MovedChannelTest {

    private static final int ROUNDS = Rounds.scaled(100);
    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(10_000);
    /** Enough for a connection to be served. */
    private static final int TURNS = 20;
    private static final byte[] SENT = { 1, 2, 3 };

    private final LeakWatch leaks = new LeakWatch();
    private ChannelPair pair;
    private MultiThreadIoEventLoopGroup other;

    @BeforeEach
    void startServer() throws Exception {
        pair = new ChannelPair(EchoHandler::new);
        other = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    }

    @AfterEach
    void stop() throws Exception {
        pair.close();
        end(other);
        leaks.close();
    }

    /** The old registration ends while the new one is in use. */
    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void channelMovesBeforeItConnects(boolean bound) throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            Recorder recorder = new Recorder();
            RdmaChannel client = registered(recorder);
            InetSocketAddress local = null;
            if (bound) {
                client.bind(new InetSocketAddress(TestDevice.get().ip(), 0)).sync();
                local = client.localAddress();
            }
            client.deregister().sync();
            assertThat(client.isRegistered()).isFalse();
            loopOf(i, client).register(client).sync();
            client.connect(pair.address()).sync();
            assertEchoes(client, recorder);
            if (bound) {
                assertThat(client.localAddress()).isEqualTo(local);
            }
            client.close().sync();
        }
    }

    private EventLoop loopOf(int round, Channel client) {
        EventLoop next = round % 2 == 0 ? other.next() : pair.group().next();
        return next == client.eventLoop() ? other.next() : next;
    }

    @Test
    void unregisteredChannelReleasesItsAddress() throws Exception {
        RdmaChannel client = registered(new Recorder());
        client.bind(new InetSocketAddress(TestDevice.get().ip(), 0)).sync();
        InetSocketAddress local = client.localAddress();
        client.deregister().sync();
        client.close().sync();
        pair.bootstrap(new Recorder()).bind(local).sync().channel().close().sync();
    }

    /** The write fails and closes the channel within a flush. Netty's sockets do not report their end then. */
    @Test
    void deregisteredChannelGetsInactiveAfterFailedWrite() throws Exception {
        Recorder recorder = new Recorder();
        RdmaChannel client = pair.connect(recorder, bootstrap -> bootstrap.option(ChannelOption.SO_LINGER, 0));
        ChannelFuture deregistered = client.eventLoop().submit(() -> {
            client.writeAndFlush(new ByteRegion(new byte[1]) {
                @Override
                public long transferTo(WritableByteChannel target, long position) throws IOException {
                    throw new IOException("there is no file");
                }
            });
            return client.deregister();
        }).sync().getNow();
        deregistered.sync();
        assertThat(recorder.events()).containsExactly("active", "inactive");
        assertThat(client.isRegistered()).isFalse();
    }

    /** The address is lost with the loop, and the registration fails. */
    @Test
    void boundChannelWithoutItsLoopIsClosed() throws Exception {
        MultiThreadIoEventLoopGroup first = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        RdmaChannel client = (RdmaChannel) new Bootstrap().group(first).channel(RdmaChannel.class)
                .handler(new Recorder()).bind(new InetSocketAddress(TestDevice.get().ip(), 0)).sync().channel();
        client.deregister().sync();
        end(first);
        ChannelFuture register = other.register(client).await();
        assertThat(register.cause()).isInstanceOf(IllegalStateException.class);
        assertThat(client.isOpen()).isFalse();
    }

    /** A channel without a loop, or about to leave its loop, cannot connect: no loop would continue the connect. */
    @Test
    void connectingChannelCannotMove() throws Exception {
        Recorder recorder = new Recorder();
        RdmaChannel client = registered(recorder);
        ChannelFuture[] asked = new ChannelFuture[2];
        client.eventLoop().submit(() -> {
            asked[0] = client.deregister();
            asked[1] = client.connect(pair.address());
        }).sync();
        assertThat(asked[1].await(PATIENCE_MILLIS)).isTrue();
        assertThat(asked[1].cause()).isInstanceOf(IllegalStateException.class).hasMessageContaining("deregistered");
        asked[0].sync();
        assertThat(client.connect(pair.address()).await().cause()).isInstanceOf(IllegalStateException.class);
        other.register(client).sync();
        client.eventLoop().submit(() -> {
            asked[0] = client.connect(pair.address());
            asked[1] = client.deregister();
        }).sync();
        assertThat(asked[1].await().cause()).isInstanceOf(UnsupportedOperationException.class);
        asked[0].sync();
        assertEchoes(client, recorder);
    }

    /** Neither from its first handler nor later. */
    @Test
    void childCannotMove() throws Exception {
        BlockingQueue<Throwable> refusals = new LinkedBlockingQueue<>();
        Recorder recorder = new Recorder();
        try (ChannelPair refusing = new ChannelPair(() -> new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.deregister().addListener(future -> refusals.add(future.cause()));
                channel.pipeline().addLast(new EchoHandler(), new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelActive(ChannelHandlerContext context) {
                        context.deregister().addListener(future -> refusals.add(future.cause()));
                    }
                });
            }
        })) {
            assertEchoes(refusing.connect(recorder), recorder);
        }
        assertThat(refusals).hasSize(2).allSatisfy(each ->
                assertThat(each).isInstanceOf(UnsupportedOperationException.class));
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void listenerMovesToAnotherLoop(boolean bound) throws Exception {
        if (bound) {
            // Linux 6.1 refuses a request that waits while its listener is on no loop: an open point.
            SoftHca.assumeItIsTheDevice();
        }
        ServerBootstrap bootstrap = new ServerBootstrap().group(pair.group()).channel(RdmaServerChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new EchoHandler());
                    }
                });
        InetSocketAddress any = new InetSocketAddress(TestDevice.get().ip(), 0);
        RdmaServerChannel listener = (RdmaServerChannel) (bound ? bootstrap.bind(any) : bootstrap.register()).sync()
                .channel();
        for (int i = 0; i < 4; i++) {
            listener.deregister().sync();
            // Waits until the listener is on a loop again.
            ChannelFuture early = bound ? connect(listener, new Recorder()) : null;
            letWork(listener.eventLoop());
            assertThat(early == null || !early.isDone()).as("no client is served").isTrue();
            loopOf(i, listener).register(listener).sync();
            if (!bound) {
                continue;
            }
            early.sync();
            Recorder recorder = new Recorder();
            assertEchoes((RdmaChannel) connect(listener, recorder).sync().channel(), recorder);
        }
        if (!bound) {
            listener.bind(any).sync();
            connect(listener, new Recorder()).sync();
        }
        listener.deregister().sync();
        listener.close().sync();
        assertThat(connect(listener, new Recorder()).await().cause()).hasMessageContaining("Connection refused");
    }

    /** @param old the loop of the listener; a loop with which nothing was ever registered would not run. */
    private void letWork(EventLoop old) throws Exception {
        for (int i = 0; i < TURNS; i++) {
            ChannelPair.letWork(old);
            for (var loop : pair.group()) {
                ChannelPair.letWork((EventLoop) loop);
            }
        }
    }

    private ChannelFuture connect(RdmaServerChannel listener, Recorder recorder) {
        return pair.bootstrap(recorder).option(ChannelOption.CONNECT_TIMEOUT_MILLIS, PATIENCE_MILLIS)
                .connect(listener.localAddress());
    }

    private RdmaChannel registered(Recorder recorder) throws Exception {
        return (RdmaChannel) pair.bootstrap(recorder).register().sync().channel();
    }

    private static void assertEchoes(RdmaChannel client, Recorder recorder) throws Exception {
        client.writeAndFlush(Unpooled.wrappedBuffer(SENT)).sync();
        Deadline.standard().until("the echo", () -> recorder.count() == SENT.length);
    }

    private static void end(MultiThreadIoEventLoopGroup group) throws Exception {
        assertThat(group.shutdownGracefully(0, PATIENCE_MILLIS, TimeUnit.MILLISECONDS)
                .await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).as("the loops end").isTrue();
    }
}
