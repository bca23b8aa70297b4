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
package io.nettyrdma.testsuite.datagram;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.AddressedEnvelope;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultAddressedEnvelope;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.buffer.TransportMemory;
import io.nettyrdma.channel.RdmaDatagramChannel;
import io.nettyrdma.channel.RdmaDatagramChannelOption;
import io.nettyrdma.datagram.DatagramAddress;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.io.RdmaIoHandlerConfig;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.RdmaDeviceInfo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Many datagram channels leave the application its half of the memory, and each of them can receive. */
@Tag("device")
class ReceiveShareTest {

    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(30_000);
    private static final int LIMIT = 16 << 20;
    /** As many as every device has. */
    private static final int DEPTH = 64;
    private static final int NEEDED = 16;
    private static final RdmaIoHandlerConfig LOOPS = RdmaIoHandlerConfig.DEFAULT.withSlabBytes(16 << 10);

    private final RdmaByteBufAllocator small =
            RdmaByteBufAllocator.builder().chunkBytes(1 << 20).maxRegisteredBytes(LIMIT).build();
    private final Inbox inbox = new Inbox();
    private EventLoopGroup group;

    @BeforeEach
    void needsDatagrams() {
        assumeTrue(TestDevice.get().device().info().transport() != RdmaDeviceInfo.Transport.IWARP, "no datagrams");
        group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory(LOOPS));
    }

    @AfterEach
    void end() {
        if (group != null) {
            group.shutdownGracefully(0, PATIENCE_MILLIS, TimeUnit.MILLISECONDS).syncUninterruptibly();
        }
    }

    private ChannelFuture bind() throws Exception {
        ChannelFuture bound = new Bootstrap().group(group).channel(RdmaDatagramChannel.class).handler(inbox)
                .option(ChannelOption.ALLOCATOR, small).option(RdmaDatagramChannelOption.RECEIVE_QUEUE_DEPTH, DEPTH)
                .bind(DatagramAddress.any(TestDevice.get().device().name()));
        assertThat(bound.await(PATIENCE_MILLIS)).isTrue();
        return bound;
    }

    @Test
    void scarceMemoryLimitsReceivesUntilItIsReleased() throws Exception {
        long others = LIMIT / 8 * 3;
        TransportMemory.of(small).takeRequired(others);
        RdmaDatagramChannel channel = (RdmaDatagramChannel) bind().sync().channel();
        long needed = TransportMemory.of(small).bytes() - others;
        assertThat(needed).isBetween((long) NEEDED * channel.maxDatagram(), 2L * NEEDED * channel.maxDatagram());
        channel.writeAndFlush(new DefaultAddressedEnvelope<>(channel.alloc().directBuffer().writeInt(7),
                channel.localAddress())).sync();
        AddressedEnvelope<?, DatagramAddress> received = inbox.await();
        received.release();
        Deadline.standard().until("an attempt that is counted",
                () -> channel.loopCounters().get(RdmaCounter.RECEIVES_HELD_BACK) > 0);
        TransportMemory.of(small).give(others);
        Deadline.standard().until("all receives",
                () -> TransportMemory.of(small).bytes() >= (long) DEPTH * channel.maxDatagram());
    }

    @Test
    void bindBeyondTheShareOfTheTransportFails() throws Exception {
        TransportMemory.of(small).takeRequired(LIMIT / 2);
        assertThat(bind().cause()).isInstanceOf(IOException.class)
                .hasMessageContaining("the other half is the application's");
        TransportMemory.of(small).give(LIMIT / 2);
        assertThat(bind().isSuccess()).isTrue();
    }
}
