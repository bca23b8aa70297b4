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
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.testsuite.support.EchoHandler;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/**
 * Runs in an {@link InstrumentingLoader}: sends messages of 64 bytes between two loops of one process, one message at a
 * time, and returns what was counted, as lines.
 */
public final class HotPathTraffic implements Callable<List<String>> {

    private static final int BYTES = 64;
    private static final int WARM_UP = 300;
    private static final int MESSAGES = 200;
    private static final int ROUND_TRIPS = 2_000;

    private final List<String> lines = new ArrayList<>();

    @Override
    public List<String> call() throws Exception {
        EventLoopGroup servers = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        EventLoopGroup clients = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        try {
            Semaphore arrivals = new Semaphore(0);
            oneWay(servers, clients, () -> new Counter(arrivals), arrivals);
            roundTrips(servers, clients);
        } finally {
            clients.shutdownGracefully().sync();
            servers.shutdownGracefully().sync();
        }
        return lines;
    }

    private void oneWay(EventLoopGroup servers, EventLoopGroup clients, Supplier<ChannelHandler> handlers,
                        Semaphore arrivals) throws Exception {
        Channel listener = listen(servers, handlers);
        Channel client = connect(clients, listener, new Counter(new Semaphore(0)));
        send(client, arrivals, WARM_UP);
        EntryLog.clear();
        send(client, arrivals, MESSAGES);
        line("classes.received " + String.join(",", EntryLog.fewestReceived()));
        line("classes.written " + String.join(",", EntryLog.fewestWritten()));
        client.close().sync();
        listener.close().sync();
    }

    private static void send(Channel client, Semaphore arrivals, int messages) throws Exception {
        for (int i = 0; i < messages; i++) {
            client.eventLoop().submit(() -> {
                ByteBuf message = client.alloc().directBuffer(BYTES).writeZero(BYTES);
                EntryLog.beginWrite();
                client.writeAndFlush(message);
            }).sync();
            arrivals.acquire();
        }
    }

    private void roundTrips(EventLoopGroup servers, EventLoopGroup clients) throws Exception {
        Channel listener = listen(servers, EchoHandler::new);
        Pinger pinger = new Pinger();
        Channel client = connect(clients, listener, pinger);
        pinger.run(client, WARM_UP);
        EntryLog.clear();
        pinger.run(client, ROUND_TRIPS);
        line("messages " + 2 * ROUND_TRIPS);
        line("frames.data " + EntryLog.calls("frame.DATA"));
        line("frames.credit " + EntryLog.calls("frame.CREDIT"));
        line("posts.sends " + EntryLog.calls(".PostBatches.takeSends"));
        line("posts.receives " + EntryLog.calls(".PostBatches.receives"));
        line("polls.found " + EntryLog.received());
        line("polls.timed " + EntryLog.calls(".CompletionPoller.spinNanos"));
        line("polls.empty " + EntryLog.calls(".PollPolicy.afterEmptyPoll"));
        line("polls.busy " + EntryLog.calls(".PollPolicy.isSelectDue"));
        line("clocks.found " + EntryLog.clocksOfReceived());
        line("clocks.all " + EntryLog.calls("clock.read"));
        line("waits " + EntryLog.calls(".PollPolicy.beginWait"));
        line("selects " + EntryLog.calls(".PollPolicy.selected"));
        line("sleeps " + EntryLog.calls(".PollPolicy.sleeps"));
        line("yields " + EntryLog.calls(".PollPolicy.yielded"));
        client.close().sync();
        listener.close().sync();
    }

    private static Channel listen(EventLoopGroup loops, Supplier<ChannelHandler> handlers) throws Exception {
        return new ServerBootstrap().group(loops).channel(RdmaServerChannel.class)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel child) {
                        child.pipeline().addLast(handlers.get());
                    }
                }).bind(new InetSocketAddress("127.0.0.1", 0)).sync().channel();
    }

    private static Channel connect(EventLoopGroup loops, Channel listener, ChannelHandler handler) throws Exception {
        return new Bootstrap().group(loops).channel(RdmaChannel.class).handler(handler)
                .connect(listener.localAddress()).sync().channel();
    }

    private void line(String line) {
        lines.add(line);
    }

    /** Counts messages, which arrive whole: each is one frame. */
    private static final class Counter extends SimpleChannelInboundHandler<ByteBuf> {

        private final Semaphore arrivals;

        Counter(Semaphore arrivals) {
            this.arrivals = arrivals;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            arrivals.release();
        }
    }

    /** Sends a message, and the next one when it comes back. */
    private static final class Pinger extends SimpleChannelInboundHandler<ByteBuf> {

        private final Semaphore ends = new Semaphore(0);
        private volatile int left;

        void run(Channel client, int roundTrips) throws InterruptedException {
            left = roundTrips;
            send(client);
            ends.acquire();
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            left--;
            if (left > 0) {
                send(context.channel());
            } else {
                ends.release();
            }
        }

        private static void send(Channel client) {
            client.writeAndFlush(client.alloc().directBuffer(BYTES).writeZero(BYTES));
        }
    }
}
