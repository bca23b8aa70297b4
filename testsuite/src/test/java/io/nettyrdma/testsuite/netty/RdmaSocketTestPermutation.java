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
package io.nettyrdma.testsuite.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.io.PollMode;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.io.RdmaIoHandlerConfig;
import io.nettyrdma.testsuite.support.TestDevice;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * One configuration to run Netty's tests with.
 *
 * @param buffers the allocator of the channels.
 * @param mode the poll mode of the loops.
 * @param limits the limits of connections.
 */
record RdmaSocketTestPermutation(Buffers buffers, PollMode mode, Limits limits) {

    /**
     * Which permutations a lane runs: {@code all}, {@code each}, {@code usual}, {@code least}, or several separated by
     * commas.
     */
    private static final String PROPERTY = "io.nettyrdma.testsuite.permutations";

    private static final int THREADS = 2;
    private static final Map<PollMode, EventLoopGroup> GROUPS = new EnumMap<>(PollMode.class);

    enum Buffers {
        REGISTERED(RdmaByteBufAllocator.DEFAULT),
        ADAPTIVE(new AdaptiveByteBufAllocator()),
        POOLED(PooledByteBufAllocator.DEFAULT);

        private final ByteBufAllocator allocator;

        Buffers(ByteBufAllocator allocator) {
            this.allocator = allocator;
        }
    }

    enum Limits {
        USUAL,
        /** The minimum of everything, so that queues are full and windows closed most of the time. */
        LEAST;

        private static final int RECEIVE_BUFFER = 512;
        private static final int WINDOW = 16;
        private static final int SEND_QUEUE = 4;

        private void set(OptionSetter options) {
            if (this == LEAST) {
                options.set(RdmaChannelOption.RECEIVE_BUFFER_SIZE, RECEIVE_BUFFER);
                options.set(RdmaChannelOption.INITIAL_WINDOW, WINDOW);
                options.set(RdmaChannelOption.MAX_WINDOW, WINDOW);
                options.set(RdmaChannelOption.SEND_QUEUE_DEPTH, SEND_QUEUE);
                options.set(RdmaChannelOption.ZERO_COPY_THRESHOLD, 1);
            }
        }
    }

    @FunctionalInterface
    private interface OptionSetter {
        void set(ChannelOption<Integer> option, int value);
    }

    /** The permutations of this lane. */
    static List<RdmaSocketTestPermutation> ofLane() {
        return Arrays.stream(System.getProperty(PROPERTY, "usual").split(","))
                .flatMap(RdmaSocketTestPermutation::named).toList();
    }

    private static Stream<RdmaSocketTestPermutation> named(String name) {
        return switch (name) {
        case "all" -> all().stream();
        case "each" -> each().stream();
        case "usual" -> Stream.of(new RdmaSocketTestPermutation(Buffers.REGISTERED, PollMode.ADAPTIVE, Limits.USUAL));
        case "least" -> Stream.of(new RdmaSocketTestPermutation(Buffers.REGISTERED, PollMode.ADAPTIVE, Limits.LEAST));
        default -> throw new IllegalArgumentException(PROPERTY + ": " + name);
        };
    }

    private static List<RdmaSocketTestPermutation> all() {
        List<RdmaSocketTestPermutation> permutations = new ArrayList<>();
        for (PollMode mode : PollMode.values()) {
            for (Buffers buffers : Buffers.values()) {
                permutations.add(new RdmaSocketTestPermutation(buffers, mode, Limits.USUAL));
            }
        }
        return permutations;
    }

    /** Each allocator and each mode once. Registered buffers get another mode than in {@code usual}. */
    private static List<RdmaSocketTestPermutation> each() {
        Buffers[] buffers = Buffers.values();
        PollMode[] modes = PollMode.values();
        return IntStream.range(0, buffers.length)
                .mapToObj(i -> new RdmaSocketTestPermutation(buffers[i],
                        modes[(i + modes.length - 1) % modes.length], Limits.USUAL))
                .toList();
    }

    /** An address of this device; a loopback address leads to no RDMA device. */
    SocketAddress address() {
        return new InetSocketAddress(TestDevice.get().ip(), 0);
    }

    List<ByteBufAllocator> allocators() {
        return List.of(buffers.allocator);
    }

    List<BootstrapFactory<ServerBootstrap>> serverSocket() {
        return List.of(this::newServer);
    }

    List<BootstrapFactory<Bootstrap>> clientSocket() {
        return List.of(this::newClient);
    }

    List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> socket() {
        return List.of(new Sockets(this::newServer, this::newClient));
    }

    /** The same, with receives of this size. */
    List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> socket(int receive) {
        return List.of(new Sockets(
                () -> newServer().childOption(RdmaChannelOption.RECEIVE_BUFFER_SIZE, receive),
                () -> newClient().option(RdmaChannelOption.RECEIVE_BUFFER_SIZE, receive)));
    }

    private record Sockets(Supplier<ServerBootstrap> server, Supplier<Bootstrap> client)
            implements BootstrapComboFactory<ServerBootstrap, Bootstrap> {

        @Override
        public ServerBootstrap newServerInstance() {
            return server.get();
        }

        @Override
        public Bootstrap newClientInstance() {
            return client.get();
        }
    }

    ServerBootstrap newServer() {
        ServerBootstrap bootstrap = Ends.newServer(group());
        limits.set(bootstrap::childOption);
        return bootstrap;
    }

    Bootstrap newClient() {
        Bootstrap bootstrap = Ends.newClient(group());
        limits.set(bootstrap::option);
        return bootstrap;
    }

    /** One group for all tests of a mode. Its daemon threads do not keep the JVM alive. */
    private EventLoopGroup group() {
        synchronized (GROUPS) {
            return GROUPS.computeIfAbsent(mode, key -> new MultiThreadIoEventLoopGroup(THREADS,
                    new DefaultThreadFactory("netty-" + key, true),
                    RdmaIoHandler.newFactory(RdmaIoHandlerConfig.DEFAULT.withMode(key))));
        }
    }

    @Override
    public String toString() {
        return (limits == Limits.USUAL ? buffers + ", " + mode : "least limits").toLowerCase(Locale.ROOT);
    }
}
