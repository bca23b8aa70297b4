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
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.FileRegion;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.testsuite.channel.EitherPair.Carrier;
import io.nettyrdma.testsuite.support.ByteRegion;
import io.nettyrdma.testsuite.support.Seeds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** A message whose length changes while it is written must not corrupt other messages. */
@Tag("device")
@Tag("native-speed")
class ChangingMessageTest {

    private static final int OTHERS = 11;
    private static final int OTHERS_LENGTH = 100;
    /** Gathered, so it waits for a completion. */
    private static final int LARGE = 50_000;
    /** More than one flush can send. */
    private static final int VERY_LARGE = 4 << 20;

    private final Random random = Seeds.newRandom();

    /** What a region may report about itself while it is transferred. */
    private enum Saying {
        WHAT_IS_LEFT(bytes -> new ByteRegion(bytes) {
            @Override
            public long count() {
                return left();
            }
        }),
        NOTHING_SINCE_IT_BEGAN(bytes -> new ByteRegion(bytes) {
            @Override
            public long count() {
                return transferred() == 0 ? super.count() : 0;
            }
        }),
        MORE_AND_MORE(bytes -> new ByteRegion(bytes) {
            @Override
            public long count() {
                return Math.min(super.count(), transferred() + 1);
            }
        }),
        THAT_IT_GAVE_TWICE_AS_MUCH(bytes -> new ByteRegion(bytes) {
            @Override
            public long transferTo(WritableByteChannel target, long position) throws IOException {
                return 2 * super.transferTo(target, position);
            }
        }),
        ITS_PLAIN_BYTES(Enciphered::new);

        private final Function<byte[], FileRegion> region;

        Saying(Function<byte[], FileRegion> region) {
            this.region = region;
        }
    }

    private static Stream<Arguments> regions() {
        return Stream.of(Carrier.values()).flatMap(over -> Stream.of(Saying.values())
                .flatMap(saying -> Stream.of(1_000, 20_000).map(length -> Arguments.of(over, saying, length))));
    }

    /** Each message is sent before the next one is written. */
    @ParameterizedTest
    @MethodSource("regions")
    void regionsBeforeBuffers(Carrier over, Saying saying, int length) throws Exception {
        byte[] sent = bytes(length + OTHERS * OTHERS_LENGTH);
        List<Object> messages = new ArrayList<>();
        messages.add(saying.region.apply(Arrays.copyOf(sent, length)));
        addOthers(messages, sent, length);
        assertAllArrive(over, sent, messages, true);
    }

    /** All messages wait for the completion of the first. */
    @ParameterizedTest
    @MethodSource("regions")
    void regionsAfterALargeBuffer(Carrier over, Saying saying, int length) throws Exception {
        byte[] sent = bytes(LARGE + length + OTHERS * OTHERS_LENGTH);
        List<Object> messages = new ArrayList<>();
        messages.add(Arrays.copyOf(sent, LARGE));
        messages.add(saying.region.apply(Arrays.copyOfRange(sent, LARGE, LARGE + length)));
        addOthers(messages, sent, LARGE + length);
        assertAllArrive(over, sent, messages, false);
    }

    private static void addOthers(List<Object> messages, byte[] sent, int from) {
        for (int at = from; at < sent.length; at += OTHERS_LENGTH) {
            messages.add(Unpooled.wrappedBuffer(sent, at, OTHERS_LENGTH));
        }
    }

    private static void assertAllArrive(Carrier over, byte[] sent, List<Object> messages, boolean singly)
            throws Exception {
        try (Connection connection = new Connection(over, new ChannelInboundHandlerAdapter())) {
            Channel channel = connection.client;
            List<ChannelFuture> written = new ArrayList<>();
            for (Object each : messages) {
                written.add(channel.write(each instanceof byte[] bytes
                        ? channel.alloc().directBuffer(bytes.length).writeBytes(bytes) : each));
                if (singly) {
                    channel.flush();
                }
            }
            channel.flush();
            assertThat(connection.received(sent.length)).isEqualTo(sent);
            for (ChannelFuture each : written) {
                each.sync();
            }
        }
    }

    /** The bytes have been sent and wait for their completion. */
    @Test
    void indexesMoveWhileTheBytesAreInFlight() throws Exception {
        byte[] sent = bytes(LARGE + OTHERS_LENGTH);
        for (int kept : new int[] { 0, 1, LARGE - 1 }) {
            try (Connection connection = rdma()) {
                assertThat(writeAndChange(connection, sent, LARGE, buffer -> buffer.setIndex(LARGE - kept, LARGE))
                        .sync().isSuccess()).isTrue();
                assertThat(connection.received(sent.length)).isEqualTo(sent);
            }
        }
    }

    @Test
    void bufferGrowsWhileItsBytesAreInFlight() throws Exception {
        byte[] sent = bytes(LARGE + OTHERS_LENGTH);
        try (Connection connection = rdma()) {
            writeAndChange(connection, sent, LARGE, buffer -> buffer.writerIndex(buffer.capacity())).sync();
            assertThat(connection.received(sent.length)).isEqualTo(sent);
        }
    }

    @Test
    void indexesMoveAfterAPartIsSent() throws Exception {
        byte[] sent = bytes(VERY_LARGE + OTHERS_LENGTH);
        try (Connection connection = rdma()) {
            writeAndChange(connection, sent, VERY_LARGE, buffer -> buffer.setIndex(VERY_LARGE - 1, VERY_LARGE)).sync();
            assertThat(connection.received(sent.length)).isEqualTo(sent);
        }
    }

    /** The missing bytes cannot be replaced, so nothing may follow the gap. */
    @Test
    void bufferShrinksAfterAPartIsSent() throws Exception {
        byte[] sent = bytes(VERY_LARGE + OTHERS_LENGTH);
        try (Connection connection = rdma()) {
            ChannelFuture last = writeAndChange(connection, sent, VERY_LARGE,
                    buffer -> buffer.capacity(VERY_LARGE - 1));
            assertThat(last.await().cause()).hasRootCauseInstanceOf(IndexOutOfBoundsException.class);
            connection.client.close().sync();
            connection.server.inactive().await();
            byte[] came = connection.server.bytes();
            assertThat(came).hasSizeLessThan(VERY_LARGE).isEqualTo(Arrays.copyOf(sent, came.length));
        }
    }

    private static Connection rdma() throws Exception {
        return new Connection(Carrier.RDMA, new ChannelInboundHandlerAdapter());
    }

    /**
     * Writes a buffer, changes it before the loop processes anything else, and writes another one.
     *
     * @return the future of the last write.
     */
    private static ChannelFuture writeAndChange(Connection connection, byte[] sent, int length,
                                                Function<ByteBuf, ByteBuf> change) throws Exception {
        RdmaChannel channel = (RdmaChannel) connection.client;
        ByteBuf buffer = channel.alloc().directBuffer(length, 2 * length).writeBytes(sent, 0, length).retain();
        try {
            return channel.eventLoop().submit(() -> {
                channel.writeAndFlush(buffer);
                change.apply(buffer);
                return channel.writeAndFlush(Unpooled.wrappedBuffer(sent, length, OTHERS_LENGTH));
            }).sync().getNow().awaitUninterruptibly();
        } finally {
            buffer.release();
        }
    }

    private byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    /**
     * Counts as frameworks do when they encrypt: in blocks with headers, of which only the contents count, once a block
     * is complete. Meanwhile it counts single bytes, because 0 would mean that it cannot continue.
     */
    private static final class Enciphered extends ByteRegion {

        private static final int HEADER = 8;
        private static final int BLOCK = 300;

        private final ByteBuffer all;
        private final long count;
        private long transferred;

        Enciphered(byte[] bytes) {
            super(bytes);
            all = ByteBuffer.wrap(bytes);
            count = contents(bytes.length);
        }

        private static long contents(int bytes) {
            int rest = bytes % (HEADER + BLOCK);
            return (long) bytes / (HEADER + BLOCK) * BLOCK + Math.max(1, rest - HEADER);
        }

        @Override
        public long transferred() {
            return transferred;
        }

        @Override
        public long count() {
            return count;
        }

        @Override
        public long transferTo(WritableByteChannel target, long position) throws IOException {
            long before = transferred;
            int written = target.write(all);
            if (!all.hasRemaining()) {
                transferred = count;
            } else if (written > 0) {
                transferred = Math.max(before, Math.min(count - 1, contents(all.position() / (HEADER + BLOCK)
                        * (HEADER + BLOCK))));
            }
            return transferred - before;
        }
    }
}
