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
package io.nettyrdma.microbench.echo;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.microbench.Program;
import io.nettyrdma.microbench.RawResults;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * Many connections between two processes, each of which echoes a short message now and then. Prints what both processes
 * use meanwhile. Run by {@code microbench/many-connections}.
 */
public final class ManyConnections {

    /** Between two messages of a connection. */
    private static final int PERIOD_SECONDS = 10;
    /** Handshakes at a time: a listener's SO_BACKLOG and MAX_ACCEPTING bound them. */
    private static final int AT_ONCE = 500;
    private static final int MESSAGE = 64;
    private static final int REPORTS = 10;
    private static final long PAGE = 4096;
    private static final double MIB = 1 << 20;

    private final AtomicLong answered = new AtomicLong();
    private final AtomicInteger closed = new AtomicInteger();
    private final List<Pulse> pulses = new ArrayList<>();
    /** Connections per second. */
    private double rate;

    private ManyConnections() {
    }

    @Command(name = "microbench/many-connections", description = "Opens many connections between two processes.")
    private static final class Options extends io.nettyrdma.program.Options {
        @Parameters(paramLabel = "CONNECTIONS", arity = "0..1", index = "0", defaultValue = "10000",
                description = "to open")
        private int connections;

        @Parameters(paramLabel = "SECONDS", arity = "0..1", index = "1", defaultValue = "300",
                description = "in which they echo")
        private int seconds;

        @Parameters(paramLabel = "TRANSPORT", arity = "0..1", index = "2", defaultValue = "rdma-adaptive",
                description = "of those of microbench/echo")
        private Transport transport;

        @Override
        protected void check() {
            range("CONNECTIONS", connections, 1, 1_000_000);
            range("SECONDS", seconds, 1, 1_000_000);
        }
    }

    public static void main(String[] words) throws Exception {
        Options options = new Options();
        Program.run(options, words, () -> new ManyConnections().run(options.connections, options.seconds,
                options.transport));
    }

    private void run(int connections, int seconds, Transport transport) throws Exception {
        try (ServerProcess server = new ServerProcess()) {
            SocketAddress to = new InetSocketAddress(transport.localAddress(),
                    server.listen(transport, Kind.ROUND_TRIP, 1));
            EventLoopGroup group = transport.newGroup(1);
            try {
                print("before", server);
                Program.progress();
                connect(group, transport, to, connections);
                print("connected", server);
                Program.progress().expect(seconds);
                long begin = System.nanoTime();
                for (int report = 1; report <= REPORTS; report++) {
                    pulseUntil(begin + TimeUnit.SECONDS.toNanos(seconds) / REPORTS * report);
                    print((System.nanoTime() - begin) / TimeUnit.SECONDS.toNanos(1) + " s", server);
                }
                long late = pulses.stream().filter(Pulse::isWaiting).count();
                System.out.printf(Locale.ROOT, "%,d echoes, %d connections closed, %d wait for an answer%n",
                        answered.get(), closed.get(), late);
                if (closed.get() > 0) {
                    throw new IOException(closed.get() + " connections were closed");
                }
                write(connections, transport, server);
            } finally {
                group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
            }
        }
    }

    private void write(int connections, Transport transport, ServerProcess server) throws IOException {
        RawResults results = RawResults.of("many-connections");
        if (results != null) {
            String series = String.format(Locale.ROOT, "%,d connections", connections);
            String than = Transport.EPOLL.toString();
            results.add(series, transport.toString(), "connections/s", than, rate);
            results.add(series, transport.toString(), "MiB resident, client", than,
                    resident(ProcessHandle.current().pid()) / MIB);
            results.add(series, transport.toString(), "MiB resident, server", than, resident(server.pid()) / MIB);
        }
    }

    private void connect(EventLoopGroup group, Transport transport, SocketAddress to, int connections)
            throws InterruptedException {
        long begin = System.nanoTime();
        List<ChannelFuture> connecting = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            Pulse pulse = new Pulse();
            pulses.add(pulse);
            connecting.add(new Bootstrap().group(group).channel(transport.channel()).handler(pulse)
                    .option(ChannelOption.ALLOW_HALF_CLOSURE, true).connect(to));
            if (i >= AT_ONCE) {
                connecting.get(i - AT_ONCE).sync();
            }
        }
        for (ChannelFuture each : connecting) {
            each.sync();
        }
        double took = (System.nanoTime() - begin) / (double) TimeUnit.SECONDS.toNanos(1);
        System.out.printf(Locale.ROOT, "%,d connections in %.1f s, %,.0f in a second%n%n", connections, took,
                connections / took);
        rate = connections / took;
        System.out.println("| | echoes | client: registered | heap | resident | descriptors | server: resident "
                + "| descriptors |\n|---|---|---|---|---|---|---|---|");
    }

    /** Lets one connection after the other send, evenly over the period. */
    private void pulseUntil(long end) throws InterruptedException {
        long pause = TimeUnit.SECONDS.toNanos(PERIOD_SECONDS) / 1000;
        int perPause = Math.max(1, pulses.size() / 1000);
        for (int next = 0; System.nanoTime() - end < 0; next = (next + perPause) % pulses.size()) {
            for (int i = 0; i < perPause; i++) {
                pulses.get((next + i) % pulses.size()).beat();
            }
            TimeUnit.NANOSECONDS.sleep(pause);
        }
    }

    private void print(String when, ServerProcess server) throws IOException {
        System.gc();
        long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        long own = ProcessHandle.current().pid();
        if (!when.equals("before")) {
            System.out.printf(Locale.ROOT, "| %s | %,d | %,d | %,d | %,d | %,d | %,d | %,d |%n", when, answered.get(),
                    RdmaByteBufAllocator.DEFAULT.metric().registeredBytes(), heap, resident(own), descriptors(own),
                    resident(server.pid()), descriptors(server.pid()));
        }
    }

    private static long resident(long pid) throws IOException {
        return PAGE * Long.parseLong(Files.readString(Path.of("/proc", "" + pid, "statm")).split(" ")[1]);
    }

    private static long descriptors(long pid) throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc", "" + pid, "fd"))) {
            return all.count();
        }
    }

    /** Sends a message when it is asked to, and counts what is missing of the answer. */
    private final class Pulse extends ChannelInboundHandlerAdapter {

        private volatile Channel channel;
        /** Bytes of answers that are missing. */
        private volatile int missing;

        boolean isWaiting() {
            return missing > 0;
        }

        void beat() {
            Channel to = channel;
            to.eventLoop().execute(() -> {
                if (missing == 0) {
                    missing = MESSAGE;
                    to.writeAndFlush(to.alloc().directBuffer(MESSAGE).writeZero(MESSAGE), to.voidPromise());
                }
            });
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            channel = context.channel();
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf buffer = (ByteBuf) message;
            int left = missing - buffer.readableBytes();
            missing = left;
            buffer.release();
            if (left == 0) {
                answered.incrementAndGet();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            closed.incrementAndGet();
        }
    }
}
