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

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.Seeds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;

/** A reader that is slow or stopped slows the writer down and needs no more memory than was agreed on. */
@Tag("device")
class FlowTest {

    private static final double SECONDS = 30;
    private static final int RECEIVE_BUFFER = 4096;
    private static final int WINDOW = 32;
    private static final int PART = 1000;

    private final Random random = Seeds.newRandom();

    /** @param unread bytes that are buffered beyond the receives. */
    @ParameterizedTest
    @ValueSource(ints = { 0, 300_000 })
    void aReaderThatStopsStopsTheWriter(int unread) throws Exception {
        Recorder server = new Recorder();
        try (ChannelPair pair = new ChannelPair(() -> server, bootstrap -> bootstrap
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.SO_RCVBUF, unread)
                .childOption(RdmaChannelOption.RECEIVE_BUFFER_SIZE, RECEIVE_BUFFER)
                .childOption(RdmaChannelOption.INITIAL_WINDOW, WINDOW)
                .childOption(RdmaChannelOption.MAX_WINDOW, WINDOW))) {
            AtomicLong accepted = new AtomicLong();
            RdmaChannel client = pair.connect(new ChannelInboundHandlerAdapter());
            client.config().setWriteBufferWaterMark(new WriteBufferWaterMark(8 << 10, 64 << 10));
            RdmaChannel reader = pair.accepted();
            byte[] sent = new byte[4 << 20];
            random.nextBytes(sent);
            AtomicInteger written = new AtomicInteger();
            Deadline.ofSeconds(SECONDS).until("a writer that is stopped", () -> {
                while (client.isWritable()) {
                    client.writeAndFlush(Unpooled.copiedBuffer(sent, written.getAndAdd(PART), PART))
                            .addListener(future -> {
                                if (future.isSuccess()) {
                                    accepted.addAndGet(PART);
                                }
                            });
                    // One at a time, so that everything that the writer could send has been sent.
                    client.eventLoop().submit(() -> { }).sync();
                }
                // The reader has all that its receives allow. The writer may still wait for acknowledgements, which
                // could make it writable again, or show it that it has no credit.
                boolean stopped = reader.loopCounters().get(RdmaCounter.PEERS_STOPPED) == 1
                        && client.loopCounters().get(RdmaCounter.FLUSHES_WITHOUT_CREDIT) > 0
                        && client.loopCounters().get(RdmaCounter.BYTES_COPIED_OUT) - accepted.get() < PART;
                client.eventLoop().submit(() -> { }).sync();
                return stopped && !client.isWritable();
            });
            long taken = accepted.get();
            System.out.printf("a stalled reader with %d receives of %d bytes, and SO_RCVBUF %d, took %d bytes%n",
                    WINDOW, RECEIVE_BUFFER, unread, taken);
            assertThat(server.count()).isZero();
            assertThat(taken).isGreaterThan(unread).isLessThanOrEqualTo((long) WINDOW * RECEIVE_BUFFER + unread);
            assertThat(reader.loopCounters().get(RdmaCounter.BYTES_COPIED_UNREAD))
                    .isBetween(Math.max(0L, unread - RECEIVE_BUFFER), (long) unread);
            assertThat(reader.loopCounters().get(RdmaCounter.PEERS_STOPPED)).isEqualTo(1);
            assertThat(client.bytesBeforeWritable()).isPositive();
            reader.config().setAutoRead(true);
            int all = written.get();
            Deadline.ofSeconds(SECONDS).until("all bytes", () -> server.count() == all);
            assertThat(server.bytes()).isEqualTo(Arrays.copyOf(sent, all));
            Deadline.ofSeconds(SECONDS).until("the writer may go on", client::isWritable);
        }
    }

    /** Each read delivers one read loop's worth, and nothing is delivered without a read. */
    @Test
    void oneReadPerRequestWithoutAutoRead() throws Exception {
        Recorder server = new Recorder();
        try (ChannelPair pair = new ChannelPair(() -> server,
                bootstrap -> bootstrap.childOption(ChannelOption.AUTO_READ, false)
                        .childOption(ChannelOption.RECVBUF_ALLOCATOR,
                                new FixedRecvByteBufAllocator(100).maxMessagesPerRead(1)))) {
            Channel client = pair.connect(new ChannelInboundHandlerAdapter());
            Channel reader = pair.accepted();
            client.writeAndFlush(Unpooled.wrappedBuffer(new byte[800])).sync();
            for (int reads = 1; reads <= 8; reads++) {
                assertThat(server.count()).isEqualTo((reads - 1) * 100);
                reader.read();
                int expected = reads * 100;
                Deadline.ofSeconds(SECONDS).until("read " + reads, () -> server.count() >= expected);
            }
            assertThat(server.count()).isEqualTo(800);
        }
    }

    /** By default a read delivers a whole frame, otherwise slices of the guessed size. */
    @Test
    void readSizeFollowsTheReceiveBufferAllocator() throws Exception {
        assertThat(readSizes(null)).containsExactly(800);
        assertThat(readSizes(300)).containsExactly(300, 300, 200);
    }

    private static List<Integer> readSizes(Integer guess) throws Exception {
        List<Integer> sizes = new CopyOnWriteArrayList<>();
        AtomicLong count = new AtomicLong();
        try (ChannelPair pair = new ChannelPair(() -> new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                sizes.add(((ByteBuf) message).readableBytes());
                count.addAndGet(((ByteBuf) message).readableBytes());
                ((ByteBuf) message).release();
            }
        }, bootstrap -> {
            if (guess != null) {
                bootstrap.childOption(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(guess));
            }
        })) {
            Channel client = pair.connect(new ChannelInboundHandlerAdapter());
            client.writeAndFlush(Unpooled.wrappedBuffer(new byte[800])).sync();
            Deadline.ofSeconds(SECONDS).until("all bytes", () -> count.get() == 800);
        }
        return new ArrayList<>(sizes);
    }

    /** Buffers that the application keeps do not stall the peer's window. */
    @Test
    void readerThatRetainsBuffersIsStillServed() throws Exception {
        List<ByteBuf> kept = new CopyOnWriteArrayList<>();
        AtomicLong count = new AtomicLong();
        int all = 1 << 20;
        try (ChannelPair pair = new ChannelPair(() -> new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                kept.add((ByteBuf) message);
                count.addAndGet(((ByteBuf) message).readableBytes());
            }
        }, bootstrap -> bootstrap.childOption(RdmaChannelOption.RECEIVE_BUFFER_SIZE, RECEIVE_BUFFER)
                .childOption(RdmaChannelOption.INITIAL_WINDOW, WINDOW)
                .childOption(RdmaChannelOption.MAX_WINDOW, WINDOW))) {
            byte[] sent = new byte[all];
            random.nextBytes(sent);
            pair.connect(new ChannelInboundHandlerAdapter()).writeAndFlush(Unpooled.wrappedBuffer(sent));
            Deadline.ofSeconds(SECONDS).until("all bytes", () -> count.get() == all);
            ByteBuf joined = Unpooled.wrappedBuffer(kept.toArray(new ByteBuf[0]));
            assertThat(joined.equals(Unpooled.wrappedBuffer(sent))).isTrue();
            joined.release();
            assertThat(pair.accepted().loopCounters().get(RdmaCounter.READS_COPIED)).isPositive();
        }
    }
}
