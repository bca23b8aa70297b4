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
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.netty.channel.socket.DuplexChannel;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.testsuite.channel.EitherPair.Carrier;
import io.nettyrdma.testsuite.support.ByteRegion;
import io.nettyrdma.testsuite.support.Deadline;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.channels.WritableByteChannel;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The application's own code throws while the transport calls it. The cause reaches the application, what was sent
 * before arrives, and the stream ends in order, as with TCP, whether a flush of the application or an event of the
 * device was at work.
 */
@Tag("device")
class ThrowingMessageTest {

    private static final int SECONDS = 30;
    /** More than the peer takes that does not read, over either transport. */
    private static final int MUCH = 16 << 20;
    private static final int GATHERED = 50_000;
    private static final IllegalStateException EXPIRED = new IllegalStateException("the file's lease has ended");

    private final LeakWatch leaks = new LeakWatch();
    private final Recorder reader = new Recorder();
    private final Recorder writer = new Recorder();

    private enum Message {
        REGION {
            @Override
            Object create() {
                return throwingAt(0, EXPIRED);
            }
        },
        RELEASED_TOO_EARLY {
            @Override
            Object create() {
                return Unpooled.directBuffer(100).writeZero(100);
            }

            @Override
            void spoil(Object message) {
                ((ByteBuf) message).release();
            }
        };

        abstract Object create();

        /** Called when the message waits in the channel. */
        void spoil(Object message) {
        }
    }

    @AfterEach
    void check() {
        leaks.close();
    }

    /** A region of 100 bytes that throws at a position. */
    private static ByteRegion throwingAt(int part, Exception failure) {
        return new ByteRegion(new byte[100]) {
            @Override
            public long transferTo(WritableByteChannel target, long position) throws IOException {
                if (position != part) {
                    return transferOne(target);
                }
                if (failure instanceof IOException unreadable) {
                    throw unreadable;
                }
                throw (RuntimeException) failure;
            }
        };
    }

    /** The message is reached when the peer reads. */
    @ParameterizedTest
    @EnumSource
    void throwingMessageEndsTheOutputOverTcp(Message kind) throws Exception {
        endsTheOutput(Carrier.NIO, kind);
    }

    @ParameterizedTest
    @EnumSource
    void throwingMessageEndsTheOutput(Message kind) throws Exception {
        endsTheOutput(Carrier.RDMA, kind);
    }

    private void endsTheOutput(Carrier over, Message kind) throws Exception {
        try (EitherPair pair = new EitherPair(over, () -> reader, server -> server
                .childOption(ChannelOption.AUTO_READ, false).childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childOption(ChannelOption.SO_RCVBUF, over == Carrier.RDMA ? 0 : 1 << 16), client -> { })) {
            Channel client = pair.connect(writer);
            Channel server = pair.accepted();
            ChannelFuture before = client.write(Unpooled.directBuffer(MUCH).writeZero(MUCH));
            Object message = kind.create();
            ChannelFuture thrown = client.write(message);
            ChannelFuture behind = client.writeAndFlush(Unpooled.copyLong(1));
            client.eventLoop().submit(() -> kind.spoil(message)).sync();
            server.config().setAutoRead(true);
            for (ChannelFuture each : new ChannelFuture[] { before, thrown, behind }) {
                assertThat(each.await(SECONDS, TimeUnit.SECONDS)).as("a promise is done").isTrue();
            }
            assertThat(thrown.cause()).isInstanceOf(ChannelOutputShutdownException.class);
            assertThat(thrown.cause().getCause()).isInstanceOf(
                    kind == Message.REGION ? IllegalStateException.class : RuntimeException.class);
            assertThat(behind.cause()).isInstanceOf(ChannelOutputShutdownException.class);
            assertThat(((DuplexChannel) client).isOutputShutdown()).isTrue();
            assertThat(client.isActive()).as("can still read").isTrue();
            if (before.isSuccess()) {
                Deadline.ofSeconds(SECONDS).until("the end", () ->
                        reader.events().contains("ChannelInputShutdownReadComplete"));
                assertThat(reader.count()).isEqualTo(MUCH);
            } else {
                // NIO reads the reference count of all flushed buffers before it writes the first.
                assertThat(over == Carrier.NIO && kind == Message.RELEASED_TOO_EARLY).isTrue();
            }
            server.writeAndFlush(Unpooled.copyLong(2)).sync();
            Deadline.ofSeconds(SECONDS).until("the other direction", () -> writer.count() == Long.BYTES);
            assertThat(client.close().await(SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(reader.failures()).isEmpty();
        }
    }

    /**
     * The device reads the first message in place, and it arrives: its promise must not say otherwise.
     *
     * @param part bytes of the other message that are sent before it throws.
     */
    @ParameterizedTest
    @ValueSource(ints = { 0, 60 })
    void bytesInFlightSucceed(int part) throws Exception {
        try (EitherPair pair = new EitherPair(Carrier.RDMA, () -> reader, server -> server
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true), client -> { })) {
            Channel client = pair.connect(writer);
            ByteBuf gathered = RdmaByteBufAllocator.DEFAULT.directBuffer(GATHERED).writeZero(GATHERED);
            ChannelFuture before = client.write(gathered);
            ChannelFuture thrown = client.writeAndFlush(throwingAt(part, EXPIRED));
            assertThat(before.await(SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(before.isSuccess()).isTrue();
            assertThat(thrown.await(SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(thrown.cause()).hasCause(EXPIRED);
            Deadline.ofSeconds(SECONDS).until("the end", () ->
                    reader.events().contains("ChannelInputShutdownReadComplete"));
            assertThat(reader.count()).isEqualTo(GATHERED + part);
            assertThat(writer.failures()).isEmpty();
            client.close().sync();
        }
    }

    /** An IOException closes the channel, with the cause, and is not a reset for the peer. */
    @ParameterizedTest
    @EnumSource
    void unreadableFileClosesTheChannel(Carrier over) throws Exception {
        IOException broken = new IOException("the disk is gone");
        try (EitherPair pair = new EitherPair(over, () -> reader, server -> server
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.SO_RCVBUF, over == Carrier.RDMA ? 0 : 1 << 16), client -> { })) {
            Channel client = pair.connect(writer);
            Channel server = pair.accepted();
            ChannelFuture before = client.write(Unpooled.directBuffer(MUCH).writeZero(MUCH));
            ChannelFuture thrown = client.writeAndFlush(throwingAt(0, broken));
            client.eventLoop().submit(() -> { }).sync();
            server.config().setAutoRead(true);
            assertThat(client.closeFuture().await(SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(before.await(SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(before.isSuccess()).isTrue();
            assertThat(thrown.await(SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(thrown.cause()).isSameAs(broken);
            assertThat(reader.inactive().await(SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(reader.failures()).isEmpty();
            assertThat(reader.count()).isEqualTo(MUCH);
        }
    }

    /** The device still sends the first message when the second throws, and what it had given follows. */
    @ParameterizedTest
    @EnumSource
    void truncatedFileClosesTheChannelAfterItsSentBytes(Carrier over) throws Exception {
        int part = 60;
        IOException broken = new IOException("the disk is gone");
        try (EitherPair pair = new EitherPair(over, () -> reader, server -> { }, client -> { })) {
            Channel client = pair.connect(writer);
            ByteBuf gathered = RdmaByteBufAllocator.DEFAULT.directBuffer(GATHERED).writeZero(GATHERED);
            ChannelFuture before = client.write(gathered);
            ChannelFuture thrown = client.writeAndFlush(throwingAt(part, broken));
            assertThat(reader.inactive().await(SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(reader.failures()).isEmpty();
            assertThat(reader.count()).isEqualTo(GATHERED + part);
            assertThat(before.await(SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(before.isSuccess()).isTrue();
            assertThat(thrown.await(SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(thrown.cause()).isSameAs(broken);
        }
    }

    /** The channel continues: the next read may work. */
    @ParameterizedTest
    @EnumSource
    void throwingReceiveBufferAllocatorIsReported(Carrier over) throws Exception {
        Moody moody = new Moody();
        try (EitherPair pair = new EitherPair(over, () -> reader, server -> server
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, moody), client -> { })) {
            Channel client = pair.connect(writer);
            client.writeAndFlush(Unpooled.copyLong(1)).sync();
            Deadline.ofSeconds(SECONDS).until("the bytes", () -> reader.count() == Long.BYTES);
            assertThat(reader.failures()).contains(EXPIRED);
            assertThat(client.isActive()).isTrue();
            client.close().sync();
            assertThat(reader.inactive().await(SECONDS, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** Throws at its first use. */
    private static final class Moody extends DefaultMaxMessagesRecvByteBufAllocator {

        private boolean hasThrown;

        @Override
        @SuppressWarnings("deprecation")
        public Handle newHandle() {
            return new MaxMessageHandle() {
                @Override
                public int guess() {
                    if (!hasThrown) {
                        hasThrown = true;
                        throw EXPIRED;
                    }
                    return 1024;
                }
            };
        }
    }
}
