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

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.cm.CmId;
import io.nettyrdma.testsuite.channel.FuzzedConnection.Victim;
import io.nettyrdma.testsuite.support.CmEvents;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.Rounds;
import io.nettyrdma.testsuite.support.Seeds;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Peers send frames, most of them valid, until one violates the protocol. Up to there everything is delivered and
 * nothing fails; then this connection ends with the reason, and no other does. docs/testing.md says how long it runs
 * and how to repeat it.
 */
@Tag("device")
class FrameFuzzTest {

    private static final int FRAMES = Rounds.scaled(Integer.getInteger("io.nettyrdma.testsuite.fuzz", 200_000));
    /** Servers are tested more than clients. */
    private static final int FRAMES_OF_SERVERS = FRAMES / 10;
    private static final int AT_ONCE = 3;
    /** This many frames include every kind of violation. */
    private static final int PLENTY = 500_000;
    private static final String[] VIOLATIONS = { "credit goes back", "credit leaps", "credit overrun", "data after fin",
        "flags or reserved bytes that are not", "receives of", "payload", "short frame", "unknown type",
        "wrong length" };

    /** Our end never has more receives than its initial window, so that the number it has granted is known. */
    private static final int WINDOW = 16;
    private static final Map<ChannelOption<Integer>, Integer> OPTIONS = Map.of(RdmaChannelOption.INITIAL_WINDOW, WINDOW,
            RdmaChannelOption.MAX_WINDOW, WINDOW, RdmaChannelOption.RECEIVE_BUFFER_SIZE, 1024);

    private final LeakWatch leaks = new LeakWatch();
    private final RdmaByteBufAllocator allocator = RdmaByteBufAllocator.builder().build();
    private final BlockingQueue<Victim> victims = new LinkedBlockingQueue<>();
    private final Map<String, Integer> ends = new ConcurrentSkipListMap<>();
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicLong frames = new AtomicLong();
    private final AtomicBoolean failed = new AtomicBoolean();
    private ChannelPair pair;
    private volatile SteadyConnection steady;

    /** Opens connections one after the other, on one thread. */
    @FunctionalInterface
    private interface Connector extends AutoCloseable {

        FuzzedConnection connect(Random random) throws Exception;

        @Override
        default void close() throws IOException {
        }
    }

    @BeforeEach
    void start() throws Exception {
        pair = new ChannelPair(this::serversHandler, bootstrap -> {
            OPTIONS.forEach(bootstrap::childOption);
            bootstrap.childOption(ChannelOption.ALLOCATOR, allocator)
                    .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        });
        steady = new SteadyConnection(pair);
    }

    @AfterEach
    void stop() throws Exception {
        steady.close();
        pair.close();
        leaks.close();
        assertThat(allocator.metric().inUseBytes()).as("bytes of unused buffers").isZero();
    }

    @Test
    void peersThatConnect() throws Exception {
        fuzz(FRAMES, () -> this::connectToServer);
    }

    @Test
    void serversThatAccept() throws Exception {
        fuzz(FRAMES_OF_SERVERS, HostileServer::new);
    }

    /** The first connection is the one that has to continue. */
    private ChannelHandler serversHandler() {
        return steady == null ? new EchoHandler() : victim(victims);
    }

    private static ChannelHandler victim(BlockingQueue<Victim> victims) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                victims.add(new Victim(channel));
            }
        };
    }

    /** One at a time, so that the server's end is the most recently created one. */
    private synchronized FuzzedConnection connectToServer(Random random) throws Exception {
        RawPeer peer = RawPeer.connected(pair.address());
        return new FuzzedConnection(peer, victims.take(), TestDevice.get().connectsByHand(), random);
    }

    private final class HostileServer implements Connector {

        private final CmEvents events = new CmEvents();
        private final CmId listener = events.listen(TestDevice.get().ip(), 1);

        HostileServer() throws Exception {
        }

        @Override
        public FuzzedConnection connect(Random random) throws Exception {
            BlockingQueue<Victim> client = new LinkedBlockingQueue<>();
            var bootstrap = pair.bootstrap(victim(client)).option(ChannelOption.ALLOCATOR, allocator)
                    .option(ChannelOption.ALLOW_HALF_CLOSURE, true);
            OPTIONS.forEach(bootstrap::option);
            ChannelFuture connecting = bootstrap.connect(listener.localAddress());
            RawPeer peer = RawPeer.accepted(events, events.awaitRequest(listener));
            connecting.sync();
            return new FuzzedConnection(peer, client.take(), true, random);
        }

        @Override
        public void close() throws IOException {
            events.close();
        }
    }

    private void fuzz(int most, Callable<Connector> connectors) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
        try {
            List<Future<Void>> running = new ArrayList<>();
            for (int i = 0; i < AT_ONCE; i++) {
                running.add(threads.submit(() -> {
                    try (Connector connector = connectors.call()) {
                        fuzz(most, connector);
                    }
                    return null;
                }));
            }
            for (Future<Void> each : running) {
                each.get();
            }
        } finally {
            threads.shutdown();
        }
        System.out.printf("%d frames of %d connections: %s%n", frames.get(), connections.get(), ends);
        if (most >= PLENTY) {
            assertThat(ends).containsKeys(VIOLATIONS).containsKeys("Connection reset by peer", "closed by the book");
            assertThat(ends.keySet()).as("frames that are too long")
                    .anyMatch(end -> FrameOracle.TOO_LONG_ENDS.stream().anyMatch(words -> words.startsWith(end)));
        }
    }

    private void fuzz(int most, Connector connector) throws Exception {
        while (frames.get() < most && !failed.get()) {
            int number = connections.incrementAndGet();
            try (FuzzedConnection connection = connector.connect(Seeds.newRandom(number))) {
                ends.merge(connection.run(), 1, Integer::sum);
                frames.addAndGet(connection.sent());
                steady.assertGoesOn();
            } catch (Throwable e) {
                failed.set(true);
                throw new AssertionError("connection " + number, e);
            }
        }
    }
}
