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
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.DefaultFileRegion;
import io.nettyrdma.testsuite.support.ByteRegion;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.Seeds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/** Whatever a handler writes arrives, and is released once. */
@Tag("device")
class PayloadTest {

    private static final double SECONDS = 30;
    private static final int SIZE = 300_000;

    private final Random random = Seeds.newRandom();

    private enum Kind {
        HEAP {
            @Override
            ByteBuf of(byte[] bytes) {
                return Unpooled.buffer().writeBytes(bytes);
            }
        },
        DIRECT {
            @Override
            ByteBuf of(byte[] bytes) {
                return Unpooled.directBuffer().writeBytes(bytes);
            }
        },
        POOLED {
            @Override
            ByteBuf of(byte[] bytes) {
                return PooledByteBufAllocator.DEFAULT.directBuffer().writeBytes(bytes);
            }
        },
        READ_ONLY {
            @Override
            ByteBuf of(byte[] bytes) {
                return Unpooled.wrappedBuffer(bytes).asReadOnly();
            }
        },
        SLICE {
            @Override
            ByteBuf of(byte[] bytes) {
                return Unpooled.directBuffer().writeZero(7).writeBytes(bytes).writeZero(9).slice(7, bytes.length);
            }
        },
        COMPOSITE {
            @Override
            ByteBuf of(byte[] bytes) {
                CompositeByteBuf composite = ByteBufAllocator.DEFAULT.compositeBuffer(100);
                int step = bytes.length / 37;
                for (int at = 0; at < bytes.length; at += step) {
                    int count = Math.min(step, bytes.length - at);
                    ByteBuf part = at % 2 == 0 ? Unpooled.buffer(count) : Unpooled.directBuffer(count);
                    composite.addComponent(true, part.writeBytes(bytes, at, count));
                    composite.addComponent(true, Unpooled.EMPTY_BUFFER);
                }
                return composite;
            }
        };

        abstract ByteBuf of(byte[] bytes);
    }

    @ParameterizedTest
    @EnumSource
    void buffersOfEveryKind(Kind kind) throws Exception {
        byte[] sent = randomBytes();
        ByteBuf buffer = kind.of(sent);
        echo(sent, buffer);
        assertThat(buffer.refCnt()).isZero();
    }

    /** The application keeps its buffer: only the reference that was written is released. */
    @Test
    void bufferCanBeWrittenTwice() throws Exception {
        byte[] half = new byte[10_000];
        random.nextBytes(half);
        byte[] sent = new byte[20_000];
        System.arraycopy(half, 0, sent, 0, half.length);
        System.arraycopy(half, 0, sent, half.length, half.length);
        ByteBuf kept = Unpooled.directBuffer().writeBytes(half);
        echo(sent, kept.retainedDuplicate(), kept.retainedDuplicate());
        assertThat(kept.refCnt()).isEqualTo(1);
        kept.release();
    }

    @Test
    void emptyBuffersSucceedAtOnce() throws Exception {
        byte[] sent = { 1, 2, 3 };
        ByteBuf empty = Unpooled.directBuffer(16);
        echo(sent, empty, Unpooled.wrappedBuffer(sent), Unpooled.EMPTY_BUFFER);
        assertThat(empty.refCnt()).isZero();
    }

    @Test
    void fileArrives(@TempDir Path directory) throws Exception {
        byte[] sent = randomBytes();
        Path file = Files.write(directory.resolve("sent"), sent);
        echo(sent, new DefaultFileRegion(file.toFile(), 0, sent.length));
    }

    @Test
    void filesBetweenBuffers(@TempDir Path directory) throws Exception {
        byte[] sent = randomBytes();
        Path file = Files.write(directory.resolve("sent"), sent);
        int third = sent.length / 3;
        echo(sent, Unpooled.wrappedBuffer(sent, 0, third), new DefaultFileRegion(file.toFile(), third, third),
                Unpooled.wrappedBuffer(sent, 2 * third, sent.length - 2 * third));
    }

    /** A region need not be a file. One that transfers a byte at a time is the worst case. */
    @Test
    void foreignFileRegionArrives() throws Exception {
        byte[] sent = new byte[5_000];
        random.nextBytes(sent);
        ByteRegion region = new ByteRegion(sent) {
            @Override
            public long transferTo(WritableByteChannel target, long position) throws IOException {
                return transferOne(target);
            }
        };
        echo(sent, region);
        assertThat(region.refCnt()).isZero();
        assertThat(region.transferred()).isEqualTo(sent.length);
    }

    /** Nothing is sent after it, because its writer meant all of it to be sent. */
    @Test
    void truncatedFileRegionFailsTheWrite(@TempDir Path directory) throws Exception {
        Path file = Files.write(directory.resolve("short"), new byte[100]);
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            Channel client = pair.connect(new Recorder());
            ChannelFuture written = client.writeAndFlush(new DefaultFileRegion(file.toFile(), 0, 200)).await();
            assertThat(written.cause()).isInstanceOf(IOException.class);
            client.closeFuture().sync();
        }
    }

    @Test
    void unsupportedMessageTypeIsRefused() throws Exception {
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            Channel client = pair.connect(new Recorder());
            ChannelFuture written = client.writeAndFlush("text").await();
            assertThat(written.cause()).isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("String").hasMessageContaining("ByteBuf").hasMessageContaining("FileRegion");
            assertThat(client.isActive()).isTrue();
        }
    }

    private byte[] randomBytes() {
        byte[] bytes = new byte[SIZE];
        random.nextBytes(bytes);
        return bytes;
    }

    /** @param messages that together are {@code sent}. */
    private static void echo(byte[] sent, Object... messages) throws Exception {
        SameBytes echoed = new SameBytes(sent);
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            Channel client = pair.connect(echoed);
            ChannelFuture[] written = new ChannelFuture[messages.length];
            for (int i = 0; i < messages.length; i++) {
                written[i] = client.write(messages[i]);
            }
            client.flush();
            for (ChannelFuture each : written) {
                each.sync();
            }
            Deadline.ofSeconds(SECONDS).until("the echo", () -> echoed.count() == sent.length);
            assertThat(echoed.firstDifference()).isEqualTo(-1);
        }
    }
}
