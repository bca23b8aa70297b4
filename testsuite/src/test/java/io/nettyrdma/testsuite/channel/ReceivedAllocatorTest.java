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
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.PreferHeapByteBufAllocator;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.testsuite.channel.EitherPair.Carrier;
import io.nettyrdma.testsuite.support.Deadline;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A received buffer reports the allocator that its channel is configured with, as with TCP. Vert.x releases a received
 * buffer only if that allocator is one of Netty's.
 */
@Tag("device")
class ReceivedAllocatorTest {

    private static final double SECONDS = 30;
    private static final int SIZE = 200_000;
    private static final int SLICE = 1000;
    /** Small enough that a reader which keeps its buffers gets copies. */
    private static final int WINDOW = 16;

    /** Allocators that a channel may be configured with. */
    private enum Configured {
        DEFAULT(RdmaByteBufAllocator.DEFAULT),
        OF_THE_APPLICATIONS_OWN(RdmaByteBufAllocator.builder().build()),
        POOLED(PooledByteBufAllocator.DEFAULT),
        ADAPTIVE(new AdaptiveByteBufAllocator()),
        UNPOOLED(UnpooledByteBufAllocator.DEFAULT),
        /** Delegates to another allocator. */
        WRAPPER(new PreferHeapByteBufAllocator(PooledByteBufAllocator.DEFAULT));

        private final ByteBufAllocator allocator;

        Configured(ByteBufAllocator allocator) {
            this.allocator = allocator;
        }
    }

    @ParameterizedTest
    @EnumSource
    void allocIsTheConfiguredAllocator(Configured configured) throws Exception {
        Set<ByteBufAllocator> overTcp = answers(Carrier.NIO, configured, false);
        assertThat(overTcp).hasSize(1);
        assertThat(answers(Carrier.RDMA, configured, false)).containsExactlyElementsOf(overTcp);
    }

    /** Buffers that the channel copies, because the application keeps so many, are like those that it does not copy. */
    @ParameterizedTest
    @EnumSource
    void slicesAndCopiesHaveTheSameAllocator(Configured configured) throws Exception {
        assertThat(answers(Carrier.RDMA, configured, true))
                .containsExactlyElementsOf(answers(Carrier.NIO, configured, true));
    }

    /** @param kept whether the reader gets small buffers and keeps them. */
    private static Set<ByteBufAllocator> answers(Carrier carrier, Configured configured, boolean kept)
            throws Exception {
        List<ByteBuf> read = new CopyOnWriteArrayList<>();
        Set<ByteBufAllocator> answers = Collections.newSetFromMap(new ConcurrentHashMap<>());
        try (EitherPair pair = new EitherPair(carrier, () -> new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                ByteBuf buffer = (ByteBuf) message;
                answers.add(buffer.alloc());
                answers.add(buffer.slice().alloc());
                answers.add(buffer.duplicate().alloc());
                read.add(buffer);
            }
        }, server -> {
            server.childOption(ChannelOption.ALLOCATOR, configured.allocator);
            if (kept) {
                server.childOption(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(SLICE));
            }
            if (carrier == Carrier.RDMA) {
                server.childOption(RdmaChannelOption.INITIAL_WINDOW, WINDOW)
                        .childOption(RdmaChannelOption.MAX_WINDOW, WINDOW);
            }
        }, client -> { })) {
            Channel client = pair.connect(new ChannelInboundHandlerAdapter());
            client.writeAndFlush(Unpooled.wrappedBuffer(new byte[SIZE]));
            Deadline.ofSeconds(SECONDS).until("all bytes", () -> new ArrayList<>(read).stream()
                    .mapToInt(ByteBuf::readableBytes).sum() == SIZE);
        } finally {
            read.forEach(ByteBuf::release);
        }
        return answers;
    }
}
