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
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.testsuite.support.Deadline;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A server that echoes, and clients that talk to it or to another peer, on two loops. Every promise, buffer and
 * connection is recorded. Whatever happened, {@link #end} asserts that nothing is left and that the loops serve new
 * clients. Reproducible by its seed, except for the timing of threads.
 */
final class Load implements AutoCloseable {

    /** Shared by all loads, one after another, so that the next load's end detects what one has not returned. */
    private static final RdmaByteBufAllocator ALLOCATOR = RdmaByteBufAllocator.builder().chunkBytes(2 << 20).build();
    private static final double SECONDS = 30;
    private static final int LOOPS = 2;
    private static final int WINDOW = 128 << 10;
    private static final int FEW = 3;

    private final LeakWatch leaks = new LeakWatch(message -> message.contains(" has failed"));
    private final Random random;
    private final InetAddress ip;
    private final Promises promises = new Promises();
    private final List<Talker> talkers = new ArrayList<>();
    private final Queue<Channel> children = new ConcurrentLinkedQueue<>();
    private final CountedLoops group = new CountedLoops(LOOPS);
    private final Consumer<ServerBootstrap> childOptions;
    private RdmaServerChannel listener;

    Load(InetAddress ip, long seed) throws Exception {
        this(ip, seed, bootstrap -> { });
    }

    Load(InetAddress ip, long seed, Consumer<ServerBootstrap> childOptions) throws Exception {
        this.ip = ip;
        this.childOptions = childOptions;
        random = new Random(seed);
        listen();
    }

    Random random() {
        return random;
    }

    /** Listens again, if the listener is closed. */
    void listen() throws Exception {
        ServerBootstrap bootstrap = new ServerBootstrap().group(group).channel(RdmaServerChannel.class)
                .handler(new Failing()).childOption(ChannelOption.ALLOCATOR, ALLOCATOR)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel child) {
                        children.add(child);
                        child.pipeline().addLast(new Echo());
                    }
                });
        childOptions.accept(bootstrap);
        listener = (RdmaServerChannel) bootstrap.bind(new InetSocketAddress(ip, 0)).sync().channel();
    }

    InetSocketAddress address() {
        return listener.localAddress();
    }

    /** The server's end of a client's connection. */
    Channel childOf(Talker talker) {
        return find(talker).orElseThrow();
    }

    private Optional<Channel> find(Talker talker) {
        return children.stream().filter(child -> talker.channel().localAddress().equals(child.remoteAddress()))
                .findFirst();
    }

    /** Aborts the server's end. The server learns of it some time after the client. */
    void abortChildOf(Talker talker) {
        Optional<Channel> child = find(talker);
        if (child.isPresent()) {
            abort(child.get());
        } else if (!talker.hasEnded()) {
            talker.channel().eventLoop().schedule(() -> abortChildOf(talker), 1, TimeUnit.MILLISECONDS);
        }
    }

    /** Aborts a connection without FIN. */
    static void abort(Channel channel) {
        channel.config().setOption(ChannelOption.SO_LINGER, 0);
        channel.close();
    }

    /** Starts to connect to its own server, and then to send that many messages. */
    Talker talk(int messages) {
        return talk(address(), messages, WINDOW);
    }

    Talker talk(InetSocketAddress to, int messages, long ahead) {
        return talk(group, to, messages, ahead, bootstrap -> { });
    }

    Talker talk(InetSocketAddress to, int messages, long ahead, Consumer<Bootstrap> options) {
        return talk(group, to, messages, ahead, options);
    }

    private Talker talk(EventLoopGroup on, InetSocketAddress to, int messages, long ahead,
                        Consumer<Bootstrap> options) {
        Talker talker = new Talker(random.nextLong(), promises, messages, ahead);
        Bootstrap bootstrap = new Bootstrap().group(on).channel(RdmaChannel.class).handler(talker)
                .option(ChannelOption.ALLOCATOR, ALLOCATOR)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, Deadline.scaledMillis((int) SECONDS * 1000));
        options.accept(bootstrap);
        talker.connected(bootstrap.connect(to));
        talkers.add(talker);
        return talker;
    }

    List<Talker> talkMany(int clients, int messages) {
        List<Talker> some = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            some.add(talk(messages));
        }
        return some;
    }

    static void await(List<Talker> talkers) throws Exception {
        Deadline deadline = Deadline.ofSeconds(SECONDS);
        for (Talker talker : talkers) {
            deadline.until("the end of what " + talker + " has to say", talker::isDone);
        }
    }

    /** Waits for the end of those that the fault must have ended. */
    static void awaitEnd(List<Talker> talkers) throws Exception {
        Deadline deadline = Deadline.ofSeconds(SECONDS);
        for (Talker talker : talkers) {
            deadline.until("the end of " + talker, talker::hasEnded);
        }
    }

    /** Waits for the end of the listener, whose device is gone. */
    void awaitEndOfListener() throws Exception {
        Deadline.ofSeconds(SECONDS).until("the end of " + listener, () -> !listener.isOpen());
    }

    /** Returns when the loops have processed everything that has arrived. */
    void letLoopsWork() throws InterruptedException {
        for (EventExecutor loop : group) {
            ChannelPair.letWork((EventLoop) loop);
        }
    }

    /** Call when the fault is over. Asserts that all is closed and complete, and that new connections work. */
    void end() throws Exception {
        closeAll();
        if (!listener.isOpen()) {
            listen();
        }
        for (EventExecutor loop : group) {
            Talker next = talk((EventLoop) loop, address(), FEW, WINDOW, bootstrap -> { });
            await(List.of(next));
            next.assertIsWhole();
        }
        closeAll();
        promises.assertEachEndsOnce(Deadline.ofSeconds(SECONDS));
        talkers.forEach(Talker::assertLeavesNothing);
        Deadline.ofSeconds(SECONDS).until("loops that have nothing but the listener", () -> group.registrations() == 1);
    }

    private void closeAll() throws Exception {
        talkers.forEach(talker -> talker.channel().close());
        awaitEnd(talkers);
        Deadline deadline = Deadline.ofSeconds(SECONDS);
        for (Channel child : children) {
            deadline.until("the end of " + child, () -> child.closeFuture().isDone());
        }
    }

    @Override
    public void close() {
        int millis = Deadline.scaledMillis((int) SECONDS * 1000);
        assertThat(group.shutdownGracefully(0, millis, TimeUnit.MILLISECONDS)
                .awaitUninterruptibly(millis, TimeUnit.MILLISECONDS)).as("the loops end").isTrue();
        leaks.close();
        assertThat(ALLOCATOR.metric().inUseBytes()).as("memory that is not given back").isZero();
        assertThat(ALLOCATOR.metric().registeredBytes()).as("memory that is still registered").isZero();
    }

    /** A fault may end any connection. The bytes, the promises and the buffers show what it must not do. */
    static class Failing extends ChannelInboundHandlerAdapter {

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            // See above.
        }
    }

    /** Echoes. */
    private final class Echo extends Failing {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.write(message, promises.next(context.channel()));
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }
    }
}
