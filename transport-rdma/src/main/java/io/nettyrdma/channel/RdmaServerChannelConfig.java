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
package io.nettyrdma.channel;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.ServerChannelRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ServerSocketChannelConfig;
import io.netty.util.NetUtil;

import java.util.Map;

/**
 * Options of an {@link RdmaServerChannel}.
 *
 * <table>
 * <caption>Meaning of the server socket options</caption>
 * <tr><td>SO_BACKLOG</td><td>requests that may wait while the channel is not read, or while
 * {@link RdmaChannelOption#MAX_ACCEPTING} children are not connected yet; further ones are refused, and counted. As
 * many may wait in the kernel until the loop takes them; the kernel drops further ones without an answer, and they are
 * retransmitted. 0 leaves both to the system</td></tr>
 * <tr><td>SO_REUSEADDR</td><td>of the local address; set it before binding</td></tr>
 * <tr><td>SO_RCVBUF</td><td>the initial value of its children</td></tr>
 * <tr><td>AUTO_READ, AUTO_CLOSE, MAX_MESSAGES_PER_READ, ALLOCATOR, RECVBUF_ALLOCATOR, MESSAGE_SIZE_ESTIMATOR,
 * SINGLE_EVENTEXECUTOR_PER_GROUP</td><td>as in other transports</td></tr>
 * <tr><td>CONNECT_TIMEOUT_MILLIS, WRITE_SPIN_COUNT, MAX_MESSAGES_PER_WRITE, WRITE_BUFFER_WATER_MARK</td><td>stored and
 * returned, without effect: set it as a child option</td></tr>
 * <tr><td>TCP_FASTOPEN</td><td>stored and returned, without effect</td></tr>
 * </table>
 *
 * Any thread.
 *
 * @since 0.1.0
 */
public final class RdmaServerChannelConfig extends DefaultChannelConfig implements ServerSocketChannelConfig {

    private static final int DEFAULT_MAX_ACCEPTING = 1024;
    private static final int MOST_ACCEPTING = 64 << 10;

    private static final OptionTable<RdmaServerChannelConfig> OPTIONS = new OptionTable<RdmaServerChannelConfig>()
            .with(ChannelOption.SO_BACKLOG, RdmaServerChannelConfig::getBacklog, RdmaServerChannelConfig::setBacklog)
            .with(ChannelOption.SO_REUSEADDR, RdmaServerChannelConfig::isReuseAddress,
                    RdmaServerChannelConfig::setReuseAddress)
            .with(ChannelOption.SO_RCVBUF, RdmaServerChannelConfig::getReceiveBufferSize,
                    RdmaServerChannelConfig::setReceiveBufferSize)
            .with(ChannelOption.TCP_FASTOPEN, config -> config.fastOpen,
                    (config, fastOpen) -> config.fastOpen = fastOpen)
            .with(RdmaChannelOption.MAX_ACCEPTING, RdmaServerChannelConfig::getMaxAccepting,
                    RdmaServerChannelConfig::setMaxAccepting);

    private final RdmaServerChannel channel;
    private volatile int backlog = NetUtil.SOMAXCONN;
    private volatile int maxAccepting = DEFAULT_MAX_ACCEPTING;
    private volatile boolean reuseAddress;
    private volatile int receiveBufferSize = RdmaChannelConfig.RECEIVE_BUFFER;
    private volatile int fastOpen;

    RdmaServerChannelConfig(RdmaServerChannel channel) {
        super(channel, new ServerChannelRecvByteBufAllocator());
        this.channel = channel;
    }

    /** The channel and its options. */
    @Override
    public String toString() {
        return "options of " + channel + ": " + getOptions();
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(super.getOptions(), OPTIONS.options());
    }

    @Override
    public <T> T getOption(ChannelOption<T> option) {
        return OPTIONS.has(option) ? OPTIONS.get(this, option) : super.getOption(option);
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        validate(option, value);
        return OPTIONS.has(option) ? OPTIONS.set(this, option, value) : super.setOption(option, value);
    }

    @Override
    public int getBacklog() {
        return backlog;
    }

    @Override
    public RdmaServerChannelConfig setBacklog(int requests) {
        backlog = OptionTable.inRange(ChannelOption.SO_BACKLOG, requests, 0, Integer.MAX_VALUE);
        return this;
    }

    /** Requests that may wait in this process. */
    int maxWaiting() {
        return backlog == 0 ? NetUtil.SOMAXCONN : backlog;
    }

    /** {@return {@link RdmaChannelOption#MAX_ACCEPTING}} */
    public int getMaxAccepting() {
        return maxAccepting;
    }

    /**
     * Sets {@link RdmaChannelOption#MAX_ACCEPTING}.
     *
     * @param children 1 to 65536.
     * @return this.
     * @throws IllegalArgumentException if it is out of range.
     */
    public RdmaServerChannelConfig setMaxAccepting(int children) {
        maxAccepting = OptionTable.inRange(RdmaChannelOption.MAX_ACCEPTING, children, 1, MOST_ACCEPTING);
        return this;
    }

    @Override
    public boolean isReuseAddress() {
        return reuseAddress;
    }

    @Override
    public RdmaServerChannelConfig setReuseAddress(boolean reuse) {
        reuseAddress = reuse;
        return this;
    }

    @Override
    public int getReceiveBufferSize() {
        return receiveBufferSize;
    }

    @Override
    public RdmaServerChannelConfig setReceiveBufferSize(int bytes) {
        receiveBufferSize = OptionTable.inRange(ChannelOption.SO_RCVBUF, bytes, 0, Integer.MAX_VALUE);
        return this;
    }

    @Override
    public RdmaServerChannelConfig setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        return this;
    }

    @Override
    public RdmaServerChannelConfig setConnectTimeoutMillis(int millis) {
        super.setConnectTimeoutMillis(millis);
        return this;
    }

    @Override
    @Deprecated
    public RdmaServerChannelConfig setMaxMessagesPerRead(int messages) {
        super.setMaxMessagesPerRead(messages);
        return this;
    }

    @Override
    public RdmaServerChannelConfig setWriteSpinCount(int count) {
        super.setWriteSpinCount(count);
        return this;
    }

    @Override
    public RdmaServerChannelConfig setAllocator(ByteBufAllocator allocator) {
        super.setAllocator(allocator);
        return this;
    }

    @Override
    public RdmaServerChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator allocator) {
        super.setRecvByteBufAllocator(allocator);
        return this;
    }

    @Override
    public RdmaServerChannelConfig setAutoRead(boolean autoRead) {
        super.setAutoRead(autoRead);
        return this;
    }

    /** Takes back a pending read. */
    @Override
    protected void autoReadCleared() {
        channel.clearReadPending();
    }

    @Override
    public RdmaServerChannelConfig setWriteBufferHighWaterMark(int bytes) {
        super.setWriteBufferHighWaterMark(bytes);
        return this;
    }

    @Override
    public RdmaServerChannelConfig setWriteBufferLowWaterMark(int bytes) {
        super.setWriteBufferLowWaterMark(bytes);
        return this;
    }

    @Override
    public RdmaServerChannelConfig setWriteBufferWaterMark(WriteBufferWaterMark mark) {
        super.setWriteBufferWaterMark(mark);
        return this;
    }

    @Override
    public RdmaServerChannelConfig setMessageSizeEstimator(MessageSizeEstimator estimator) {
        super.setMessageSizeEstimator(estimator);
        return this;
    }
}
