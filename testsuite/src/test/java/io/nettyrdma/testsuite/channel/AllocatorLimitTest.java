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

import io.netty.bootstrap.AbstractBootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.nettyrdma.buffer.OutOfRegisteredMemoryError;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.buffer.TransportMemory;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.io.RdmaIoHandlerConfig;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.LogLines;
import io.nettyrdma.testsuite.support.Seeds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.logging.Level;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An allocator that has reached its limit: new connections fail with the reason, established ones continue, and once
 * memory is freed everything works again.
 */
@Tag("device")
class AllocatorLimitTest {

    private static final double SECONDS = 30;
    private static final int CHUNK = 1 << 20;
    private static final int LIMIT = 4 * CHUNK;
    /** A slab is a chunk of 32 such slots. One connection takes its receives and some send slots from it. */
    private static final int RECEIVE_BUFFER = 32 << 10;
    private static final int SMALL_RECEIVE = 8 << 10;
    private static final int WINDOW = 24;
    private static final int LEAST_WINDOW = 16;
    private static final RdmaIoHandlerConfig LOOPS = RdmaIoHandlerConfig.DEFAULT.withSlabBytes(CHUNK);
    private static final String[] TEXT = { "cannot commit 1048576 more bytes", "maxRegisteredBytes is " + LIMIT };

    private final Random random = Seeds.newRandom();
    private final RdmaByteBufAllocator tight =
            RdmaByteBufAllocator.builder().chunkBytes(CHUNK).maxRegisteredBytes(LIMIT).idleBytes(0).build();
    private final List<ByteBuf> hoard = new ArrayList<>();
    private LeakWatch leaks;

    @BeforeEach
    void watch() {
        leaks = new LeakWatch();
    }

    @AfterEach
    void nothingIsLeft() {
        releaseHoard();
        assertThat(tight.metric().inUseBytes()).isZero();
        leaks.close();
    }

    @Test
    void clientWithoutSlotsFailsToConnect() throws Exception {
        try (ChannelPair pair = new ChannelPair(LOOPS, EchoHandler::new, bootstrap -> { })) {
            Echoes first = new Echoes();
            Channel living = pair.connect(first, this::limited);
            hoardAll();
            long inUse = tight.metric().inUseBytes();
            for (int i = 0; i < 3; i++) {
                ChannelFuture refused = connectLimited(pair).await();
                assertThat(refused.cause()).isInstanceOf(IOException.class).hasMessageContainingAll(TEXT)
                        .hasMessageContainingAll("release buffers", "builder").hasRootCauseInstanceOf(
                                OutOfRegisteredMemoryError.class);
                assertThat(refused.channel().closeFuture().sync().isSuccess()).isTrue();
            }
            assertThat(tight.metric().inUseBytes()).as("of a connection that failed nothing").isEqualTo(inUse);
            first.roundTrip(living);
            releaseHoard();
            Echoes second = new Echoes();
            second.roundTrip(pair.connect(second, this::limited));
            first.roundTrip(living);
        }
    }

    @Test
    void serverWithoutSlotsRejectsConnections() throws Exception {
        try (LogLines log = new LogLines(RdmaServerChannel.class.getName(), Level.WARNING);
                ChannelPair pair = limitedServer(EchoHandler::new)) {
            Echoes first = new Echoes();
            Channel living = pair.connect(first);
            hoardAll();
            for (int i = 0; i < 3; i++) {
                ChannelFuture refused = pair.bootstrap(new ChannelInboundHandlerAdapter()).connect(pair.address())
                        .await();
                assertThat(refused.cause()).hasMessageContainingAll("Connection refused", "RESOURCES",
                        "cannot take another connection").hasMessageNotContainingAny(TEXT);
            }
            Deadline.ofSeconds(SECONDS).until("the counter and the log", () ->
                    pair.sum(RdmaCounter.CHILDREN_REFUSED) == 3 && !log.messages().isEmpty());
            assertThat(log.messages()).singleElement().asString().contains(TEXT);
            first.roundTrip(living);
            releaseHoard();
            Echoes second = new Echoes();
            second.roundTrip(pair.connect(second));
            first.roundTrip(living);
        }
    }

    /** The rest of the limit is the application's. */
    @Test
    void serverBeyondItsShareRejectsConnections() throws Exception {
        try (LogLines log = new LogLines(RdmaServerChannel.class.getName(), Level.WARNING);
                ChannelPair pair = limitedServer(EchoHandler::new)) {
            Echoes first = new Echoes();
            Channel living = pair.connect(first);
            long others = LIMIT / 2 - TransportMemory.of(tight).bytes();
            TransportMemory.of(tight).takeRequired(others);
            ChannelFuture refused = pair.bootstrap(new ChannelInboundHandlerAdapter()).connect(pair.address()).await();
            assertThat(refused.cause()).hasMessageContainingAll("Connection refused", "RESOURCES");
            Deadline.ofSeconds(SECONDS).until("the counter and the log", () ->
                    pair.sum(RdmaCounter.CHILDREN_REFUSED) == 1 && !log.messages().isEmpty());
            assertThat(log.messages()).singleElement().asString().contains("the other half is the application's");
            ByteBuf applications = tight.directBuffer(CHUNK);
            first.roundTrip(living);
            applications.release();
            TransportMemory.of(tight).give(others);
            Echoes second = new Echoes();
            second.roundTrip(pair.connect(second));
        }
    }

    /** The connection would grow its window to all slots of its slab if it were not kept from it. */
    @Test
    void establishedConnectionContinuesWithItsSlots() throws Exception {
        try (ChannelPair pair = new ChannelPair(LOOPS, EchoHandler::new, bootstrap -> limited(bootstrap)
                .childOption(RdmaChannelOption.INITIAL_WINDOW, LEAST_WINDOW)
                .childOption(RdmaChannelOption.MAX_WINDOW, 4 * LEAST_WINDOW))) {
            byte[] sent = new byte[16 << 20];
            random.nextBytes(sent);
            SameBytes echoed = new SameBytes(sent);
            Channel client = pair.connect(echoed);
            pair.accepted();
            hoardAll();
            client.writeAndFlush(Unpooled.wrappedBuffer(sent)).sync();
            Deadline.ofSeconds(SECONDS).until("the echo", () -> echoed.count() == sent.length);
            assertThat(echoed.firstDifference()).isEqualTo(-1);
            assertThat(client.isActive()).isTrue();
        }
    }

    /** Buffers that the reader keeps are copied to other memory, which needs no registration. */
    @Test
    void readerThatRetainsBuffersIsStillServed() throws Exception {
        Keeper keeper = new Keeper();
        byte[] sent = new byte[4 * WINDOW * RECEIVE_BUFFER];
        random.nextBytes(sent);
        try (ChannelPair pair = limitedServer(() -> keeper)) {
            Channel writer = pair.connect(new Recorder());
            RdmaChannel reader = pair.accepted();
            hoardAll();
            writer.writeAndFlush(Unpooled.wrappedBuffer(sent)).sync();
            Deadline.ofSeconds(SECONDS).until("all bytes", () -> keeper.count == sent.length);
            assertThat(reader.loopCounters().get(RdmaCounter.READS_COPIED)).isPositive();
            ByteBuf received = Unpooled.wrappedBuffer(keeper.kept.toArray(new ByteBuf[0]));
            assertThat(received.equals(Unpooled.wrappedBuffer(sent))).isTrue();
            received.release();
            assertThat(keeper.failures).isEmpty();
        }
    }

    /** An allocator with no memory of any kind. The stream has a hole then; nothing behind it may be delivered. */
    @Test
    void failedCopyClosesOnlyItsConnection() throws Exception {
        Keeper keeper = new Keeper();
        try (ChannelPair pair = new ChannelPair(() -> keeper,
                bootstrap -> bootstrap.childOption(ChannelOption.ALLOCATOR, new EmptyAllocator())
                        .childOption(RdmaChannelOption.RECEIVE_BUFFER_SIZE, SMALL_RECEIVE)
                        .childOption(RdmaChannelOption.MAX_WINDOW, LEAST_WINDOW)
                        .childOption(RdmaChannelOption.INITIAL_WINDOW, LEAST_WINDOW))) {
            Channel writer = pair.connect(new Recorder());
            RdmaChannel reader = pair.accepted();
            writer.writeAndFlush(Unpooled.wrappedBuffer(new byte[1 << 20]));
            reader.closeFuture().sync();
            writer.closeFuture().sync();
            keeper.kept.forEach(ByteBuf::release);
            assertThat(keeper.failures).singleElement().satisfies(failure -> assertThat(failure)
                    .isInstanceOf(IOException.class).hasMessage("cannot copy received bytes: none at all")
                    .hasCauseInstanceOf(OutOfMemoryError.class));
            assertThat(reader.loopCounters().get(RdmaCounter.READS_COPIED)).as("it was tried once").isEqualTo(1);
            assertThat(reader.eventLoop().isShuttingDown()).isFalse();
        }
    }

    private ChannelPair limitedServer(Supplier<ChannelHandler> handlers) throws Exception {
        return new ChannelPair(LOOPS, handlers, bootstrap -> limited(bootstrap)
                .childOption(RdmaChannelOption.INITIAL_WINDOW, WINDOW)
                .childOption(RdmaChannelOption.MAX_WINDOW, WINDOW));
    }

    private ServerBootstrap limited(ServerBootstrap bootstrap) {
        return bootstrap.childOption(ChannelOption.ALLOCATOR, tight)
                .childOption(RdmaChannelOption.RECEIVE_BUFFER_SIZE, RECEIVE_BUFFER);
    }

    private void limited(AbstractBootstrap<?, ?> bootstrap) {
        bootstrap.option(ChannelOption.ALLOCATOR, tight)
                .option(RdmaChannelOption.RECEIVE_BUFFER_SIZE, RECEIVE_BUFFER)
                .option(RdmaChannelOption.INITIAL_WINDOW, WINDOW).option(RdmaChannelOption.MAX_WINDOW, WINDOW);
    }

    private ChannelFuture connectLimited(ChannelPair pair) {
        var bootstrap = pair.bootstrap(new ChannelInboundHandlerAdapter());
        limited(bootstrap);
        return bootstrap.connect(pair.address());
    }

    /** Takes what is left of the limit. */
    private void hoardAll() {
        while (tight.metric().committedBytes() < LIMIT) {
            hoard.add(tight.directBuffer(CHUNK));
        }
    }

    private void releaseHoard() {
        hoard.forEach(ByteBuf::release);
        hoard.clear();
    }

    /** The client's end of an echo. */
    private final class Echoes extends ChannelInboundHandlerAdapter {

        private final byte[] content = new byte[100_000];
        private volatile SameBytes expected;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            expected.channelRead(context, message);
        }

        private void roundTrip(Channel channel) throws Exception {
            random.nextBytes(content);
            expected = new SameBytes(content);
            channel.writeAndFlush(Unpooled.wrappedBuffer(content)).sync();
            Deadline.ofSeconds(SECONDS).until("the echo", () -> expected.count() == content.length);
            assertThat(expected.firstDifference()).isEqualTo(-1);
        }
    }

    /** Never releases what it receives. */
    private static final class Keeper extends ChannelInboundHandlerAdapter {

        private final List<ByteBuf> kept = new CopyOnWriteArrayList<>();
        private final List<Throwable> failures = new CopyOnWriteArrayList<>();
        private volatile int count;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf buffer = (ByteBuf) message;
            kept.add(buffer);
            count += buffer.readableBytes();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            failures.add(cause);
        }
    }

    private static final class EmptyAllocator extends AbstractByteBufAllocator {

        @Override
        protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            throw new OutOfMemoryError("none at all");
        }

        @Override
        protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            throw new OutOfMemoryError("none at all");
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }
    }
}
