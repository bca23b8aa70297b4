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
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.io.PollMode;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.io.RdmaIoHandlerConfig;
import io.nettyrdma.testsuite.support.ChildProcess;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Loops stand still for longer than the keepalive interval, and so do whole processes: a handler blocks, the garbage
 * collector stops the world, a debugger or SIGSTOP stops the process. No peer is taken for dead, and no byte is lost.
 * {@code io.nettyrdma.testsuite.pauseSeconds} sets the duration, default 1.
 */
@Tag("device")
@Tag("native-speed")
class PauseTest {

    private static final int PAUSE_MILLIS = Deadline.scaledMillis(
            (int) (1000 * Double.parseDouble(System.getProperty("io.nettyrdma.testsuite.pauseSeconds", "1"))));
    /** For the paused ends: much shorter than the pause. Their peers have the default, which is longer. */
    private static final int KEEPALIVE_MILLIS = PAUSE_MILLIS / 5;
    /** 4.096 us times 2^23 is 34 s: the software device of a stopped process stops too. */
    private static final int ACK_TIMEOUT = 23;
    private static final double SECONDS = 60 + PAUSE_MILLIS / 1000.0;
    private static final int IDLE = 3;
    /** More than a window. */
    private static final int BYTES = 3 << 20;
    private static final int PART = 10_000;

    @Test
    void blockedLoopResumes() throws Exception {
        inEachMode(PauseTest::blockLoop);
    }

    @Test
    void stoppedProcessResumes() throws Exception {
        inEachMode(PauseTest::stopProcess);
    }

    /** All at once, because most of the time is pauses. */
    private static void inEachMode(TestOfMode test) throws Exception {
        List<Callable<Void>> tests = new ArrayList<>();
        for (PollMode mode : PollMode.values()) {
            tests.add(() -> {
                try {
                    test.run(mode);
                } catch (Exception | AssertionError e) {
                    throw new AssertionError("in mode " + mode, e);
                }
                return null;
            });
        }
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            for (Future<Void> each : threads.invokeAll(tests)) {
                each.get();
            }
        } finally {
            threads.shutdown();
        }
    }

    /** One end or both are on the loop. */
    private static void blockLoop(PollMode mode) throws Exception {
        try (ChannelPair pair = new ChannelPair(RdmaIoHandlerConfig.DEFAULT.withMode(mode), EchoHandler::new,
                bootstrap -> bootstrap.childOption(RdmaChannelOption.KEEPALIVE_MILLIS, KEEPALIVE_MILLIS))) {
            List<EchoedBytes> clients = connect(new Bootstrap().group(pair.group()).channel(RdmaChannel.class)
                    .remoteAddress(pair.address()));
            List<Channel> children = new ArrayList<>();
            for (int i = 0; i < clients.size(); i++) {
                children.add(pair.accepted());
            }
            children.stream().map(Channel::eventLoop).distinct().forEach(loop -> loop.execute(PauseTest::pause));
            clients.get(0).write(BYTES);
            assertAllEchoed(clients);
            for (Channel child : children) {
                letAsk(child.eventLoop());
            }
            clients.forEach(client -> client.write(PART));
            assertAllEchoed(clients);
            assertThat(children).allMatch(Channel::isActive);
        }
    }

    private static void stopProcess(PollMode mode) throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1,
                RdmaIoHandler.newFactory(RdmaIoHandlerConfig.DEFAULT.withMode(mode)));
        String ip = TestDevice.get().ip().getHostAddress();
        try (ChildProcess child = ChildProcess.start(Server.class, ip, mode.name())) {
            // The processes of all modes start at once.
            String port = child.readLine(Deadline.ofSeconds(SECONDS));
            InetSocketAddress server = new InetSocketAddress(ip, Integer.parseInt(port));
            Bootstrap bootstrap = new Bootstrap().group(group).channel(RdmaChannel.class).remoteAddress(server)
                    .option(RdmaChannelOption.ACK_TIMEOUT_EXPONENT, ACK_TIMEOUT);
            List<EchoedBytes> clients = connect(bootstrap);
            child.stop();
            clients.get(0).write(BYTES);
            pause();
            child.signal("CONT");
            assertAllEchoed(clients);
            child.writeLine("ask");
            assertThat(child.readLine(Deadline.ofSeconds(SECONDS))).isEqualTo("asked");
            clients.forEach(client -> client.write(PART));
            assertAllEchoed(clients);
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        }
    }

    /** The first of these will be busy. */
    private static List<EchoedBytes> connect(Bootstrap bootstrap) throws Exception {
        List<EchoedBytes> clients = new ArrayList<>();
        for (int i = 0; i <= IDLE; i++) {
            clients.add(new EchoedBytes(bootstrap, i));
        }
        clients.forEach(client -> client.write(PART));
        assertAllEchoed(clients);
        return clients;
    }

    private static void assertAllEchoed(List<EchoedBytes> clients) throws Exception {
        for (EchoedBytes client : clients) {
            client.assertAllEchoed();
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Waits until the keepalive timers have fired more often than a peer may stay silent. */
    private static void letAsk(EventLoop loop) throws InterruptedException {
        loop.schedule(() -> { }, 5L * KEEPALIVE_MILLIS, TimeUnit.MILLISECONDS).sync();
    }

    private interface TestOfMode {

        void run(PollMode mode) throws Exception;
    }

    /** A connection that writes and compares what is echoed. */
    private static final class EchoedBytes {

        private final byte[] all = new byte[BYTES + 2 * PART];
        private final SameBytes echoed;
        private final Channel channel;
        private int written;

        EchoedBytes(Bootstrap bootstrap, int seed) throws InterruptedException {
            new Random(seed).nextBytes(all);
            echoed = new SameBytes(all);
            channel = bootstrap.clone().handler(echoed).connect().sync().channel();
        }

        void write(int count) {
            for (int end = written + count; written < end; written += Math.min(PART, end - written)) {
                channel.writeAndFlush(Unpooled.wrappedBuffer(all, written, Math.min(PART, end - written)));
            }
        }

        void assertAllEchoed() throws Exception {
            Deadline.ofSeconds(SECONDS).until("the echo, or the end of " + channel, () ->
                    echoed.count() >= written || !channel.isOpen());
            assertThat(echoed.count()).as("bytes that came back to %s", channel).isEqualTo(written);
            assertThat(echoed.firstDifference()).as("other bytes than were sent").isEqualTo(-1);
            assertThat(channel.isActive()).as("%s is active", channel).isTrue();
        }
    }

    /** Runs in the process that is stopped. */
    static final class Server {

        private Server() {
        }

        public static void main(String[] arguments) throws Exception {
            EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory(
                    RdmaIoHandlerConfig.DEFAULT.withMode(PollMode.valueOf(arguments[1]))));
            RdmaServerChannel listener = (RdmaServerChannel) new ServerBootstrap().group(group)
                    .channel(RdmaServerChannel.class).childOption(RdmaChannelOption.KEEPALIVE_MILLIS, KEEPALIVE_MILLIS)
                    .childOption(RdmaChannelOption.ACK_TIMEOUT_EXPONENT, ACK_TIMEOUT)
                    .childHandler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel child) {
                            child.pipeline().addLast(new EchoHandler());
                        }
                    }).bind(new InetSocketAddress(InetAddress.getByName(arguments[0]), 0)).sync().channel();
            ChildProcess.reportToParent(Integer.toString(listener.localAddress().getPort()));
            ChildProcess.parentLines().readLine();
            letAsk(group.next());
            ChildProcess.reportToParent("asked");
            // Until it is killed.
            ChildProcess.parentLines().readLine();
        }
    }
}
