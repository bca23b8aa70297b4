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
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.Seeds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A server whose answers need memory, with many busy clients and little memory: the transport takes no more of it than
 * its share, and the application has the rest.
 */
@Tag("device")
class SmallMemoryTest {

    private static final double SECONDS = 30;
    private static final int CONNECTIONS = 30;
    private static final int LIMIT = 16 << 20;
    private static final int SLAB = 256 << 10;
    private static final int SIZE = 400_000;
    /** As a program that writes many small messages. */
    private static final int MESSAGE = 4_000;

    private final RdmaByteBufAllocator small =
            RdmaByteBufAllocator.builder().chunkBytes(1 << 20).maxRegisteredBytes(LIMIT).build();
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();

    @Test
    void allBusyConnectionsAreAnswered() throws Exception {
        byte[] sent = new byte[SIZE];
        Seeds.newRandom().nextBytes(sent);
        List<SameBytes> answers = new ArrayList<>();
        try (ChannelPair pair = new ChannelPair(Answerer::new,
                bootstrap -> bootstrap.childOption(ChannelOption.ALLOCATOR, small))) {
            List<Channel> clients = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                answers.add(new SameBytes(sent));
                clients.add(pair.connect(answers.get(i)));
            }
            for (Channel client : clients) {
                for (int at = 0; at < SIZE; at += MESSAGE) {
                    client.write(Unpooled.wrappedBuffer(sent, at, MESSAGE));
                }
                client.flush();
            }
            Deadline.ofSeconds(SECONDS).until("all answers", () -> !failures.isEmpty()
                    || answers.stream().allMatch(each -> each.count() == SIZE));
            assertThat(failures).isEmpty();
            assertThat(answers).allMatch(each -> each.firstDifference() == -1);
            assertThat(small.metric().transportBytes()).as("of both loops")
                    .isLessThanOrEqualTo(LIMIT / 8 * 3 + 2 * SLAB);
        }
        assertThat(small.metric().transportBytes()).isZero();
    }

    /** Answers with buffers of its own, as codecs do, and reads no more while the answers wait. */
    private final class Answerer extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf request = (ByteBuf) message;
            try {
                context.write(context.alloc().buffer(request.readableBytes()).writeBytes(request));
            } finally {
                request.release();
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            context.channel().config().setAutoRead(context.channel().isWritable());
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            failures.add(cause);
        }
    }
}
