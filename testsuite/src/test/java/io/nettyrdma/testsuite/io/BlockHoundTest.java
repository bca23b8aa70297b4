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
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoRegistration;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.io.RdmaIoRegistration;
import io.nettyrdma.testsuite.support.ChildProcess;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingMethod;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import static org.assertj.core.api.Assertions.assertThat;

/** Under BlockHound, which tests of reactive programs install, the loops wait, and handlers and tasks may not. */
@Tag("device")
@Tag("any-device")
@Tag("native-speed")
@EnabledForJreRange(max = JRE.JAVA_21, disabledReason = "BlockHound 1.0.11 does not know its class files")
class BlockHoundTest {

    private static final List<String> OPTIONS = List.of("-XX:+AllowRedefinitionToAddDeleteMethods", "-cp",
            System.getProperty("java.class.path"));

    @Test
    void onlyBlockingHandlersAndTasksAreReported() throws Exception {
        try (ChildProcess child = ChildProcess.start(List.of(), OPTIONS, Child.class)) {
            assertThat(child.readLine(Deadline.ofSeconds(60))).as("echo").isEqualTo("found: []");
            assertThat(child.readLine()).as("a handler").isEqualTo("found: [BlockingHandler]");
            assertThat(child.readLine()).as("a task").isEqualTo("found: [Child]");
            assertThat(child.readLine()).as("a thread for blocking calls").isEqualTo("found: []");
            assertThat(child.readLine()).as("the end of the loops").isEqualTo("found: []");
            assertThat(child.exitStatus()).isZero();
        }
    }

    static final class Child {

        private static final Queue<String> FOUND = new ConcurrentLinkedQueue<>();
        private static final int ROUNDS = 5;
        private static final int BYTES = 100_000;
        /** A loop that gets nothing for so long has spun, given way, and sleeps. */
        private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

        private Child() {
        }

        public static void main(String[] arguments) throws Exception {
            BlockHound.builder().loadIntegrations().blockingMethodCallback(Child::found).install();
            IoEventLoopGroup group = new MultiThreadIoEventLoopGroup(2, RdmaIoHandler.newFactory());
            AtomicLong received = new AtomicLong();
            Channel listener = listen(group);
            Channel client = connect(group, listener, received);
            for (int round = 1; round <= ROUNDS; round++) {
                LockSupport.parkNanos(PAUSE_NANOS);
                client.writeAndFlush(client.alloc().buffer().writeZero(BYTES)).sync();
                long all = (long) round * BYTES;
                Deadline.standard().until("the echo", () -> received.get() == all);
            }
            reportFound();
            client.pipeline().addLast(new BlockingHandler());
            client.writeAndFlush(client.alloc().buffer().writeZero(1)).sync();
            Deadline.standard().until("the handler's call", () -> !FOUND.isEmpty());
            reportFound();
            IoEventLoop loop = group.next();
            loop.submit(() -> {
                Thread.sleep(1);
                return null;
            }).sync();
            reportFound();
            blockElsewhere(loop);
            reportFound();
            client.close().sync();
            listener.close().sync();
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
            reportFound();
        }

        private static Channel listen(IoEventLoopGroup group) throws InterruptedException {
            return new ServerBootstrap().group(group).channel(RdmaServerChannel.class)
                    .childHandler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel child) {
                            child.pipeline().addLast(new EchoHandler());
                        }
                    }).bind(new InetSocketAddress(TestDevice.get().ip(), 0)).sync().channel();
        }

        private static Channel connect(IoEventLoopGroup group, Channel listener, AtomicLong received)
                throws InterruptedException {
            return new Bootstrap().group(group).channel(RdmaChannel.class)
                    .handler(new ChannelInboundHandlerAdapter() {
                        @Override
                        public void channelRead(ChannelHandlerContext context, Object message) {
                            received.addAndGet(((ByteBuf) message).readableBytes());
                            context.fireChannelRead(message);
                        }
                    }).connect(listener.localAddress()).sync().channel();
        }

        private static void blockElsewhere(IoEventLoop loop) throws Exception {
            CompletableFuture<Throwable> returned = new CompletableFuture<>();
            IoRegistration registered = loop.register(TestConnection.idle()).sync().getNow();
            RdmaIoRegistration registration = registered.attachment();
            loop.submit(() -> registration.loop().blocking(() -> {
                try {
                    Thread.sleep(1);
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }, returned::complete)).sync();
            assertThat(returned.get()).isNull();
            loop.submit(registered::cancel).sync();
        }

        /** Keeps the class that called. Throws nothing: a loop would end by it, and the test with its time. */
        private static void found(BlockingMethod method) {
            String caller = StackWalker.getInstance().walk(frames -> frames.map(StackWalker.StackFrame::getClassName)
                    .filter(name -> name.startsWith("io.netty")).filter(name -> !name.contains("$$Lambda"))
                    .skip(1).findFirst().orElse("none"));
            FOUND.add(caller.substring(Math.max(caller.lastIndexOf('.'), caller.lastIndexOf('$')) + 1));
        }

        private static void reportFound() {
            ChildProcess.reportToParent("found: " + FOUND);
            FOUND.clear();
        }
    }

    private static final class BlockingHandler extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            Thread.yield();
            context.fireChannelRead(message);
        }
    }
}
