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
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.testsuite.channel.EitherPair.Carrier;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.Seeds;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** A handler appends to what it has received, and to a copy of it. */
@Tag("device")
class GrowingReadsTest {

    private static final int SIZE = 300_000;
    /** More than a receive has room for. */
    private static final int APPENDED = 20_000;
    /** Bytes of a read, fewer than a frame has. */
    private static final int SMALL = 1_000;

    private final byte[] sent = new byte[SIZE];

    @BeforeEach
    void fill() {
        Seeds.newRandom().nextBytes(sent);
    }

    @ParameterizedTest
    @CsvSource({ "NIO, false, false", "RDMA, false, false", "RDMA, false, true", "RDMA, true, false",
                 "RDMA, true, true" })
    void appendsToBuffersDuringTheRead(Carrier over, boolean isForeign, boolean isSmall) throws Exception {
        Grower grower = new Grower();
        try (EitherPair pair = pair(over, grower, isForeign, isSmall, true)) {
            pair.connect(new ChannelInboundHandlerAdapter()).writeAndFlush(Unpooled.wrappedBuffer(sent));
            grower.await();
        }
    }

    /** It was copied out of the receives meanwhile. */
    @ParameterizedTest
    @CsvSource({ "NIO, false, false", "RDMA, false, false", "RDMA, false, true", "RDMA, true, false",
                 "RDMA, true, true" })
    void appendsToBuffersReadAfterAPause(Carrier over, boolean isForeign, boolean isSmall) throws Exception {
        Grower grower = new Grower();
        try (EitherPair pair = pair(over, grower, isForeign, isSmall, false)) {
            pair.connect(new ChannelInboundHandlerAdapter()).writeAndFlush(Unpooled.wrappedBuffer(sent));
            Channel server = pair.accepted();
            if (server instanceof RdmaChannel rdma) {
                Deadline.standard().until("copies", () -> rdma.loopCounters().get(RdmaCounter.BYTES_COPIED_UNREAD) > 0);
            }
            server.config().setAutoRead(true);
            grower.await();
        }
    }

    private EitherPair pair(Carrier over, Grower grower, boolean isForeign, boolean isSmall, boolean reads)
            throws Exception {
        ByteBufAllocator allocator = isForeign || over == Carrier.NIO ? PooledByteBufAllocator.DEFAULT
                : RdmaByteBufAllocator.DEFAULT;
        return new EitherPair(over, () -> grower, bootstrap -> {
            bootstrap.childOption(ChannelOption.ALLOCATOR, allocator).childOption(ChannelOption.AUTO_READ, reads);
            if (isSmall) {
                bootstrap.childOption(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(SMALL));
            }
        }, bootstrap -> { });
    }

    private final class Grower extends ChannelInboundHandlerAdapter {

        private volatile int count;
        private volatile Throwable failure;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf read = (ByteBuf) message;
            ByteBuf expected = Unpooled.wrappedBuffer(Unpooled.wrappedBuffer(sent, count, read.readableBytes()),
                    Unpooled.wrappedBuffer(new byte[APPENDED]));
            ByteBuf copy = read.copy();
            try {
                assertThat(read.maxCapacity()).isEqualTo(Integer.MAX_VALUE);
                assertThat(copy.writeZero(APPENDED)).isEqualTo(expected);
                assertThat(read.writeZero(APPENDED)).isEqualTo(expected);
                count += expected.readableBytes() - APPENDED;
            } finally {
                copy.release();
                read.release();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            failure = cause;
        }

        private void await() throws Exception {
            Deadline.standard().until("all bytes", () -> count == SIZE || failure != null);
            assertThat(failure).isNull();
        }
    }
}
