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
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.io.PollMode;
import io.nettyrdma.io.RdmaIoHandle;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.io.RdmaIoHandlerConfig;
import io.nettyrdma.io.RdmaIoRegistration;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.RdmaDeviceInfo;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Measures the cost of idle connections: processor time of the whole process, and registered memory. A listener and
 * both ends of the connections to it are on one loop of this process. Run by {@code microbench/idle-cost}.
 */
public final class IdleCost {

    private static final int CONNECTIONS = 10;
    /** The JVM's compiler still has work left from connecting. */
    private static final int SETTLE_SECONDS = 5;

    @Command(name = "microbench/idle-cost", description = "Measures what idle connections cost.")
    private static final class Options extends io.nettyrdma.program.Options {
        @Parameters(paramLabel = "SECONDS", arity = "0..1", index = "0", defaultValue = "20",
                description = "to measure each mode")
        private int seconds;

        @Parameters(paramLabel = "ADDRESS", arity = "0..1", index = "1", defaultValue = "127.0.0.1",
                description = "of the device")
        private String host;

        @Override
        protected void check() {
            range("SECONDS", seconds, 1, 1_000_000);
        }
    }

    private IdleCost() {
    }

    public static void main(String[] words) throws Exception {
        Options options = new Options();
        Program.run(options, words, () -> {
            PollMode[] modes = { PollMode.EVENT, PollMode.ADAPTIVE };
            Program.progress().expect(modes.length * (SETTLE_SECONDS + options.seconds));
            for (PollMode mode : modes) {
                measure(mode, options.seconds, options.host);
            }
        });
    }

    private static void measure(PollMode mode, int seconds, String host) throws Exception {
        MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1,
                RdmaIoHandler.newFactory(RdmaIoHandlerConfig.DEFAULT.withMode(mode)));
        try {
            Channel listener = new ServerBootstrap().group(group).channel(RdmaServerChannel.class)
                    .childHandler(new Silent()).bind(Program.address(host)).sync()
                    .channel();
            Bootstrap bootstrap = new Bootstrap().group(group).channel(RdmaChannel.class)
                    .handler(new Silent());
            for (int i = 0; i < CONNECTIONS; i++) {
                bootstrap.connect(listener.localAddress()).sync();
            }
            TimeUnit.SECONDS.sleep(SETTLE_SECONDS);
            long cpu = cpuNanos();
            long begin = System.nanoTime();
            TimeUnit.SECONDS.sleep(seconds);
            double share = (double) (cpuNanos() - cpu) / (System.nanoTime() - begin);
            long registered = registeredBytes(group);
            System.out.printf(Locale.ROOT, "%-8s  %d idle connections: %.3f %% of a core; %,d bytes registered for both"
                    + " ends, %,d for each end%n", mode, CONNECTIONS, 100 * share, registered,
                    registered / (2 * CONNECTIONS));
            RawResults results = RawResults.of("idle-cost");
            if (results != null) {
                results.add(CONNECTIONS + " idle connections", mode.name().toLowerCase(Locale.ROOT), "% of a core", "",
                        100 * share);
            }
        } finally {
            group.shutdownGracefully(1, 10, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }

    private static long cpuNanos() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    private static long registeredBytes(MultiThreadIoEventLoopGroup group) throws Exception {
        IoRegistration probe = group.next().register(new Probe()).get();
        RdmaIoRegistration registration = probe.attachment();
        return group.next().submit(() -> {
            long bytes = 0;
            for (RdmaDeviceInfo device : RdmaDevice.list()) {
                bytes += registration.loop().device(device.name()).registeredBytes();
            }
            probe.cancel();
            return bytes;
        }).get();
    }

    @ChannelHandler.Sharable
    private static final class Silent extends ChannelInboundHandlerAdapter {
    }

    /** A handle without any work, because only handles have access to a loop's devices. */
    private static final class Probe implements RdmaIoHandle {

        @Override
        public int outstandingWork() {
            return 0;
        }

        @Override
        public void handle(IoRegistration registration, IoEvent event) {
        }

        @Override
        public void close() {
        }
    }
}
