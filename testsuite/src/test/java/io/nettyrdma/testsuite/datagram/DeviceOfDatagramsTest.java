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
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaDatagramChannel;
import io.nettyrdma.datagram.DatagramAddress;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.RdmaDeviceInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** As other channels, those of datagrams report their device. */
@Tag("device")
class DeviceOfDatagramsTest {

    @Test
    void channelReportsItsDeviceOnceItIsBound() throws Exception {
        TestDevice.get().assumeDatagrams();
        RdmaDeviceInfo device = TestDevice.get().device().info();
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        try {
            RdmaDatagramChannel channel = (RdmaDatagramChannel) new Bootstrap().group(group)
                    .channel(RdmaDatagramChannel.class).handler(new ChannelInboundHandlerAdapter())
                    .register().sync().channel();
            assertThat(channel.device()).isNull();
            assertThat(channel).asString().startsWith("[id: 0x").endsWith("] RDMA datagrams OPEN");
            channel.bind(DatagramAddress.any(device.name())).sync();
            assertThat(channel.device()).isEqualTo(device);
            assertThat(channel).asString().endsWith("] RDMA UD datagrams BOUND on " + device);
            assertThat(channel.config()).asString().startsWith("options of " + channel + ": {");
            channel.close().sync();
            assertThat(channel).asString().contains("] RDMA UD datagrams CLOSED");
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        }
    }
}
