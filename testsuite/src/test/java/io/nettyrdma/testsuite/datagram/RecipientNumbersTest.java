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
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.DefaultAddressedEnvelope;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaDatagramChannel;
import io.nettyrdma.datagram.DatagramAddress;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Queue pair numbers have 24 bits, those of EFA 16. A device may take a larger one for another. */
@Tag("device")
class RecipientNumbersTest {

    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(30_000);
    private static final int MOST = 0xffffff;
    private static final int MOST_OF_EFA = 0xffff;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    private boolean isEfa;
    private RdmaDatagramChannel channel;

    @BeforeEach
    void bind() throws Exception {
        TestDevice.get().assumeDatagrams();
        isEfa = TestDevice.get().capabilities().efa() != null;
        channel = (RdmaDatagramChannel) new Bootstrap().group(group).channel(RdmaDatagramChannel.class)
                .handler(new Inbox()).bind(DatagramAddress.any(TestDevice.get().device().name())).sync().channel();
    }

    @AfterEach
    void end() throws Exception {
        group.shutdownGracefully(0, PATIENCE_MILLIS, TimeUnit.MILLISECONDS).sync();
    }

    private ChannelFuture send(ByteBuf content, int number) {
        DatagramAddress recipient = new DatagramAddress(channel.localAddress().gid(), number, 1);
        return channel.writeAndFlush(new DefaultAddressedEnvelope<>(content, recipient));
    }

    /** It is unused, and a datagram to it is lost. */
    @Test
    void largestNumberIsAccepted() throws Exception {
        send(Unpooled.copyInt(7), isEfa ? MOST_OF_EFA : MOST).sync();
    }

    @Test
    void numberBeyondTheDevicesBitsIsRefused() throws Exception {
        assumeTrue(isEfa, "every number that an address can have is one of the device");
        ByteBuf content = Unpooled.copyInt(7);
        ChannelFuture sent = send(content, MOST_OF_EFA + 1);
        assertThat(sent.await(PATIENCE_MILLIS)).isTrue();
        assertThat(sent.cause()).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("its numbers go up to " + MOST_OF_EFA);
        assertThat(content.refCnt()).isZero();
        assertThat(channel.isActive()).isTrue();
    }
}
