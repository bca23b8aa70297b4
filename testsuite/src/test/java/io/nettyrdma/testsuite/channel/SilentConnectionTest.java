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
import io.netty.channel.ChannelOption;
import io.netty.channel.SimpleChannelInboundHandler;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.buffer.TransportMemory;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.io.RdmaIoHandlerConfig;
import io.nettyrdma.testsuite.support.Deadline;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;

/** A channel that received much, and receives nothing any more, is open and has small receives. */
@Tag("device")
class SilentConnectionTest {

    private static final double SECONDS = 30;
    private static final int BURST = 8 << 20;
    /** A slab of each larger size stays. */
    private static final int SPARES = 2 * RdmaIoHandlerConfig.DEFAULT.slabBytes();

    private final LeakWatch leaks = new LeakWatch();
    private final RdmaByteBufAllocator allocator = RdmaByteBufAllocator.builder().build();
    private final TransportMemory memory = TransportMemory.of(allocator);
    private final AtomicInteger read = new AtomicInteger();

    @Test
    void aSilentConnectionReturnsItsMemory() throws Exception {
        try (ChannelPair pair = new ChannelPair(Sink::new, bootstrap -> bootstrap
                .childOption(ChannelOption.ALLOCATOR, allocator)
                .childOption(RdmaChannelOption.RECEIVE_BUFFER_SIZE, -1))) {
            Channel client = pair.connect(new Recorder());
            send(client, 10);
            long idle = memory.bytes();
            for (int round = 1; round <= 2; round++) {
                send(client, BURST);
                assertThat(memory.bytes()).as("memory of a busy connection").isGreaterThan(idle + SPARES);
                Deadline.ofSeconds(SECONDS).until("the memory is returned", () -> memory.bytes() <= idle + SPARES);
                send(client, 10);
            }
            assertThat(client.isActive()).isTrue();
        }
        assertThat(memory.bytes()).as("memory of the transport at the end").isZero();
        leaks.close();
    }

    private void send(Channel client, int bytes) throws Exception {
        int expected = read.get() + bytes;
        client.writeAndFlush(Unpooled.wrappedBuffer(new byte[bytes])).sync();
        Deadline.ofSeconds(SECONDS).until(bytes + " bytes", () -> read.get() == expected);
    }

    private final class Sink extends SimpleChannelInboundHandler<ByteBuf> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf received) {
            read.addAndGet(received.readableBytes());
        }
    }
}
