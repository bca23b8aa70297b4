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
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.testsuite.support.ChildProcess;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.ProcessResources;
import io.nettyrdma.testsuite.support.SoftHca;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.File;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.InetSocketAddress;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application with a class loader of its own, as a web container has it, uses RDMA, stops all that it has started,
 * and is dropped: nothing of it remains in the process.
 */
@Tag("device")
@Tag("any-device")
class RedeployTest {

    /** The collector whose whole collections take the least time here. */
    private static final List<String> OPTIONS = List.of("-XX:+UseSerialGC", "-cp",
            System.getProperty("java.class.path"));

    @Test
    void stoppedApplicationReleasesEverything() throws Exception {
        SoftHca.assumeItIsTheDevice();
        try (ChildProcess child = ChildProcess.start(List.of(), OPTIONS, Child.class)) {
            assertThat(child.readLine(Deadline.ofSeconds(60))).isEqualTo("class loaders, their libraries, threads and "
                    + "memory are gone");
            assertThat(child.exitStatus()).isZero();
        }
    }

    /** Uses no class of Netty or of ours itself. */
    static final class Child {

        private static final int ROUNDS = 2;
        private static final double SECONDS = 30;

        private Child() {
        }

        public static void main(String[] arguments) throws Exception {
            List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
            List<Long> addresses = new ArrayList<>();
            // The JVM itself opens some files on the way.
            deploy(loaders, addresses);
            awaitEnd(loaders, addresses);
            int descriptors = ProcessResources.openDescriptors();
            for (int round = 0; round < ROUNDS; round++) {
                deploy(loaders, addresses);
            }
            awaitEnd(loaders, addresses);
            await("the descriptors to be closed", () -> ProcessResources.openDescriptors() <= descriptors);
            ChildProcess.reportToParent("class loaders, their libraries, threads and memory are gone");
        }

        private static void deploy(List<WeakReference<ClassLoader>> loaders, List<Long> addresses) throws Exception {
            List<URL> classPath = new ArrayList<>();
            for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
                classPath.add(Path.of(entry).toUri().toURL());
            }
            try (URLClassLoader loader = new URLClassLoader(classPath.toArray(new URL[0]),
                    ClassLoader.getPlatformClassLoader())) {
                loaders.add(new WeakReference<>(loader));
                Callable<?> application = (Callable<?>) loader.loadClass(Application.class.getName())
                        .getDeclaredConstructor().newInstance();
                FutureTask<?> task = new FutureTask<>(application);
                // Its thread locals end with the thread.
                Thread thread = new Thread(task, "application");
                thread.setContextClassLoader(null);
                thread.start();
                addresses.add((Long) task.get());
                thread.join();
            }
        }

        private static void awaitEnd(List<WeakReference<ClassLoader>> loaders, List<Long> addresses)
                throws Exception {
            await("all class loaders to be collected", () -> loaders.stream().allMatch(each -> each.get() == null));
            await("the libraries and the memory to be unmapped", () -> Files
                    .readAllLines(Path.of("/proc/self/maps")).stream().noneMatch(line -> line.contains("softhca_")
                            || line.contains("netty_transport_rdma_")
                            || addresses.stream().anyMatch(isIn(line)::test)));
            await("the device's thread to end", () -> !threads().contains("softhca"));
        }

        /** Objects that finalizers reach are collected later. */
        private static void await(String what, Deadline.Condition condition) throws Exception {
            Deadline.ofSeconds(SECONDS).until(what, () -> {
                System.gc();
                return condition.holds();
            });
        }

        /** @param line "start-end permissions ...", in hexadecimal digits. */
        private static LongPredicate isIn(String line) {
            String[] ends = line.substring(0, line.indexOf(' ')).split("-");
            long start = Long.parseUnsignedLong(ends[0], 16);
            long end = Long.parseUnsignedLong(ends[1], 16);
            return address -> address >= start && address < end;
        }

        private static List<String> threads() throws IOException {
            List<String> names = new ArrayList<>();
            try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
                for (Path task : tasks.toList()) {
                    try {
                        names.add(Files.readString(task.resolve("comm")).strip());
                    } catch (NoSuchFileException e) {
                        // It has just ended.
                        continue;
                    }
                }
            }
            return names;
        }
    }

    /** Echoes once, and returns an address in the allocator's memory. */
    public static final class Application implements Callable<Long> {

        @Override
        public Long call() throws Exception {
            EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
            CompletableFuture<Integer> echoed = new CompletableFuture<>();
            Channel listener = new ServerBootstrap().group(group).channel(RdmaServerChannel.class)
                    .childHandler(new EchoHandler()).bind(new InetSocketAddress("127.0.0.1", 0)).sync().channel();
            Channel client = new Bootstrap().group(group).channel(RdmaChannel.class)
                    .handler(new SimpleChannelInboundHandler<ByteBuf>() {
                        @Override
                        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
                            echoed.complete(message.readInt());
                        }
                    }).connect(listener.localAddress()).sync().channel();
            ByteBuf message = RdmaByteBufAllocator.DEFAULT.directBuffer().writeInt(42);
            long address = message.memoryAddress();
            client.writeAndFlush(message).sync();
            assertThat(echoed.get(30, TimeUnit.SECONDS)).isEqualTo(42);
            client.close().sync();
            listener.close().sync();
            assertThat(group.shutdownGracefully(0, 1, TimeUnit.SECONDS).await(30, TimeUnit.SECONDS)).isTrue();
            return address;
        }
    }
}
