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
package io.nettyrdma.testsuite.io;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandle;
import io.nettyrdma.io.PollMode;
import io.nettyrdma.io.RdmaIoHandle;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.Rounds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;

/** Netty's own channels run on these loops next to RDMA connections, in every poll mode. */
@Tag("device")
class TcpOnRdmaLoopTest {

    private static final int MESSAGES = Rounds.scaled(500);
    private static final int SIZE = 1000;

    @ParameterizedTest
    @EnumSource(PollMode.class)
    void tcpEchoesNextToAnIdleConnection(PollMode mode) throws Exception {
        try (TestLoops loops = new TestLoops(2, mode)) {
            connectRdma(loops, number -> { });
            echoOverTcp(loops.group());
        }
    }

    /** The loops' completion queues are never empty for long. */
    @ParameterizedTest
    @EnumSource(PollMode.class)
    void tcpIsNotStarvedByBusyConnections(PollMode mode) throws Exception {
        AtomicLong numbers = new AtomicLong();
        try (TestLoops loops = new TestLoops(2, mode)) {
            TestConnection[] busy = new TestConnection[1];
            busy[0] = connectRdma(loops, number -> {
                numbers.incrementAndGet();
                busy[0].send(number + 1);
            });
            for (int i = 0; i < TestConnection.DEPTH; i++) {
                busy[0].registration().loop().executor().execute(() -> busy[0].send(0));
            }
            echoOverTcp(loops.group());
            assertThat(busy[0].failures).hasValue(0);
        }
        assertThat(numbers.get()).isPositive();
    }

    @ParameterizedTest
    @EnumSource(PollMode.class)
    void tcpEchoesAlone(PollMode mode) throws Exception {
        try (TestLoops loops = new TestLoops(1, mode)) {
            echoOverTcp(loops.group());
        }
    }

    @Test
    void timersRunWhileAConnectionIsPolled() throws Exception {
        try (TestLoops loops = new TestLoops(2, PollMode.BUSY)) {
            TestConnection connection = connectRdma(loops, number -> { });
            assertThat(connection.connected).isCompleted();
            CompletableFuture<Void> ran = new CompletableFuture<>();
            loops.group().forEach(loop -> loop.schedule(() -> ran.complete(null), 20, TimeUnit.MILLISECONDS));
            TestLoops.await(ran);
        }
    }

    /** Frameworks open one for name resolution on any group that they are given. */
    @Test
    void datagramChannelsOpenAndClose() throws Exception {
        try (TestLoops loops = new TestLoops(1, PollMode.ADAPTIVE)) {
            Channel channel = new Bootstrap().group(loops.group()).channel(EpollDatagramChannel.class)
                    .handler(new ChannelInboundHandlerAdapter()).bind(loopback()).sync().channel();
            channel.close().sync();
        }
    }

    /** Code that asks for epoll's interface detects a group's transport by it, and must not take this one for TCP's. */
    @Test
    void handlerIsCompatibleWithEpollHandlesOnly() throws Exception {
        try (TestLoops loops = new TestLoops(1, PollMode.ADAPTIVE)) {
            assertThat(loops.group().isCompatible(EpollIoHandle.class)).isFalse();
            assertThat(loops.group().isCompatible(NioIoHandle.class)).isFalse();
            assertThat(loops.group().isCompatible(RdmaIoHandle.class)).isTrue();
            assertThat(loops.group().isCompatible(TestConnection.class)).isTrue();
            assertThat(loops.group().isIoType(RdmaIoHandler.class)).isTrue();
            assertThat(loops.group().isIoType(EpollIoHandler.class)).isFalse();
        }
    }

    private static TestConnection connectRdma(TestLoops loops, java.util.function.LongConsumer onNumber)
            throws Exception {
        TestListener listener = TestListener.echo(loops.next(), loops::next);
        TestConnection connection = TestConnection.connect(loops.next(), listener.address(), onNumber);
        return TestLoops.await(connection.connected);
    }

    private static InetSocketAddress loopback() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    private static void echoOverTcp(EventLoopGroup group) throws Exception {
        Channel server = new ServerBootstrap().group(group).channel(EpollServerSocketChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new EchoHandler());
                    }
                }).bind(loopback()).sync().channel();
        Sender sender = new Sender();
        Channel client = new Bootstrap().group(group).channel(EpollSocketChannel.class).handler(sender)
                .connect(server.localAddress()).sync().channel();
        TestLoops.await(sender.done);
        client.close().sync();
        server.close().sync();
    }

    /** Sends the next message when all of the last one has been echoed. */
    private static final class Sender extends SimpleChannelInboundHandler<ByteBuf> {

        final CompletableFuture<Void> done = new CompletableFuture<>();
        private int messages;
        private int missing;

        @Override
        public void channelActive(ChannelHandlerContext context) {
            send(context);
        }

        private void send(ChannelHandlerContext context) {
            missing = SIZE;
            context.writeAndFlush(Unpooled.wrappedBuffer(new byte[SIZE]));
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            missing -= message.readableBytes();
            if (missing == 0 && ++messages == MESSAGES) {
                done.complete(null);
            } else if (missing == 0) {
                send(context);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            done.completeExceptionally(cause);
        }
    }
}
