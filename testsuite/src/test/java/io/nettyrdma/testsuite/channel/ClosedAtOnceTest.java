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
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.pool.AbstractChannelPoolHandler;
import io.netty.channel.pool.SimpleChannelPool;
import io.netty.handler.timeout.WriteTimeoutException;
import io.netty.handler.timeout.WriteTimeoutHandler;
import io.nettyrdma.testsuite.channel.EitherPair.Carrier;
import io.nettyrdma.testsuite.support.Deadline;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/** For its application a channel is closed at once, whatever its peer reads; over TCP it is the same. */
@Tag("device")
class ClosedAtOnceTest {

    private static final int SECONDS = 30;
    private static final int SHORT_MILLIS = 50;
    /** Of one message: more than the peer takes that does not read, over either transport. */
    private static final int MUCH = 16 << 20;
    private static final int PART = 50_000;
    private static final int PARTS = 20;

    private final LeakWatch leaks = new LeakWatch();
    private final Recorder reader = new Recorder();
    private final Recorder writer = new Recorder();

    @AfterEach
    void check() {
        leaks.close();
    }

    @ParameterizedTest
    @EnumSource
    void aChannelWhosePeerDoesNotReadIsClosed(Carrier over) throws Exception {
        try (EitherPair pair = pair(over)) {
            Channel client = pair.connect(writer);
            ChannelFuture flushed = client.writeAndFlush(Unpooled.directBuffer(MUCH).writeZero(MUCH));
            client.eventLoop().submit(() -> {
                ChannelFuture unflushed = client.write(Unpooled.copyLong(1));
                ChannelFuture close = client.close();
                assertThat(close.isSuccess()).as("closed").isTrue();
                assertThat(client.closeFuture().isDone()).isTrue();
                assertThat(client.isOpen()).isFalse();
                assertThat(client.isActive()).isFalse();
                assertThat(client.isWritable()).isFalse();
                assertThat(flushed.cause()).as("more than is sent after a close")
                        .isInstanceOf(ClosedChannelException.class);
                assertThat(unflushed.cause()).isInstanceOf(ClosedChannelException.class);
                assertThat(client.writeAndFlush(Unpooled.copyLong(2)).cause())
                        .isInstanceOf(ClosedChannelException.class);
                assertThat(client.close().isSuccess()).as("closed again").isTrue();
                return null;
            }).sync();
            assertThat(writer.inactive().await(SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(writer.events()).containsExactly("active", "inactive");
            assertThat(writer.failures()).isEmpty();
        }
    }

    /** Messages that are sent after the close complete their promises when they have arrived. */
    @Test
    void promisesCompleteAfterTheClose() throws Exception {
        try (EitherPair pair = pair(Carrier.RDMA)) {
            Channel client = pair.connect(writer);
            Channel server = pair.accepted();
            List<ChannelFuture> writes = client.eventLoop().submit(() -> {
                List<ChannelFuture> written = IntStream.range(0, PARTS).mapToObj(i ->
                        client.writeAndFlush(Unpooled.directBuffer(PART).writeZero(PART))).toList();
                client.close().addListener(closed -> assertThat(written.get(PARTS - 1).isDone()).isFalse());
                return written;
            }).get();
            assertThat(writer.inactive().await(SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(writes.get(PARTS - 1).isDone()).isFalse();
            server.config().setAutoRead(true);
            for (ChannelFuture each : writes) {
                assertThat(each.await(SECONDS, TimeUnit.SECONDS)).isTrue();
                assertThat(each.isSuccess()).isTrue();
            }
            assertThat(reader.inactive().await(SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(reader.count()).isEqualTo(PARTS * PART);
            assertThat(reader.failures()).isEmpty();
        }
    }

    /** The peer resets the connection, or dies: bytes that it has not taken are lost. */
    @Test
    void promisesOfLostBytesFailAfterTheClose() throws Exception {
        try (EitherPair pair = pair(Carrier.RDMA)) {
            Channel client = pair.connect(writer);
            Channel server = pair.accepted();
            ChannelFuture written = client.writeAndFlush(Unpooled.directBuffer(PARTS * PART)
                    .writeZero(PARTS * PART));
            client.close().sync();
            assertThat(written.isDone()).isFalse();
            server.config().setOption(ChannelOption.SO_LINGER, 0);
            server.close().sync();
            assertThat(written.await(SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(written.cause()).isInstanceOf(ClosedChannelException.class);
            assertThat(written.cause()).hasCauseInstanceOf(SocketException.class);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aWriteTimeoutClosesTheChannel(Carrier over) throws Exception {
        try (EitherPair pair = pair(over)) {
            Channel client = pair.connect(writer);
            client.pipeline().addFirst(new WriteTimeoutHandler(SHORT_MILLIS, TimeUnit.MILLISECONDS));
            writeMore(over, client);
            assertThat(client.closeFuture().await(SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(writer.inactive().await(SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(writer.failures()).singleElement().isInstanceOf(WriteTimeoutException.class);
        }
    }

    @ParameterizedTest
    @EnumSource
    void poolDoesNotReturnAClosedChannel(Carrier over) throws Exception {
        try (EitherPair pair = pair(over, Recorder::new); SimpleChannelPool pool = pool(pair)) {
            Channel first = pool.acquire().sync().getNow();
            writeMore(over, first);
            first.close();
            pool.release(first).sync();
            Channel second = pool.acquire().sync().getNow();
            assertThat(second).isNotSameAs(first);
            assertThat(second.isActive()).isTrue();
            pool.release(second).sync();
        }
    }

    /** Writes more than the peer takes; over RDMA no more than is still sent after a close. */
    private static void writeMore(Carrier over, Channel channel) {
        int bytes = over == Carrier.RDMA ? PARTS * PART : MUCH;
        channel.writeAndFlush(Unpooled.directBuffer(bytes).writeZero(bytes));
    }

    private static SimpleChannelPool pool(EitherPair pair) {
        Bootstrap bootstrap = pair.bootstrap().remoteAddress(pair.listener().localAddress());
        return new SimpleChannelPool(bootstrap, new AbstractChannelPoolHandler() {
            @Override
            public void channelCreated(Channel channel) {
                channel.pipeline().addLast(new ChannelInboundHandlerAdapter());
            }
        });
    }

    /** A reader that closes does not wait for its writer either, and nothing is left of the two. */
    @Test
    void bothEndsCloseWithDataForEachOther() throws Exception {
        try (EitherPair pair = pair(Carrier.RDMA)) {
            Channel client = pair.connect(writer);
            client.config().setAutoRead(false);
            Channel server = pair.accepted();
            ChannelFuture there = client.writeAndFlush(Unpooled.directBuffer(PARTS * PART)
                    .writeZero(PARTS * PART));
            ChannelFuture back = server.writeAndFlush(Unpooled.directBuffer(PARTS * PART)
                    .writeZero(PARTS * PART));
            client.close().sync();
            server.close().sync();
            Deadline.ofSeconds(SECONDS).until("the end of both", () ->
                    QueuePairOf.isGone(client) && QueuePairOf.isGone(server));
            assertThat(there.isDone()).isTrue();
            assertThat(back.isDone()).isTrue();
        }
    }

    private EitherPair pair(Carrier over) throws Exception {
        return pair(over, () -> reader);
    }

    /** A pair whose children do not read; over RDMA they buffer what their receives hold. */
    private static EitherPair pair(Carrier over, Supplier<ChannelHandler> handler) throws Exception {
        return new EitherPair(over, handler, server -> server.childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.SO_RCVBUF, over == Carrier.RDMA ? 0 : 1 << 16), client -> { });
    }
}
