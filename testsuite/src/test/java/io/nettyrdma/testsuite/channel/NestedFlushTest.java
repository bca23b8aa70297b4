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

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelProgressiveFuture;
import io.netty.channel.ChannelProgressiveFutureListener;
import io.netty.channel.ChannelProgressivePromise;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.FileRegion;
import io.netty.channel.WriteBufferWaterMark;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.testsuite.channel.EitherPair.Carrier;
import io.nettyrdma.testsuite.support.Deadline;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.File;
import java.io.IOException;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;

/** A callback within a flush may write and flush. No later event would make up for a flush that is ignored. */
@Tag("device")
@Tag("native-speed")
class NestedFlushTest {

    private static final int DEPTH = 300;
    private static final int PART = 10;
    /** More than a frame holds by default. */
    private static final int FRAME = 10_000;
    /** More than one flush can send: the rest is sent when completions arrive. */
    private static final int LARGE = 1 << 20;

    /** Each message is written by the listener of the previous one. */
    @ParameterizedTest
    @CsvSource({ "RDMA,10", "RDMA,5000", "RDMA,100000", "NIO,10", "NIO,100000" })
    void listenersWriteTheNextMessage(Carrier over, int length) throws Exception {
        int depth = length > 10_000 ? DEPTH / 10 : DEPTH;
        try (Connection connection = new Connection(over, new ChannelInboundHandlerAdapter())) {
            writeChain(connection.client, length, depth, 0);
            assertInOrder(connection.received(length * depth), length);
        }
    }

    private static void writeChain(Channel channel, int length, int depth, int number) {
        if (number < depth) {
            // As some programs do: they add the listener before they flush.
            channel.write(message(channel, length, number))
                    .addListener(written -> writeChain(channel, length, depth, number + 1));
            channel.flush();
        }
    }

    /** From the issue: one message and those that its listener adds, behind others of the same flush. */
    @ParameterizedTest
    @EnumSource
    void listenerWritesBetweenOtherMessages(Carrier over) throws Exception {
        try (Connection connection = new Connection(over, new ChannelInboundHandlerAdapter())) {
            Channel channel = connection.client;
            channel.eventLoop().execute(() -> {
                channel.write(message(channel, PART, 0));
                channel.write(message(channel, PART, 1)).addListener(written -> {
                    channel.write(message(channel, PART, 3), channel.voidPromise());
                    channel.flush();
                });
                channel.write(message(channel, PART, 2));
                channel.flush();
            });
            assertInOrder(connection.received(4 * PART), PART);
        }
    }

    /** Writes as a producer does: as much as there is room for, and the rest when there is room again. */
    @ParameterizedTest
    @EnumSource
    void writabilityListenerMayWrite(Carrier over) throws Exception {
        Filler filler = new Filler(DEPTH);
        WriteBufferWaterMark narrow = new WriteBufferWaterMark(1, 2);
        try (Connection connection = new Connection(over, filler,
                bootstrap -> bootstrap.option(ChannelOption.WRITE_BUFFER_WATER_MARK, narrow))) {
            assertInOrder(connection.received(PART * DEPTH), PART);
        }
    }

    @ParameterizedTest
    @EnumSource
    void progressListenersWrite(Carrier over) throws Exception {
        try (Connection connection = new Connection(over, new ChannelInboundHandlerAdapter())) {
            Channel channel = connection.client;
            ChannelProgressivePromise promise = channel.newProgressivePromise();
            AtomicBoolean flushed = new AtomicBoolean();
            promise.addListener(new ChannelProgressiveFutureListener() {
                @Override
                public void operationProgressed(ChannelProgressiveFuture future, long progress, long total) {
                    if (flushed.compareAndSet(false, true)) {
                        channel.writeAndFlush(message(channel, PART, 1));
                    }
                }

                @Override
                public void operationComplete(ChannelProgressiveFuture future) {
                    channel.writeAndFlush(message(channel, PART, 2));
                }
            });
            channel.writeAndFlush(message(channel, PART, 0), promise);
            assertInOrder(connection.received(3 * PART), PART);
        }
    }

    /** Its bytes are requested while a frame is being built. */
    @ParameterizedTest
    @EnumSource
    void fileRegionFlushesItsChannel(Carrier over, @TempDir Path directory) throws Exception {
        File file = Files.write(directory.resolve("file"), new byte[PART]).toFile();
        try (Connection connection = new Connection(over, new ChannelInboundHandlerAdapter())) {
            Channel channel = connection.client;
            FileRegion region = new DefaultFileRegion(file, 0, PART) {
                @Override
                public long transferTo(WritableByteChannel target, long position) throws IOException {
                    channel.writeAndFlush(message(channel, PART, 1));
                    return super.transferTo(target, position);
                }
            };
            channel.eventLoop().execute(() -> channel.writeAndFlush(region));
            assertInOrder(connection.received(2 * PART), PART);
        }
    }

    /** Some are written while a completion is handled, where Netty does not suppress a flush. */
    @ParameterizedTest
    @EnumSource
    void aFileRegionFlushesEachTime(Carrier over, @TempDir Path directory) throws Exception {
        byte[] contents = new byte[LARGE];
        Arrays.fill(contents, (byte) 1);
        File file = Files.write(directory.resolve("file"), contents).toFile();
        AtomicInteger asked = new AtomicInteger();
        try (Connection connection = new Connection(over, new ChannelInboundHandlerAdapter())) {
            Channel channel = connection.client;
            FileRegion region = new DefaultFileRegion(file, 0, LARGE) {
                @Override
                public long transferTo(WritableByteChannel target, long position) throws IOException {
                    asked.incrementAndGet();
                    channel.writeAndFlush(message(channel, 1, 2));
                    return super.transferTo(target, position);
                }
            };
            channel.eventLoop().submit(() -> channel.writeAndFlush(region)).sync().getNow().sync();
            byte[] came = connection.received(LARGE + asked.get());
            assertThat(came).hasSize(LARGE + asked.get()).startsWith(contents);
            assertThat(Arrays.copyOfRange(came, LARGE, came.length)).containsOnly(2);
        }
    }

    /** Channels of a loop share batches of work requests, and the first channel's batch has frames by then. */
    @Test
    void aFileRegionFlushesAnotherChannel(@TempDir Path directory) throws Exception {
        byte[] first = new byte[3 * FRAME];
        Arrays.fill(first, (byte) 1);
        File file = Files.write(directory.resolve("file"), new byte[] { 1 }).toFile();
        List<Recorder> servers = new CopyOnWriteArrayList<>();
        try (ChannelPair pair = new ChannelPair(() -> {
            Recorder server = new Recorder();
            servers.add(server);
            return server;
        })) {
            Channel channel = pair.connect(new ChannelInboundHandlerAdapter());
            Channel another = new Bootstrap().group(channel.eventLoop()).channel(RdmaChannel.class)
                    .handler(new ChannelInboundHandlerAdapter()).connect(pair.address()).sync().channel();
            Deadline.standard().until("both children", () -> servers.size() == 2);
            FileRegion region = new DefaultFileRegion(file, 0, 1) {
                @Override
                public long transferTo(WritableByteChannel target, long position) throws IOException {
                    another.writeAndFlush(Unpooled.wrappedBuffer(new byte[] { 2, 2 }));
                    return super.transferTo(target, position);
                }
            };
            channel.eventLoop().execute(() -> {
                channel.write(Unpooled.wrappedBuffer(first));
                channel.writeAndFlush(region);
            });
            Deadline.standard().until("all bytes", () ->
                    servers.stream().mapToInt(Recorder::count).sum() == first.length + 3);
            assertThat(servers).extracting(Recorder::count).containsExactlyInAnyOrder(first.length + 1, 2);
            for (Recorder server : servers) {
                assertThat(server.bytes()).containsOnly(server.count() == 2 ? 2 : 1);
            }
        }
    }

    /** Endless nested flushes do not stop the loop. */
    @Test
    void endlessWritesLeaveTheLoopToOtherTasks() throws Exception {
        try (Connection connection = new Connection(Carrier.RDMA, new ChannelInboundHandlerAdapter())) {
            AtomicBoolean enough = new AtomicBoolean();
            Channel channel = connection.client;
            channel.eventLoop().execute(() -> writeEmptyUntil(enough, channel));
            channel.eventLoop().execute(() -> enough.set(true));
            Deadline.standard().until("the loop's next task", enough::get);
            channel.writeAndFlush(message(channel, PART, 0)).sync();
            assertInOrder(connection.received(PART), PART);
        }
    }

    private static void writeEmptyUntil(AtomicBoolean enough, Channel channel) {
        channel.write(Unpooled.buffer(1)).addListener(written -> {
            if (!enough.get()) {
                writeEmptyUntil(enough, channel);
            }
        });
        channel.flush();
    }

    /** A message whose bytes all have its number. */
    private static ByteBuf message(Channel channel, int length, int number) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) number);
        return channel.alloc().directBuffer(length).writeBytes(bytes);
    }

    private static void assertInOrder(byte[] bytes, int length) {
        for (int i = 0; i < bytes.length; i++) {
            assertThat(bytes[i]).as("byte %d of %d", i, bytes.length).isEqualTo((byte) (i / length));
        }
    }

    /** Writes one message each time that it is notified of room. */
    private static final class Filler extends ChannelInboundHandlerAdapter {

        private final int messages;
        private int written;

        Filler(int messages) {
            this.messages = messages;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            write(context);
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            if (context.channel().isWritable()) {
                write(context);
            }
        }

        private void write(ChannelHandlerContext context) {
            if (written < messages) {
                context.writeAndFlush(message(context.channel(), PART, written++), context.voidPromise());
            }
        }
    }
}
