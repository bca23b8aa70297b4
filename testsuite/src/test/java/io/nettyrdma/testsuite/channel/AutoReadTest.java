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
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.nettyrdma.testsuite.channel.EitherPair.Carrier;
import io.nettyrdma.testsuite.support.Deadline;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;

/** After {@code setAutoRead(false)} nothing is delivered before the next read, even if a read was pending. */
@Tag("device")
class AutoReadTest {

    private static final double SECONDS = 30;

    /** Where auto-read is switched off. */
    private enum Caller {
        THE_LOOP {
            @Override
            void call(EventLoop loop, Runnable action) throws Exception {
                loop.submit(action).sync();
            }
        },
        ANOTHER_THREAD {
            @Override
            void call(EventLoop loop, Runnable action) throws Exception {
                action.run();
                loop.submit(() -> { }).sync();
            }
        };

        abstract void call(EventLoop loop, Runnable action) throws Exception;
    }

    @ParameterizedTest
    @EnumSource
    void pendingReadIsCancelledOnTheLoop(Carrier carrier) throws Exception {
        assertPendingReadIsCancelled(carrier, Caller.THE_LOOP);
    }

    @ParameterizedTest
    @EnumSource
    void pendingReadIsCancelledFromAnotherThread(Carrier carrier) throws Exception {
        assertPendingReadIsCancelled(carrier, Caller.ANOTHER_THREAD);
    }

    private static void assertPendingReadIsCancelled(Carrier carrier, Caller caller) throws Exception {
        AtomicInteger read = new AtomicInteger();
        try (EitherPair pair = new EitherPair(carrier, () -> counter(read), server -> { }, client -> { })) {
            Channel client = pair.connect(new ChannelInboundHandlerAdapter());
            Channel reader = pair.accepted();
            write(client, 1);
            Deadline.ofSeconds(SECONDS).until("the first byte", () -> read.get() == 1);
            caller.call(reader.eventLoop(), () -> reader.config().setAutoRead(false));
            write(client, 1);
            arrive(reader.eventLoop());
            assertThat(read).as("reads after autoRead was cleared").hasValue(1);
            reader.read();
            Deadline.ofSeconds(SECONDS).until("the read that was asked for", () -> read.get() == 2);
            write(client, 1);
            arrive(reader.eventLoop());
            assertThat(read).as("one read was asked for").hasValue(2);
            reader.config().setAutoRead(true);
            Deadline.ofSeconds(SECONDS).until("the last byte", () -> read.get() == 3);
        }
    }

    /** Bytes have arrived and a read is pending when the handler switches auto-read off. */
    @ParameterizedTest
    @EnumSource
    void pendingReadIsCancelledDuringChannelRead(Carrier carrier) throws Exception {
        AtomicInteger read = new AtomicInteger();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch sent = new CountDownLatch(1);
        try (EitherPair pair = new EitherPair(carrier, () -> new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
                ((ByteBuf) message).release();
                if (read.incrementAndGet() == 1) {
                    begun.countDown();
                    assertThat(sent.await((long) SECONDS, TimeUnit.SECONDS)).isTrue();
                    context.read();
                    context.channel().config().setAutoRead(false);
                }
            }
        }, server -> server.childOption(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(1)),
                client -> { })) {
            Channel client = pair.connect(new ChannelInboundHandlerAdapter());
            write(client, 1);
            assertThat(begun.await((long) SECONDS, TimeUnit.SECONDS)).isTrue();
            write(client, 3);
            sent.countDown();
            Channel reader = pair.accepted();
            arrive(reader.eventLoop());
            assertThat(read).hasValue(1);
            for (int reads = 2; reads <= 4; reads++) {
                int expected = reads;
                reader.read();
                Deadline.ofSeconds(SECONDS).until("read " + reads, () -> read.get() == expected);
                arrive(reader.eventLoop());
                assertThat(read).hasValue(reads);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void serverStopsAcceptingOnTheLoop(Carrier carrier) throws Exception {
        assertServerAcceptsNoMore(carrier, Caller.THE_LOOP);
    }

    @ParameterizedTest
    @EnumSource
    void serverStopsAcceptingFromAnotherThread(Carrier carrier) throws Exception {
        assertServerAcceptsNoMore(carrier, Caller.ANOTHER_THREAD);
    }

    private static void assertServerAcceptsNoMore(Carrier carrier, Caller caller) throws Exception {
        AtomicInteger accepted = new AtomicInteger();
        try (EitherPair pair = new EitherPair(carrier, ChannelInboundHandlerAdapter::new, server -> { },
                client -> { })) {
            EventLoop loop = pair.listener().eventLoop();
            // A handler that is added from another thread is called a moment later.
            loop.submit(() -> pair.listener().pipeline().addFirst(new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRead(ChannelHandlerContext context, Object message) {
                    accepted.incrementAndGet();
                    context.fireChannelRead(message);
                }
            })).sync();
            pair.connect(new ChannelInboundHandlerAdapter());
            pair.accepted();
            assertThat(accepted).hasValue(1);
            caller.call(loop, () -> pair.listener().config().setAutoRead(false));
            ChannelFuture second = pair.beginConnect(new ChannelInboundHandlerAdapter());
            pair.awaitRequest(second);
            arrive(loop);
            assertThat(accepted).hasValue(1);
            pair.listener().read();
            second.sync();
            pair.accepted();
            assertThat(accepted).hasValue(2);
        }
    }

    private static ChannelInboundHandlerAdapter counter(AtomicInteger read) {
        return new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                ((ByteBuf) message).release();
                read.incrementAndGet();
            }
        };
    }

    private static void write(Channel channel, int bytes) throws InterruptedException {
        channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[bytes])).sync();
    }

    /** On a single machine, written bytes have arrived after this, and the loop has processed them. */
    private static void arrive(EventLoop loop) throws InterruptedException {
        ChannelPair.letWork(loop);
    }
}
