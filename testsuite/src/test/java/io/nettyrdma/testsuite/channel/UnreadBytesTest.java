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

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.testsuite.channel.EitherPair.Carrier;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.Seeds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Programs that write everything before they read. TCP's kernel buffers megabytes in both directions meanwhile; here
 * SO_RCVBUF sets the limit.
 */
@Tag("device")
@Tag("native-speed")
class UnreadBytesTest {

    private static final int SECONDS = 30;
    private static final int PART = 16_000;
    /** The minimum of every option. */
    private static final Map<ChannelOption<Integer>, Integer> LEAST = Map.of(
            RdmaChannelOption.RECEIVE_BUFFER_SIZE, 64, RdmaChannelOption.INITIAL_WINDOW, 16,
            RdmaChannelOption.MAX_WINDOW, 16, RdmaChannelOption.SEND_QUEUE_DEPTH, 4);

    private final Random random = Seeds.newRandom();

    @ParameterizedTest
    @CsvSource({ "NIO, 300000", "RDMA, 300000", "NIO, 1000000", "RDMA, 1000000", "NIO, 3000000", "RDMA, 3000000" })
    void echoIsReadAfterAllIsWritten(Carrier carrier, int size) throws Exception {
        echo(carrier, Map.of(), size);
    }

    /** Frames of 52 bytes, and reads whose sizes are unrelated. */
    @Test
    void smallestLimitsWork() throws Exception {
        List<RdmaChannel> ends = echo(Carrier.RDMA, LEAST, 300_000);
        assertThat(sum(ends, RdmaCounter.BYTES_COPIED_UNREAD)).isPositive();
        assertThat(sum(ends, RdmaCounter.PEERS_STOPPED)).isZero();
    }

    @Test
    void fastReadersCauseNoCopies() throws Exception {
        Recorder echoed = new Recorder();
        byte[] sent = new byte[3_000_000];
        try (EitherPair pair = new EitherPair(Carrier.RDMA, EchoHandler::new, server -> { }, client -> { })) {
            RdmaChannel client = (RdmaChannel) pair.connect(echoed);
            write(client, sent);
            Deadline.ofSeconds(SECONDS).until("the echo", () -> echoed.count() == sent.length);
            List<RdmaChannel> ends = List.of(client, (RdmaChannel) pair.accepted());
            assertThat(sum(ends, RdmaCounter.BYTES_COPIED_UNREAD)).isZero();
            assertThat(sum(ends, RdmaCounter.PEERS_STOPPED)).isZero();
        }
    }

    /** Half of the registered memory is the application's, and an eighth is for other connections. */
    @Test
    void unreadCopiesLeaveHalfOfRegisteredMemory() throws Exception {
        int limit = 16 << 20;
        RdmaByteBufAllocator scarce = RdmaByteBufAllocator.builder().maxRegisteredBytes(limit).build();
        Recorder reader = new Recorder();
        try (EitherPair pair = new EitherPair(Carrier.RDMA, () -> reader, server -> server
                .childOption(ChannelOption.ALLOCATOR, scarce).childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.SO_RCVBUF, 2 * limit), client -> { })) {
            Channel client = pair.connect(new ChannelInboundHandlerAdapter());
            byte[] sent = new byte[limit];
            random.nextBytes(sent);
            List<ChannelFuture> written = write(client, sent);
            RdmaChannel stalled = (RdmaChannel) pair.accepted();
            Deadline.ofSeconds(SECONDS).until("a peer that waits", () ->
                    stalled.loopCounters().get(RdmaCounter.PEERS_STOPPED) == 1);
            assertThat(stalled.loopCounters().get(RdmaCounter.BYTES_COPIED_UNREAD)).isPositive();
            assertThat(scarce.metric().transportBytes()).isBetween(limit / 4L, limit / 2L);
            assertThat(scarce.metric().committedBytes()).isLessThanOrEqualTo(limit * 3L / 4);
            assertThat(written.get(written.size() - 1).isDone()).isFalse();
            stalled.config().setAutoRead(true);
            Deadline.ofSeconds(SECONDS).until("all bytes", () -> reader.count() == sent.length);
            assertThat(reader.bytes()).isEqualTo(sent);
        }
        assertThat(scarce.metric().transportBytes()).isZero();
    }

    @Test
    void closeReleasesUnreadCopies() throws Exception {
        RdmaByteBufAllocator own = RdmaByteBufAllocator.builder().build();
        try (EitherPair pair = new EitherPair(Carrier.RDMA, Recorder::new,
                server -> server.childOption(ChannelOption.ALLOCATOR, own).childOption(ChannelOption.AUTO_READ, false),
                client -> { })) {
            Channel client = pair.connect(new ChannelInboundHandlerAdapter());
            write(client, new byte[1 << 20]);
            RdmaChannel stalled = (RdmaChannel) pair.accepted();
            Deadline.ofSeconds(SECONDS).until("copies", () ->
                    stalled.loopCounters().get(RdmaCounter.BYTES_COPIED_UNREAD) > 0);
            stalled.close().sync();
        }
        assertThat(own.metric().transportBytes()).isZero();
        assertThat(own.metric().inUseBytes()).isZero();
    }

    /** @return both ends of an RDMA connection. */
    private List<RdmaChannel> echo(Carrier carrier, Map<ChannelOption<Integer>, Integer> options, int size)
            throws Exception {
        byte[] sent = new byte[size];
        random.nextBytes(sent);
        Recorder echoed = new Recorder();
        try (EitherPair pair = new EitherPair(carrier, PoliteEcho::new,
                children -> options.forEach(children::childOption), client -> {
                    options.forEach(client::option);
                    client.option(ChannelOption.AUTO_READ, false);
                    if (!options.isEmpty()) {
                        client.option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(777));
                    }
                })) {
            Channel client = pair.connect(echoed);
            for (ChannelFuture written : write(client, sent)) {
                assertThat(written.await(SECONDS, TimeUnit.SECONDS)).as("a write before anything is read").isTrue();
                assertThat(written.cause()).isNull();
            }
            client.config().setAutoRead(true);
            Deadline.ofSeconds(SECONDS).until("the echo", () -> echoed.count() == size);
            assertThat(echoed.bytes()).isEqualTo(sent);
            List<RdmaChannel> ends = new ArrayList<>();
            for (Channel end : List.of(client, pair.accepted())) {
                if (end instanceof RdmaChannel rdma) {
                    ends.add(rdma);
                }
            }
            return ends;
        }
    }

    private static List<ChannelFuture> write(Channel channel, byte[] bytes) {
        List<ChannelFuture> written = new ArrayList<>();
        for (int at = 0; at < bytes.length; at += PART) {
            written.add(channel.writeAndFlush(
                    Unpooled.copiedBuffer(bytes, at, Math.min(PART, bytes.length - at))));
        }
        return written;
    }

    private static long sum(List<RdmaChannel> ends, RdmaCounter counter) {
        return ends.stream().mapToLong(end -> end.loopCounters().get(counter)).sum();
    }

    /** Reads no more than it can write back. */
    private static final class PoliteEcho extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            context.channel().config().setAutoRead(context.channel().isWritable());
        }
    }
}
