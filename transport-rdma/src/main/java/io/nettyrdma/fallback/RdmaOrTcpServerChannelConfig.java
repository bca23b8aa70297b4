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
package io.nettyrdma.fallback;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ServerSocketChannelConfig;
import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.channel.RdmaServerChannel;

/**
 * The options of a {@link RdmaOrTcpServerChannel}: {@link RdmaOrTcpOption}, and those of its listeners, which get what
 * they have. Those of {@code RdmaChannelOption} are for its children by RDMA. Any thread.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class RdmaOrTcpServerChannelConfig extends StandInConfig<RdmaOrTcpServerChannelConfig>
        implements ServerSocketChannelConfig {

    private final RdmaOrTcpServerChannel channel;

    RdmaOrTcpServerChannelConfig(RdmaOrTcpServerChannel channel) {
        this.channel = channel;
    }

    @Override
    ServerSocketChannelConfig current() {
        return channel.tcp().config();
    }

    @Override
    Channel channel() {
        return channel;
    }

    @Override
    RdmaServerChannel rdma() {
        return channel.rdma();
    }

    @Override
    void read() {
        channel.read();
    }

    @Override
    RdmaOrTcpServerChannelConfig self() {
        return this;
    }

    @Override
    public RdmaOrTcpServerChannelConfig setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        current().setPerformancePreferences(connectionTime, latency, bandwidth);
        return this;
    }

    @Override
    public int getBacklog() {
        return current().getBacklog();
    }

    @Override
    public RdmaOrTcpServerChannelConfig setBacklog(int value) {
        return with(ChannelOption.SO_BACKLOG, value);
    }

    @Override
    public boolean isReuseAddress() {
        return current().isReuseAddress();
    }

    @Override
    public RdmaOrTcpServerChannelConfig setReuseAddress(boolean value) {
        return with(ChannelOption.SO_REUSEADDR, value);
    }

    @Override
    public int getReceiveBufferSize() {
        return current().getReceiveBufferSize();
    }

    @Override
    public RdmaOrTcpServerChannelConfig setReceiveBufferSize(int value) {
        return with(ChannelOption.SO_RCVBUF, value);
    }
}
