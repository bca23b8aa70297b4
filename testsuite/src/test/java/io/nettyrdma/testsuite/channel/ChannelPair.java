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
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.io.RdmaIoHandlerConfig;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaCounters;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.TestDevice;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

import static org.assertj.core.api.Assertions.assertThat;

/** A server that listens on the test's device, and clients that connect to it, on one group of two loops. */
final class ChannelPair implements AutoCloseable {

    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(30_000);
    /** A poll takes a limited number of completions, and some may be of other connections. */
    private static final int POLLS = 3;
    /** A test may make a hundred thousand connections, whose channels have no room in the heap together. */
    private static final int MOST_REQUESTED = 100;

    private final EventLoopGroup group;
    private final BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
    private final List<RdmaCounters> counters = new ArrayList<>();
    private final List<RdmaChannel> requested = new CopyOnWriteArrayList<>();
    private final AtomicInteger mostAccepting = new AtomicInteger();
    private final RdmaServerChannel listener;
    private final InetSocketAddress address;

    ChannelPair(Supplier<ChannelHandler> handlers) throws Exception {
        this(handlers, bootstrap -> { });
    }

    /** @param options configures the server and its children. */
    ChannelPair(Supplier<ChannelHandler> handlers, Consumer<ServerBootstrap> options) throws Exception {
        this(RdmaIoHandlerConfig.DEFAULT, handlers, options);
    }

    ChannelPair(RdmaIoHandlerConfig config, Supplier<ChannelHandler> handlers, Consumer<ServerBootstrap> options)
            throws Exception {
        group = new MultiThreadIoEventLoopGroup(2, RdmaIoHandler.newFactory(config));
        for (EventExecutor loop : group) {
            counters.add(countersOf((EventLoop) loop));
        }
        ServerBootstrap bootstrap = new ServerBootstrap().group(group).channel(RdmaServerChannel.class)
                .handler(new Requests())
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline().addLast(handlers.get());
                        accepted.add(channel);
                    }
                });
        options.accept(bootstrap);
        listener = (RdmaServerChannel) bootstrap.bind(new InetSocketAddress(TestDevice.get().ip(), 0)).sync().channel();
        address = listener.localAddress();
    }

    /** Children before their connections are open, of which a program may never learn. */
    private final class Requests extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (requested.size() < MOST_REQUESTED) {
                requested.add((RdmaChannel) message);
            }
            mostAccepting.accumulateAndGet(((RdmaServerChannel) context.channel()).acceptingChildren(), Math::max);
            context.fireChannelRead(message);
        }
    }

    EventLoopGroup group() {
        return group;
    }

    RdmaServerChannel listener() {
        return listener;
    }

    /** The first children that were made for requests, open or not. */
    List<RdmaChannel> requested() {
        return requested;
    }

    /** The most children that were accepted at a time. */
    int mostAccepting() {
        return mostAccepting.get();
    }

    /** The sum over all loops. */
    long sum(RdmaCounter counter) {
        return counters.stream().mapToLong(each -> each.get(counter)).sum();
    }

    /** A channel knows those of its loop. A child that is not announced may not have a loop yet. */
    private static RdmaCounters countersOf(EventLoop loop) throws InterruptedException {
        RdmaChannel channel = (RdmaChannel) new Bootstrap().group(loop).channel(RdmaChannel.class)
                .handler(new ChannelInboundHandlerAdapter()).register().sync().channel();
        channel.close().sync();
        return channel.loopCounters();
    }

    /** The address of the listener, even if closed. */
    InetSocketAddress address() {
        return address;
    }

    Bootstrap bootstrap(ChannelHandler handler) {
        return new Bootstrap().group(group).channel(RdmaChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, PATIENCE_MILLIS)
                .handler(handler);
    }

    RdmaChannel connect(ChannelHandler handler) throws Exception {
        return connect(handler, bootstrap -> { });
    }

    /** @param options configures the client. */
    RdmaChannel connect(ChannelHandler handler, Consumer<Bootstrap> options) throws Exception {
        Bootstrap bootstrap = bootstrap(handler);
        options.accept(bootstrap);
        return (RdmaChannel) bootstrap.connect(address()).sync().channel();
    }

    /** The server's end of the oldest connection that was not returned yet. */
    RdmaChannel accepted() throws InterruptedException {
        Channel channel = accepted.poll(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        assertThat(channel).as("a connection at the server").isNotNull();
        assertThat(channel.remoteAddress()).as("known before the channel is active").isNotNull();
        return (RdmaChannel) channel;
    }

    /** The same, when it is active. */
    RdmaChannel acceptedAndActive() throws Exception {
        RdmaChannel channel = accepted();
        Deadline.standard().until("the child is active", channel::isActive);
        return channel;
    }

    /** Returns after the loop has polled several times, so that everything that had arrived has been processed. */
    static void letWork(EventLoop loop) throws InterruptedException {
        for (int i = 0; i < POLLS; i++) {
            Promise<Void> polled = loop.newPromise();
            // A plain task may still run in a turn that has polled already.
            ((SingleThreadEventLoop) loop).executeAfterEventLoopIteration(() ->
                    loop.execute(() -> polled.setSuccess(null)));
            polled.sync();
        }
    }

    @Override
    public void close() {
        listener.close().syncUninterruptibly();
        assertThat(group.shutdownGracefully(0, PATIENCE_MILLIS, TimeUnit.MILLISECONDS)
                .awaitUninterruptibly(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).as("the loops end").isTrue();
    }
}
