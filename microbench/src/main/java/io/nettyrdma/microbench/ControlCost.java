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
package io.nettyrdma.microbench;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.NetUtil;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.io.RdmaIoHandle;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.io.RdmaIoRegistration;
import io.nettyrdma.verbs.RdmaDevice;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Measures how connections that come and go affect the round trips of one that stays, on the same loop of a server. Run
 * by {@code microbench/control-cost}.
 */
public final class ControlCost {

    private static final int SECONDS = 5;
    /** The time before the measurement: the first thousand connections run in the interpreter. */
    private static final int WARM_UP_SECONDS = 10;
    private static final int BACKLOG = Integer.getInteger("backlog", NetUtil.SOMAXCONN);
    private static final int BURST = 20;
    private static final int BYTES = 64;
    /** Enough that these loops do not limit the rate. */
    private static final int CONNECTING_LOOPS = 16;

    private ControlCost() {
    }

    @Command(name = "microbench/control-cost", description = "Measures round trips while connections come and go.")
    private static final class Options extends io.nettyrdma.program.Options {
        @Option(names = "--address", paramLabel = "ADDRESS", defaultValue = "127.0.0.1", description = "of the device")
        private String host;

        @Parameters(paramLabel = "RATE", arity = "0..*",
                description = "connections in a second, 0, 50, 200 and 1000")
        private List<Integer> rates;

        @Override
        protected void check() {
            if (rates != null) {
                rates.forEach(rate -> range("RATE", rate, 0, 1_000_000));
            }
        }
    }

    public static void main(String[] words) throws Exception {
        Options options = new Options();
        Program.run(options, words, () -> {
            List<Integer> rates = options.rates == null ? List.of(0, 50, 200, 1000) : options.rates;
            Program.progress().expect(rates.size() * (WARM_UP_SECONDS + SECONDS));
            for (int rate : rates) {
                measure(options.host, rate);
            }
        });
    }

    private static void measure(String host, int rate) throws Exception {
        EventLoopGroup listeners = loops(1);
        EventLoopGroup servers = loops(1);
        EventLoopGroup steady = loops(1);
        EventLoopGroup connecting = loops(CONNECTING_LOOPS);
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        Channel listener = new ServerBootstrap().group(listeners, servers).channel(RdmaServerChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG).childHandler(new Echo())
                .bind(Program.address(host)).sync().channel();
        RoundTrips roundTrips = new RoundTrips();
        new Bootstrap().group(steady).channel(RdmaChannel.class).handler(roundTrips)
                .connect(listener.localAddress()).sync();
        AtomicInteger done = new AtomicInteger();
        if (rate > 0) {
            timer.scheduleAtFixedRate(() -> {
                for (int i = 0; i < BURST; i++) {
                    comeAndGo(connecting, listener, done);
                }
            }, 0, TimeUnit.SECONDS.toMicros(BURST) / rate, TimeUnit.MICROSECONDS);
        }
        RdmaDevice device = deviceOf(servers);
        TimeUnit.SECONDS.sleep(WARM_UP_SECONDS);
        int before = done.get();
        long callsBefore = device.queuePairCalls();
        roundTrips.clear();
        TimeUnit.SECONDS.sleep(SECONDS);
        System.out.printf(Locale.ROOT, "%5d asked for a second, %4d came and went, %4d calls of the server: %s%n",
                rate, (done.get() - before) / SECONDS, (device.queuePairCalls() - callsBefore) / SECONDS, roundTrips);
        timer.shutdownNow();
        for (EventLoopGroup each : new EventLoopGroup[] { connecting, steady, servers, listeners }) {
            each.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        }
    }

    /** The device as the group's loop has opened it. */
    private static RdmaDevice deviceOf(EventLoopGroup group) throws Exception {
        IoEventLoop loop = (IoEventLoop) group.next();
        RdmaIoRegistration registration = loop.register(new Bystander()).sync().getNow().attachment();
        String name = RdmaDevice.list().get(0).name();
        return loop.submit(() -> registration.loop().device(name).device()).sync().getNow();
    }

    private static EventLoopGroup loops(int count) {
        return new MultiThreadIoEventLoopGroup(count, RdmaIoHandler.newFactory());
    }

    private static void comeAndGo(EventLoopGroup group, Channel listener, AtomicInteger done) {
        new Bootstrap().group(group).channel(RdmaChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) TimeUnit.SECONDS.toMillis(SECONDS))
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        // The connection is only opened and closed.
                    }
                }).connect(listener.localAddress()).addListener(connected -> {
                    if (connected.isSuccess()) {
                        done.incrementAndGet();
                    }
                    ((ChannelFuture) connected).channel().close();
                });
    }

    private static final class Bystander implements RdmaIoHandle {

        @Override
        public int outstandingWork() {
            return 0;
        }

        @Override
        public void handle(IoRegistration registration, IoEvent event) {
            // It only gives access to its loop.
        }

        @Override
        public void close() {
            // It owns nothing.
        }
    }

    @ChannelHandler.Sharable
    private static final class Echo extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }
    }

    private static final class RoundTrips extends ChannelInboundHandlerAdapter {

        private long[] nanos = new long[1 << 20];
        private int count;
        private long sent;
        private ChannelHandlerContext context;

        @Override
        public void channelActive(ChannelHandlerContext active) {
            context = active;
            send();
        }

        /** All 64 bytes arrive in one read. */
        @Override
        public void channelRead(ChannelHandlerContext ignored, Object message) {
            ((ByteBuf) message).release();
            if (count < nanos.length) {
                nanos[count++] = System.nanoTime() - sent;
            }
            send();
        }

        private void send() {
            sent = System.nanoTime();
            context.writeAndFlush(context.alloc().directBuffer(BYTES).writeZero(BYTES));
        }

        void clear() throws Exception {
            context.executor().submit(() -> count = 0).sync();
        }

        @Override
        public String toString() {
            int seen = count;
            long[] sorted = Arrays.copyOf(nanos, seen);
            Arrays.sort(sorted);
            return String.format(Locale.ROOT,
                    "%,d round trips, p50 %.0f us, p99 %.0f us, p99.9 %.0f us, longest %.0f us", seen,
                    at(sorted, 0.5), at(sorted, 0.99), at(sorted, 0.999), at(sorted, 1));
        }

        private static double at(long[] sorted, double share) {
            return sorted.length == 0 ? Double.NaN
                    : sorted[(int) Math.min(sorted.length - 1, (long) (share * sorted.length))] / 1000.0;
        }
    }
}
