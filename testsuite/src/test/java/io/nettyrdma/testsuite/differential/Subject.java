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
package io.nettyrdma.testsuite.differential;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.fallback.RdmaOrTcpChannel;
import io.nettyrdma.fallback.RdmaOrTcpOption;
import io.nettyrdma.fallback.RdmaOrTcpServerChannel;
import io.nettyrdma.fallback.TransportPolicy;
import io.nettyrdma.testsuite.support.TestDevice;

import java.util.Map;

/** What is compared with NIO. */
enum Subject {

    RDMA(RdmaChannel.class, RdmaServerChannel.class),
    /** The channel that may use either transport, and uses RDMA. */
    EITHER(RdmaOrTcpChannel.class, RdmaOrTcpServerChannel.class),
    /** The same, whose policy is TCP, on loops of NIO. */
    EITHER_BY_TCP(RdmaOrTcpChannel.class, RdmaOrTcpServerChannel.class);

    private final Class<? extends Channel> channels;
    private final Class<? extends ServerChannel> servers;

    Subject(Class<? extends Channel> channels, Class<? extends ServerChannel> servers) {
        this.channels = channels;
        this.servers = servers;
    }

    boolean isOfNio() {
        return this == EITHER_BY_TCP;
    }

    private Map<ChannelOption<?>, ?> options() {
        return switch (this) {
        case RDMA -> Map.of();
        // iWARP of the kernel shares the ports of TCP.
        case EITHER -> Map.of(RdmaOrTcpOption.RDMA_PORT_OFFSET, TestDevice.get().completesWhenTaken() ? 1 : 0,
                RdmaOrTcpOption.POLICY, TransportPolicy.RDMA_REQUIRED);
        case EITHER_BY_TCP -> Map.of(RdmaOrTcpOption.POLICY, TransportPolicy.TCP_ONLY);
        };
    }

    Transport transport(EventLoopGroup group, ByteBufAllocator allocator) throws InterruptedException {
        return new Transport(name(), group, channels, servers, TestDevice.get().ip(), allocator, options());
    }
}
