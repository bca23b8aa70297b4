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
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.DuplexChannel;
import io.nettyrdma.testsuite.channel.EitherPair.Carrier;
import io.nettyrdma.testsuite.support.ByteRegion;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.Seeds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Data that is flushed right before a close, while the peer does not read and its receives are used up. TCP's kernel
 * has accepted such data and delivers it after the close; here the channel does. DifferentialTest compares both.
 */
@Tag("device")
class LastWritesTest {

    private static final int SECONDS = 30;
    private static final int PART = 50_000;
    /** More than the initial window of a peer that buffers nothing else. */
    private static final int SIZE = 20 * PART;

    private final Random random = Seeds.newRandom();
    private final Recorder reader = new Recorder();

    private enum End {
        CLOSE(Channel::close),
        HALF(channel -> ((DuplexChannel) channel).shutdownOutput());

        private final Function<Channel, ChannelFuture> way;

        End(Function<Channel, ChannelFuture> way) {
            this.way = way;
        }
    }

    @ParameterizedTest
    @EnumSource
    void dataFlushedBeforeCloseArrives(End end) throws Exception {
        try (EitherPair pair = pair(SIZE)) {
            Channel client = pair.connect(new ChannelInboundHandlerAdapter());
            byte[] sent = randomBytes();
            Ending ending = end(client, end, sent);
            readAll(pair);
            assertThat(reader.bytes()).isEqualTo(sent);
            assertThat(ending.end.await(SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(ending.end.isSuccess()).isTrue();
            for (ChannelFuture write : ending.writes) {
                assertThat(write.await(SECONDS, TimeUnit.SECONDS)).isTrue();
                assertThat(write.isSuccess()).isTrue();
            }
            assertThat(ending.late.await().cause()).isInstanceOf(IOException.class);
        }
    }

    /** A message is sent whole or not at all. */
    @Test
    void closeSendsUpToSoSndbufBytes() throws Exception {
        int most = 5 * PART;
        try (EitherPair pair = pair(most)) {
            Channel client = pair.connect(new ChannelInboundHandlerAdapter());
            byte[] sent = randomBytes();
            Ending ending = end(client, End.CLOSE, sent);
            readAll(pair);
            assertThat(ending.end.await(SECONDS, TimeUnit.SECONDS)).isTrue();
            for (ChannelFuture write : ending.writes) {
                write.await(SECONDS, TimeUnit.SECONDS);
            }
            List<Boolean> arrived = ending.writes.stream().map(ChannelFuture::isSuccess).toList();
            int count = (int) arrived.stream().filter(each -> each).count();
            assertThat(arrived.subList(0, count)).containsOnly(true);
            assertThat(count).as("messages that arrive").isBetween(most / PART, SIZE / PART - 1);
            assertThat(reader.bytes()).isEqualTo(Arrays.copyOf(sent, count * PART));
            assertThat(ending.writes.get(count).cause()).isInstanceOf(ClosedChannelException.class);
        }
    }

    /** Both ends write everything before they read. */
    @Test
    void closeDrainsTheDataOfAWritingPeer() throws Exception {
        try (EitherPair pair = pair(SIZE)) {
            Channel client = pair.connect(new ChannelInboundHandlerAdapter());
            client.config().setAutoRead(false);
            Channel server = pair.accepted();
            List<ChannelFuture> answers = write(server, randomBytes());
            byte[] sent = randomBytes();
            Ending ending = end(client, End.CLOSE, sent);
            for (ChannelFuture answer : answers) {
                answer.await(SECONDS, TimeUnit.SECONDS);
            }
            assertThat(answers).as("they are not read, and do not delay the close").allMatch(ChannelFuture::isSuccess);
            server.config().setAutoRead(true);
            Deadline.ofSeconds(SECONDS).until("the end", () -> reader.events().contains("inactive"));
            assertThat(reader.bytes()).isEqualTo(sent);
            assertThat(ending.end.await(SECONDS, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** The data before it arrives, and its promise has the reason why it was not sent. */
    @Test
    void messageThatCannotBeSentEndsTheOutput() throws Exception {
        IOException broken = new IOException("the disk is gone");
        ByteRegion region = new ByteRegion(new byte[PART]) {
            @Override
            public long transferTo(WritableByteChannel target, long position) throws IOException {
                throw broken;
            }
        };
        try (EitherPair pair = pair(SIZE + PART)) {
            Channel client = pair.connect(new ChannelInboundHandlerAdapter());
            byte[] sent = randomBytes();
            AtomicReference<ChannelFuture> failed = new AtomicReference<>();
            Ending ending = end(client, End.CLOSE, sent, () -> failed.set(client.writeAndFlush(region)));
            readAll(pair);
            assertThat(reader.bytes()).isEqualTo(sent);
            assertThat(ending.end.await(SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(failed.get().await().cause()).isSameAs(broken);
            assertThat(reader.failures()).isEmpty();
            assertThat(region.refCnt()).isZero();
        }
    }

    /** A pair whose child does not read and buffers only what its receives hold. */
    private EitherPair pair(int sendBuffer) throws Exception {
        return new EitherPair(Carrier.RDMA, () -> reader, server -> server.childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, false).childOption(ChannelOption.SO_RCVBUF, 0),
                client -> client.option(ChannelOption.SO_SNDBUF, sendBuffer));
    }

    private byte[] randomBytes() {
        byte[] bytes = new byte[SIZE];
        random.nextBytes(bytes);
        return bytes;
    }

    private record Ending(List<ChannelFuture> writes, ChannelFuture end, ChannelFuture late) { }

    private static Ending end(Channel client, End end, byte[] sent) throws Exception {
        return end(client, end, sent, () -> { });
    }

    /** In one task, so that only what there was room for has been sent. */
    private static Ending end(Channel client, End end, byte[] sent, Runnable last) throws Exception {
        return client.eventLoop().submit(() -> {
            List<ChannelFuture> writes = write(client, sent);
            last.run();
            ChannelFuture ending = end.way.apply(client);
            ChannelFuture late = client.writeAndFlush(Unpooled.wrappedBuffer(new byte[1]));
            assertThat(writes.get(writes.size() - 1).isSuccess()).as("there was room for all").isFalse();
            return new Ending(writes, ending, late);
        }).get();
    }

    private static List<ChannelFuture> write(Channel client, byte[] sent) {
        List<ChannelFuture> writes = new ArrayList<>();
        for (int i = 0; i < sent.length; i += PART) {
            writes.add(client.writeAndFlush(Unpooled.wrappedBuffer(sent, i, PART)));
        }
        return writes;
    }

    private void readAll(EitherPair pair) throws Exception {
        pair.accepted().config().setAutoRead(true);
        Deadline.ofSeconds(SECONDS).until("the end", () -> reader.events().contains("inactive"));
    }
}
