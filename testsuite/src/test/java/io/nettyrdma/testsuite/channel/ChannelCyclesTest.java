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
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.util.internal.PlatformDependent;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.buffer.RdmaByteBufAllocatorMetric;
import io.nettyrdma.testsuite.support.Cycles;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.Rounds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** A long-lived server that has served thousands of clients is no larger than before. */
@Tag("device")
class ChannelCyclesTest {

    private static final int CYCLES =
            Rounds.scaled(Integer.getInteger("io.nettyrdma.testsuite.connections", 4_000));
    /** A connection has four. Those of the JVM and of the loops' caches come and go. */
    private static final int FEW = 100;
    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(10_000);

    @Test
    void connectionsReleaseAllResources() throws Exception {
        // Loops of other tests may still give back memory of the default allocator, when a blocked call returns.
        RdmaByteBufAllocator allocator = RdmaByteBufAllocator.builder().build();
        try (ChannelPair pair = new ChannelPair(EchoHandler::new, server ->
                server.childOption(ChannelOption.ALLOCATOR, allocator))) {
            cycle(pair, allocator);
            long buffers = directBuffers();
            long pooled = PlatformDependent.usedDirectMemory();
            RdmaByteBufAllocatorMetric metric = allocator.metric();
            long committed = metric.committedBytes();
            long registered = metric.registeredBytes();
            Cycles.assertLeaveNothingBehind("connections of channels", CYCLES, () -> {
                cycle(pair, allocator);
                return null;
            });
            // A JVM thread frees them some time after the collection that found them unreachable.
            Deadline.standard().until("no more than " + (buffers + FEW) + " direct buffers",
                    () -> directBuffers() <= buffers + FEW);
            assertThat(PlatformDependent.usedDirectMemory()).as("direct memory").isLessThanOrEqualTo(pooled);
            assertThat(metric.committedBytes()).as("the allocator's memory").isEqualTo(committed);
            assertThat(metric.registeredBytes()).as("registered memory").isEqualTo(registered);
        }
    }

    private static long directBuffers() {
        System.gc();
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct")).mapToLong(BufferPoolMXBean::getCount).sum();
    }

    /** The client closes when its message has been echoed. Waits until the server's end is closed too. */
    private static void cycle(ChannelPair pair, RdmaByteBufAllocator allocator) throws Exception {
        Channel client = pair.connect(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelActive(ChannelHandlerContext context) {
                context.writeAndFlush(Unpooled.wrappedBuffer(new byte[] { 1, 2, 3 }));
            }

            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                context.close();
                context.fireChannelRead(message);
            }
        }, bootstrap -> bootstrap.option(ChannelOption.ALLOCATOR, allocator));
        assertEnds(client);
        assertEnds(pair.accepted());
    }

    private static void assertEnds(Channel channel) throws InterruptedException {
        assertThat(channel.closeFuture().await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).as("%s ends", channel).isTrue();
    }
}
