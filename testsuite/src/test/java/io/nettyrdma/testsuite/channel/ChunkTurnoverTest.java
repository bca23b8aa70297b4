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
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.buffer.RdmaByteBufAllocatorMetric;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.io.RdmaIoHandlerConfig;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.Rounds;
import io.nettyrdma.testsuite.support.Seeds;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Memory is returned to the system as soon as no buffer uses it, at all times and under load. Returned memory is
 * unmapped, so an access by the device or by us that comes too late would end the process.
 */
@Tag("device")
class ChunkTurnoverTest {

    private static final double SECONDS = 60;
    private static final int CHUNK = 1 << 20;
    private static final int MESSAGES = 20;
    private static final int LARGEST = 3 << 20;

    private final Random random = Seeds.newRandom();
    /** Caches nothing. */
    private final RdmaByteBufAllocator allocator = RdmaByteBufAllocator.builder().chunkBytes(CHUNK).idleBytes(0)
            .threadCacheBytes(0).maxRegisteredBytes(256 << 20).build();
    private final RdmaByteBufAllocatorMetric metric = allocator.metric();

    /** After each burst only the slots of the channels remain, which occupy whole chunks. */
    @Test
    void memoryIsReleasedAfterEachBurst() throws Exception {
        int rounds = Rounds.scaled(30);
        byte[] content = new byte[LARGEST];
        random.nextBytes(content);
        try (ChannelPair pair = pair()) {
            SameBytes echoed = new SameBytes(new byte[0]);
            RdmaChannel client = pair.connect(echoed, this::configure);
            RdmaChannel server = pair.accepted();
            for (int round = 0; round < rounds; round++) {
                int[] sizes = random.ints(MESSAGES, 0, 3).map(this::size).toArray();
                burst(client, echoed, content, sizes);
                echoed = (SameBytes) client.pipeline().first();
                awaitSlotsOnly("round " + round);
            }
            // The registrations of one round were gone in the next.
            if (TestDevice.get().capabilities().maxSendSge() > 1) {
                assertThat(metric.registrations()).isGreaterThan(2L * rounds);
            }
            assertThat(metric.registeredBytes()).isLessThanOrEqualTo(metric.committedBytes());
            assertThat(server.isActive()).isTrue();
            client.close().sync();
        }
        assertThat(metric.committedBytes()).isZero();
    }

    /** Both ends echo endlessly. When the connection ends, it releases buffers that the device was about to read. */
    @Test
    void abortedConnectionsReleaseTheirMemory() throws Exception {
        int rounds = Rounds.scaled(30);
        byte[] content = new byte[LARGEST];
        random.nextBytes(content);
        try (ChannelPair pair = pair()) {
            for (int round = 0; round < rounds; round++) {
                RdmaChannel client = pair.connect(new EchoOrCopy(), this::configure);
                RdmaChannel server = pair.accepted();
                for (int i = 0; i < MESSAGES / 2; i++) {
                    client.write(message(client, content, size(i % 3)));
                    server.write(message(server, content, size(i % 3)));
                }
                client.flush();
                server.flush();
                Channel first = random.nextBoolean() ? client : server;
                first.config().setOption(ChannelOption.SO_LINGER, 0);
                // By then some, all or none of it is in flight.
                for (int tasks = random.nextInt(10); tasks > 0; tasks--) {
                    first.eventLoop().submit(() -> { }).sync();
                }
                first.close().sync();
                client.closeFuture().sync();
                server.closeFuture().sync();
                awaitSlotsOnly("round " + round);
            }
        }
        assertThat(metric.committedBytes()).isZero();
    }

    private ChannelPair pair() throws Exception {
        return new ChannelPair(RdmaIoHandlerConfig.DEFAULT.withSlabBytes(CHUNK), EchoOrCopy::new,
                bootstrap -> bootstrap.childOption(ChannelOption.ALLOCATOR, allocator)
                        .childOption(RdmaChannelOption.ZERO_COPY_THRESHOLD, 1));
    }

    private void configure(AbstractBootstrap<?, ?> bootstrap) {
        bootstrap.option(ChannelOption.ALLOCATOR, allocator).option(RdmaChannelOption.ZERO_COPY_THRESHOLD, 1);
    }

    private int size(int kind) {
        return 1 + random.nextInt(kind == 0 ? 2 << 10 : kind == 1 ? 64 << 10 : LARGEST);
    }

    /** Writes the first bytes of the content in one message of each size, and waits for all of them to be echoed. */
    private void burst(RdmaChannel client, SameBytes before, byte[] content, int[] sizes) throws Exception {
        int all = Arrays.stream(sizes).sum();
        byte[] expected = new byte[all];
        int at = 0;
        for (int size : sizes) {
            System.arraycopy(content, 0, expected, at, size);
            at += size;
        }
        SameBytes echoed = new SameBytes(expected);
        client.pipeline().replace(before, null, echoed);
        for (int size : sizes) {
            client.writeAndFlush(message(client, content, size));
        }
        Deadline.ofSeconds(SECONDS).until("the echo", () -> echoed.count() == all);
        assertThat(echoed.firstDifference()).isEqualTo(-1);
    }

    /** Allocated on the loop or on this thread. */
    private ByteBuf message(RdmaChannel channel, byte[] content, int size) throws Exception {
        return random.nextBoolean() ? channel.alloc().directBuffer(size).writeBytes(content, 0, size)
                : channel.eventLoop().submit(() -> channel.alloc().directBuffer(size).writeBytes(content, 0, size))
                        .sync().getNow();
    }

    /** A chunk that holds messages would be partly used or unused. */
    private void awaitSlotsOnly(String when) throws Exception {
        Deadline.ofSeconds(SECONDS).until("all but slots to be gone after " + when + ": " + metric,
                () -> metric.committedBytes() == slotBytes());
        assertThat(metric.idleBytes()).isZero();
    }

    private long slotBytes() {
        return metric.sizeClasses().stream().filter(each -> each.slotBytes() == CHUNK)
                .mapToLong(each -> (long) each.inUse() * CHUNK).sum();
    }

    /** Echoes the received buffer itself or a copy. */
    private final class EchoOrCopy extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf received = (ByteBuf) message;
            if (random.nextBoolean()) {
                context.write(received);
                return;
            }
            ByteBuf copy = context.alloc().directBuffer(received.readableBytes()).writeBytes(received);
            received.release();
            context.write(copy);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }
}
