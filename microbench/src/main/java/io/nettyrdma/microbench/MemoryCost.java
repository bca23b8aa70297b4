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
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.Rdma;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.buffer.RdmaByteBufAllocatorMetric;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.io.RdmaIoHandler;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Measures the memory that connections use, idle and busy: bytes of buffers and of chunks, registered memory, the Java
 * heap and the process. Both ends of each connection are in this process, the servers' on one loop and the clients' on
 * another. Run by {@code microbench/memory-cost}.
 *
 * <pre>
 *   idle        connected; nothing was ever sent
 *   busy        each client has written 256 KiB at the same time, which are sent back; half of the clients have got all
 *   calm        then each client has sent 64 B 2,500 times, one message after another
 * </pre>
 */
public final class MemoryCost {

    private static final int BUSY_BYTES = 256 << 10;
    private static final int CALM_BYTES = 64;
    private static final int CALM_ROUNDS = 2_500;
    private static final double MIB = 1 << 20;

    private final List<Client> clients = new ArrayList<>();

    private MemoryCost() {
    }

    @Command(name = "microbench/memory-cost", description = "Shows the memory of connections, idle and busy.")
    private static final class Options extends io.nettyrdma.program.Options {
        @Option(names = "--address", paramLabel = "ADDRESS", defaultValue = "127.0.0.1", description = "of the device")
        private String host;

        @Parameters(paramLabel = "CONNECTIONS", arity = "0..*",
                description = "numbers of connections, 1 and 1000")
        private List<Integer> connections;

        @Override
        protected void check() {
            if (connections != null) {
                connections.forEach(number -> range("CONNECTIONS", number, 1, 1_000_000));
            }
        }
    }

    public static void main(String[] words) throws Exception {
        Options options = new Options();
        Program.run(options, words, () -> {
            Rdma.ensureAvailability();
            Program.progress();
            System.out.printf(Locale.ROOT, "%11s  %-5s  %14s  %14s  %14s  %14s  %14s%n", "connections", "state",
                    "in use", "committed", "registered", "heap", "resident");
            for (int connections : options.connections == null ? List.of(1, 1000) : options.connections) {
                new MemoryCost().measure(options.host, connections);
            }
        });
    }

    private void measure(String host, int connections) throws Exception {
        MultiThreadIoEventLoopGroup servers = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        try {
            Channel listener = new ServerBootstrap().group(servers).channel(RdmaServerChannel.class)
                    .childHandler(new Echo()).bind(Program.address(host)).sync().channel();
            for (int i = 0; i < connections; i++) {
                Client client = new Client();
                new Bootstrap().group(group).channel(RdmaChannel.class).handler(client)
                        .connect(listener.localAddress()).sync();
                clients.add(client);
            }
            print(connections, "idle");
            exchange(BUSY_BYTES, connections / 2 + 1);
            print(connections, "busy");
            exchange(0, connections);
            for (int i = 0; i < CALM_ROUNDS; i++) {
                exchange(CALM_BYTES, connections);
            }
            print(connections, "calm");
        } finally {
            group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
            servers.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }

    /** Makes all clients send, and waits for some of them. With 0 bytes it only waits for data in flight. */
    private void exchange(int bytes, int awaited) throws InterruptedException {
        CountDownLatch latch = new CountDownLatch(awaited);
        clients.forEach(client -> client.exchange(bytes, latch));
        latch.await();
    }

    private static void print(int connections, String state) throws IOException {
        RdmaByteBufAllocatorMetric metric = RdmaByteBufAllocator.DEFAULT.metric();
        long inUse = metric.inUseBytes();
        long committed = metric.committedBytes();
        long registered = metric.registeredBytes();
        System.gc();
        long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        long resident = residentBytes();
        System.out.printf(Locale.ROOT, "%,11d  %-5s  %,14d  %,14d  %,14d  %,14d  %,14d%n", connections, state, inUse,
                committed, registered, heap, resident);
        RawResults results = RawResults.of("memory-cost");
        if (results != null) {
            String series = String.format(Locale.ROOT, "%,d connections, %s", connections, state);
            results.add(series, "both ends", "MiB registered", "", registered / MIB);
            results.add(series, "both ends", "MiB in use", "", inUse / MIB);
            results.add(series, "both ends", "MiB resident", "", resident / MIB);
        }
    }

    private static long residentBytes() throws IOException {
        String pages = Files.readString(Path.of("/proc/self/statm")).split(" ")[1];
        return Long.parseLong(pages) * 4096;
    }

    /** Writes back what it reads. */
    @ChannelHandler.Sharable
    private static final class Echo extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }
    }

    /** Sends, and counts what comes back. */
    private static final class Client extends ChannelInboundHandlerAdapter {

        private ChannelHandlerContext context;
        private int inFlight;
        private CountDownLatch latch;

        @Override
        public void handlerAdded(ChannelHandlerContext added) {
            context = added;
        }

        void exchange(int bytes, CountDownLatch done) {
            context.executor().execute(() -> {
                latch = done;
                if (bytes > 0) {
                    inFlight += bytes;
                    context.writeAndFlush(context.alloc().directBuffer(bytes).writeZero(bytes));
                }
                countDownIfDone();
            });
        }

        @Override
        public void channelRead(ChannelHandlerContext ignored, Object message) {
            ByteBuf buffer = (ByteBuf) message;
            inFlight -= buffer.readableBytes();
            buffer.release();
            countDownIfDone();
        }

        private void countDownIfDone() {
            if (inFlight == 0 && latch != null) {
                latch.countDown();
                latch = null;
            }
        }
    }
}
