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

import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOption;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.Seeds;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Data in registered memory is sent without a copy, other data with one. Every message is echoed and is alone in
 * flight, so the counters of both ends show how often its bytes were copied.
 */
@Tag("device")
class ZeroCopyTest {

    private static final double SECONDS = 30;
    private static final int SIZE = 64 << 10;
    private static final int ROUNDS = 10;
    /** Of the channel's default options. */
    private static final int DEFAULT_THRESHOLD = 2048;
    /** Enough receives for the server to keep all frames of a message until they are sent back. */
    /** Long enough from the beginning for frames that are gathered. */
    private static final int RECEIVE = 8192;
    private static final int WINDOW = 64;

    private static final RdmaByteBufAllocator FOREIGN = RdmaByteBufAllocator.builder().build();

    private final Random random = Seeds.newRandom();

    /** Makes a message; the transport gets the only reference. */
    private interface Maker {
        ByteBuf make(ByteBufAllocator allocator, byte[] content);
    }

    /** Buffers of the channel's allocator, and buffers derived from them. */
    private enum Registered implements Maker {
        WHOLE {
            @Override
            public ByteBuf make(ByteBufAllocator allocator, byte[] content) {
                return allocator.directBuffer().writeBytes(content);
            }
        },
        LARGER_THAN_A_CHUNK {
            @Override
            public ByteBuf make(ByteBufAllocator allocator, byte[] content) {
                return allocator.directBuffer(5 << 20).setIndex(4 << 20, 4 << 20).writeBytes(content);
            }
        },
        SLICE {
            @Override
            public ByteBuf make(ByteBufAllocator allocator, byte[] content) {
                return allocator.directBuffer().writeZero(7).writeBytes(content).writeZero(9).slice(7, content.length);
            }
        },
        DUPLICATE {
            @Override
            public ByteBuf make(ByteBufAllocator allocator, byte[] content) {
                return allocator.directBuffer().writeZero(5).skipBytes(5).writeBytes(content).duplicate();
            }
        },
        READ_RETAINED_SLICE {
            @Override
            public ByteBuf make(ByteBufAllocator allocator, byte[] content) {
                ByteBuf whole = allocator.directBuffer().writeZero(3).writeBytes(content).writeZero(3).skipBytes(3);
                ByteBuf slice = whole.readRetainedSlice(content.length);
                whole.release();
                return slice;
            }
        },
        READ_ONLY {
            @Override
            public ByteBuf make(ByteBufAllocator allocator, byte[] content) {
                return allocator.directBuffer().writeBytes(content).asReadOnly();
            }
        },
        GROWN {
            @Override
            public ByteBuf make(ByteBufAllocator allocator, byte[] content) {
                ByteBuf buffer = allocator.directBuffer(1);
                for (int at = 0; at < content.length; at += 999) {
                    buffer.writeBytes(content, at, Math.min(999, content.length - at));
                }
                return buffer;
            }
        },
        COMPOSITE {
            @Override
            public ByteBuf make(ByteBufAllocator allocator, byte[] content) {
                int third = content.length / 3;
                CompositeByteBuf composite = allocator.compositeDirectBuffer();
                for (int at = 0; at < content.length; at += third) {
                    int count = Math.min(third, content.length - at);
                    composite.addComponent(true, allocator.directBuffer().writeBytes(content, at, count));
                }
                return composite;
            }
        },
        COMPOSITE_OF_SLICES {
            @Override
            public ByteBuf make(ByteBufAllocator allocator, byte[] content) {
                ByteBuf whole = allocator.directBuffer().writeZero(1).writeBytes(content).skipBytes(1);
                CompositeByteBuf composite = allocator.compositeDirectBuffer(content.length);
                while (whole.isReadable()) {
                    composite.addComponent(true, whole.readRetainedSlice(Math.min(999, whole.readableBytes())));
                }
                whole.release();
                return composite;
            }
        }
    }

    /** Memory that the channel's device has not registered. */
    private enum Foreign implements Maker {
        POOLED {
            @Override
            public ByteBuf make(ByteBufAllocator allocator, byte[] content) {
                return PooledByteBufAllocator.DEFAULT.directBuffer().writeBytes(content);
            }
        },
        ADAPTIVE {
            @Override
            public ByteBuf make(ByteBufAllocator allocator, byte[] content) {
                return Adaptive.ALLOCATOR.directBuffer().writeBytes(content);
            }
        },
        UNPOOLED {
            @Override
            public ByteBuf make(ByteBufAllocator allocator, byte[] content) {
                return Unpooled.directBuffer().writeBytes(content);
            }
        },
        HEAP {
            @Override
            public ByteBuf make(ByteBufAllocator allocator, byte[] content) {
                return Unpooled.wrappedBuffer(content);
            }
        },
        HEAP_OF_THE_CHANNEL {
            @Override
            public ByteBuf make(ByteBufAllocator allocator, byte[] content) {
                return allocator.heapBuffer().writeBytes(content);
            }
        },
        OF_ANOTHER_ALLOCATOR_OF_OURS {
            @Override
            public ByteBuf make(ByteBufAllocator allocator, byte[] content) {
                return FOREIGN.directBuffer().writeBytes(content);
            }
        };

        private static final class Adaptive {
            static final ByteBufAllocator ALLOCATOR = new AdaptiveByteBufAllocator();
        }
    }

    @ParameterizedTest
    @EnumSource
    void registeredBuffersAreNotCopied(Registered kind) throws Exception {
        assumeGathers();
        try (Echo echo = new Echo(1)) {
            for (int i = 0; i < ROUNDS; i++) {
                echo.send(kind, SIZE);
            }
            echo.assertCopied(0, 2L * ROUNDS * SIZE);
        }
    }

    /** Echoing a received buffer copies nothing, so all copies were made by the client. */
    @ParameterizedTest
    @EnumSource
    void foreignBuffersAreCopiedOnce(Foreign kind) throws Exception {
        assumeGathers();
        try (Echo echo = new Echo(1)) {
            for (int i = 0; i < ROUNDS; i++) {
                echo.send(kind, SIZE);
            }
            echo.assertCopied(1L * ROUNDS * SIZE, 1L * ROUNDS * SIZE);
        }
    }

    /** Half of it is registered, half is not. */
    @Test
    void mixedCompositeCopiesOnlyItsForeignPart() throws Exception {
        assumeGathers();
        try (Echo echo = new Echo(1)) {
            echo.send((allocator, content) -> {
                int half = content.length / 2;
                return allocator.compositeDirectBuffer()
                        .addComponent(true, Unpooled.copiedBuffer(content, 0, half))
                        .addComponent(true, allocator.directBuffer().writeBytes(content, half, half));
            }, SIZE);
            echo.assertCopied(SIZE / 2, SIZE / 2 + SIZE);
        }
    }

    /** Received buffers come from the default allocator then, and are echoed without a copy. */
    @Test
    void buffersOfAnotherAllocatorAreCopied() throws Exception {
        assumeGathers();
        try (Echo echo = new Echo(1, PooledByteBufAllocator.DEFAULT)) {
            assertThat(echo.client.alloc()).isSameAs(PooledByteBufAllocator.DEFAULT);
            for (int i = 0; i < ROUNDS; i++) {
                echo.send(Registered.COMPOSITE, SIZE);
            }
            echo.assertCopied(1L * ROUNDS * SIZE, 1L * ROUNDS * SIZE);
        }
    }

    /** All slots and messages are in its memory. */
    @Test
    void customAllocatorIsGathered() throws Exception {
        assumeGathers();
        RdmaByteBufAllocator own = RdmaByteBufAllocator.builder().build();
        try (Echo echo = new Echo(1, own)) {
            long slots = own.metric().inUseBytes();
            assertThat(slots).as("slots of both ends").isGreaterThanOrEqualTo(2L * WINDOW * 8192);
            echo.send(Registered.WHOLE, SIZE);
            echo.assertCopied(0, 2L * SIZE);
        }
        assertThat(own.metric().inUseBytes()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, DEFAULT_THRESHOLD - 1, DEFAULT_THRESHOLD, DEFAULT_THRESHOLD + 1 })
    void smallBuffersAreCopiedByDefault(int size) throws Exception {
        assumeGathers();
        try (Echo echo = new Echo(null)) {
            assertThat(echo.client.config().getOption(RdmaChannelOption.ZERO_COPY_THRESHOLD))
                    .isEqualTo(DEFAULT_THRESHOLD);
            echo.send(Registered.WHOLE, size);
            long copied = size < DEFAULT_THRESHOLD ? 2L * size : 0;
            echo.assertCopied(copied, 2L * size - copied);
        }
    }

    /** The header takes one SGE already. A device that takes only one gets copies, and they arrive. */
    @Test
    void deviceWithOneSgeGetsCopies() throws Exception {
        assumeTrue(!gathers(), "the device takes several SGEs");
        try (Echo echo = new Echo(1)) {
            for (Registered kind : Registered.values()) {
                echo.send(kind, SIZE);
            }
            echo.assertCopied(2L * Registered.values().length * SIZE, 0);
        }
    }

    private static boolean gathers() {
        return TestDevice.get().capabilities().maxSendSge() > 1;
    }

    private static void assumeGathers() {
        assumeTrue(gathers(), "the device takes one SGE, and the header is that");
    }

    /** A client and an echo server with the same options. */
    private final class Echo implements AutoCloseable {

        private final ChannelPair pair;
        private final RdmaChannel client;

        private Echo(Integer threshold) throws Exception {
            this(threshold, RdmaByteBufAllocator.DEFAULT);
        }

        /** @param threshold {@code null} for the default. */
        private Echo(Integer threshold, ByteBufAllocator allocator) throws Exception {
            pair = new ChannelPair(EchoHandler::new, bootstrap -> {
                bootstrap.childOption(RdmaChannelOption.INITIAL_WINDOW, WINDOW)
                        .childOption(RdmaChannelOption.RECEIVE_BUFFER_SIZE, RECEIVE)
                        .childOption(ChannelOption.ALLOCATOR, allocator);
                if (threshold != null) {
                    bootstrap.childOption(RdmaChannelOption.ZERO_COPY_THRESHOLD, threshold);
                }
            });
            client = pair.connect(new SameBytes(new byte[0]), bootstrap -> {
                bootstrap.option(RdmaChannelOption.INITIAL_WINDOW, WINDOW).option(ChannelOption.ALLOCATOR, allocator)
                        .option(RdmaChannelOption.RECEIVE_BUFFER_SIZE, RECEIVE);
                if (threshold != null) {
                    bootstrap.option(RdmaChannelOption.ZERO_COPY_THRESHOLD, threshold);
                }
            });
        }

        private void send(Maker maker, int size) throws Exception {
            byte[] content = new byte[size];
            random.nextBytes(content);
            SameBytes echoed = new SameBytes(content);
            client.pipeline().removeFirst();
            client.pipeline().addFirst(echoed);
            ByteBuf message = maker.make(client.alloc(), content);
            client.writeAndFlush(message).sync();
            Deadline.ofSeconds(SECONDS).until("the echo", () -> echoed.count() == size);
            assertThat(echoed.firstDifference()).isEqualTo(-1);
            assertThat(message.refCnt()).isZero();
        }

        private void assertCopied(long copied, long gathered) {
            assertThat(pair.sum(RdmaCounter.BYTES_COPIED_OUT)).as("bytes that were copied").isEqualTo(copied);
            assertThat(pair.sum(RdmaCounter.BYTES_GATHERED)).as("bytes that were not").isEqualTo(gathered);
            assertThat(pair.sum(RdmaCounter.READS_COPIED)).as("reads that were copied").isZero();
        }

        @Override
        public void close() {
            client.close().syncUninterruptibly();
            pair.close();
        }
    }
}
