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
package io.nettyrdma.micrometer;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.io.RdmaIoHandler;

import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;

/** A client and an echo server, with a loop each, and an open connection. */
final class EchoTraffic implements AutoCloseable {

    static final int LOOPS = 2;
    private static final int SECONDS = 60;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(LOOPS, RdmaIoHandler.newFactory());
    private final Channel client;
    private final AtomicLong received = new AtomicLong();

    EchoTraffic() throws Exception {
        Channel server = new ServerBootstrap().group(group).channel(RdmaServerChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel child) {
                        child.pipeline().addLast(new Echo());
                    }
                }).bind(new InetSocketAddress("127.0.0.1", 0)).sync().channel();
        client = new Bootstrap().group(group).channel(RdmaChannel.class).handler(new Reader())
                .connect(server.localAddress()).sync().channel();
    }

    private static final class Echo extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }
    }

    private final class Reader extends SimpleChannelInboundHandler<ByteBuf> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            received.addAndGet(message.readableBytes());
            synchronized (received) {
                received.notifyAll();
            }
        }
    }

    /** Opens another connection, and closes it. */
    void connectAndClose() throws Exception {
        new Bootstrap().group(group).channel(RdmaChannel.class).handler(new ChannelInboundHandlerAdapter())
                .connect(client.remoteAddress()).sync().channel().close().sync();
    }

    /** The client stops reading what comes back, or goes on. */
    void pauseReading(boolean pauses) {
        client.config().setAutoRead(!pauses);
    }

    /** Sends bytes and waits for nothing. */
    void write(int bytes) {
        client.writeAndFlush(RdmaByteBufAllocator.DEFAULT.directBuffer(bytes).writeZero(bytes));
    }

    /** Sends small bytes, which are copied, and large ones, which are gathered, and waits until all have come back. */
    void echo(int small, int large) throws Exception {
        long expected = received.get() + small + large;
        client.writeAndFlush(Unpooled.buffer().writeZero(small)).sync();
        write(large);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        synchronized (received) {
            while (received.get() < expected) {
                assertThat(end - System.nanoTime()).as("time until all bytes come back").isPositive();
                received.wait(1);
            }
        }
        // A loop reports what it has received at the end of its batch.
        client.eventLoop().submit(() -> { }).sync();
    }

    String device() {
        return ((RdmaChannel) client).device().name();
    }

    @Override
    public void close() {
        assertThat(group.shutdownGracefully(0, SECONDS, TimeUnit.SECONDS)
                .awaitUninterruptibly(SECONDS, TimeUnit.SECONDS)).as("the loops end").isTrue();
    }
}
