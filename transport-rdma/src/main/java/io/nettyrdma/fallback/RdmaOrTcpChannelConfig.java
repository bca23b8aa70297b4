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
import io.netty.channel.socket.SocketChannelConfig;
import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.channel.RdmaChannel;

/**
 * The options of a {@link RdmaOrTcpChannel}: {@link RdmaOrTcpOption}, and those of the transport that the channel uses,
 * which is TCP until it is connected. What was set by then is set again on a channel by RDMA. An option of RDMA alone
 * is accepted on every machine, and without effect where TCP is used; likewise one of Netty's TCP transport that RDMA
 * does not have. Any thread.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class RdmaOrTcpChannelConfig extends StandInConfig<RdmaOrTcpChannelConfig>
        implements SocketChannelConfig {

    private final RdmaOrTcpChannel channel;

    RdmaOrTcpChannelConfig(RdmaOrTcpChannel channel) {
        this.channel = channel;
    }

    @Override
    SocketChannelConfig current() {
        return channel.current().config();
    }

    @Override
    Channel channel() {
        return channel;
    }

    @Override
    RdmaChannel rdma() {
        return channel.rdma();
    }

    @Override
    void read() {
        channel.read();
    }

    @Override
    RdmaOrTcpChannelConfig self() {
        return this;
    }

    @Override
    public boolean isTcpNoDelay() {
        return current().isTcpNoDelay();
    }

    @Override
    public RdmaOrTcpChannelConfig setTcpNoDelay(boolean value) {
        return with(ChannelOption.TCP_NODELAY, value);
    }

    @Override
    public int getSoLinger() {
        return current().getSoLinger();
    }

    @Override
    public RdmaOrTcpChannelConfig setSoLinger(int value) {
        return with(ChannelOption.SO_LINGER, value);
    }

    @Override
    public int getSendBufferSize() {
        return current().getSendBufferSize();
    }

    @Override
    public RdmaOrTcpChannelConfig setSendBufferSize(int value) {
        return with(ChannelOption.SO_SNDBUF, value);
    }

    @Override
    public int getReceiveBufferSize() {
        return current().getReceiveBufferSize();
    }

    @Override
    public RdmaOrTcpChannelConfig setReceiveBufferSize(int value) {
        return with(ChannelOption.SO_RCVBUF, value);
    }

    @Override
    public boolean isKeepAlive() {
        return current().isKeepAlive();
    }

    @Override
    public RdmaOrTcpChannelConfig setKeepAlive(boolean value) {
        return with(ChannelOption.SO_KEEPALIVE, value);
    }

    @Override
    public int getTrafficClass() {
        return current().getTrafficClass();
    }

    @Override
    public RdmaOrTcpChannelConfig setTrafficClass(int value) {
        return with(ChannelOption.IP_TOS, value);
    }

    @Override
    public boolean isReuseAddress() {
        return current().isReuseAddress();
    }

    @Override
    public RdmaOrTcpChannelConfig setReuseAddress(boolean value) {
        return with(ChannelOption.SO_REUSEADDR, value);
    }

    @Override
    public boolean isAllowHalfClosure() {
        return current().isAllowHalfClosure();
    }

    @Override
    public RdmaOrTcpChannelConfig setAllowHalfClosure(boolean value) {
        return with(ChannelOption.ALLOW_HALF_CLOSURE, value);
    }

    /** Without effect by RDMA. */
    @Override
    public RdmaOrTcpChannelConfig setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        current().setPerformancePreferences(connectionTime, latency, bandwidth);
        return this;
    }
}
