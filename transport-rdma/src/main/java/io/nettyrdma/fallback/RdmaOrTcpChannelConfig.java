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

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannelConfig;
import io.nettyrdma.Rdma;
import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.channel.RdmaChannel;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The options of a {@link RdmaOrTcpChannel}: {@link RdmaOrTcpOption}, and those of the transport that the channel uses,
 * which is TCP until it is connected. What was set by then is set again on a channel by RDMA. An option of RDMA alone
 * is accepted on every machine, and without effect where TCP is used; likewise one of Netty's TCP transport that RDMA
 * does not have. Any thread.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class RdmaOrTcpChannelConfig implements SocketChannelConfig {

    private final RdmaOrTcpChannel channel;
    private final FallbackSettings settings = new FallbackSettings();
    private final ChosenOptions chosen = new ChosenOptions();

    RdmaOrTcpChannelConfig(RdmaOrTcpChannel channel) {
        this.channel = channel;
    }

    FallbackSettings settings() {
        return settings;
    }

    ChosenOptions chosen() {
        return chosen;
    }

    private SocketChannelConfig current() {
        return channel.current().config();
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        Map<ChannelOption<?>, Object> options = new LinkedHashMap<>(current().getOptions());
        settings.addTo(options);
        return options;
    }

    @Override
    @SuppressWarnings("unchecked")
    public boolean setOptions(Map<ChannelOption<?>, ?> options) {
        boolean all = true;
        for (Map.Entry<ChannelOption<?>, ?> each : options.entrySet()) {
            all &= setOption((ChannelOption<Object>) each.getKey(), each.getValue());
        }
        return all;
    }

    @Override
    public <T> T getOption(ChannelOption<T> option) {
        if (FallbackSettings.has(option)) {
            return settings.get(option);
        }
        T value = current().getOption(option);
        return value == null && ChosenOptions.isRdma(option) ? chosen.get(option) : value;
    }

    /** @return whether the channel, or the one that it may become, has the option. */
    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        option.validate(value);
        if (FallbackSettings.has(option)) {
            settings.set(option, value);
            return true;
        }
        if (option == ChannelOption.AUTO_READ) {
            setAutoRead((Boolean) value);
            return true;
        }
        if (!current().setOption(option, value)) {
            if (!ChosenOptions.isRdma(option)) {
                return false;
            }
            if (Rdma.isAvailable()) {
                // Throws now what it would throw when the channel connects, too late for the caller.
                new RdmaChannel().config().setOption(option, value);
            }
        }
        chosen.put(option, value);
        return true;
    }

    private <T> RdmaOrTcpChannelConfig with(ChannelOption<T> option, T value) {
        setOption(option, value);
        return this;
    }

    @Override
    public boolean isAutoRead() {
        return current().isAutoRead();
    }

    /** The reads of the transport's own pipeline do not count: this channel's pipeline is asked. */
    @Override
    public RdmaOrTcpChannelConfig setAutoRead(boolean autoRead) {
        boolean was = current().isAutoRead();
        chosen.put(ChannelOption.AUTO_READ, autoRead);
        current().setAutoRead(autoRead);
        if (autoRead && !was) {
            channel.read();
        }
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

    @Override
    public int getConnectTimeoutMillis() {
        return current().getConnectTimeoutMillis();
    }

    @Override
    public RdmaOrTcpChannelConfig setConnectTimeoutMillis(int value) {
        return with(ChannelOption.CONNECT_TIMEOUT_MILLIS, value);
    }

    @Override
    @Deprecated
    public int getMaxMessagesPerRead() {
        return current().getMaxMessagesPerRead();
    }

    @Override
    @Deprecated
    public RdmaOrTcpChannelConfig setMaxMessagesPerRead(int value) {
        return with(ChannelOption.MAX_MESSAGES_PER_READ, value);
    }

    @Override
    public int getWriteSpinCount() {
        return current().getWriteSpinCount();
    }

    @Override
    public RdmaOrTcpChannelConfig setWriteSpinCount(int value) {
        return with(ChannelOption.WRITE_SPIN_COUNT, value);
    }

    @Override
    public ByteBufAllocator getAllocator() {
        return current().getAllocator();
    }

    @Override
    public RdmaOrTcpChannelConfig setAllocator(ByteBufAllocator value) {
        return with(ChannelOption.ALLOCATOR, value);
    }

    @Override
    public boolean isAutoClose() {
        return current().isAutoClose();
    }

    @Override
    public RdmaOrTcpChannelConfig setAutoClose(boolean value) {
        return with(ChannelOption.AUTO_CLOSE, value);
    }

    @Override
    public MessageSizeEstimator getMessageSizeEstimator() {
        return current().getMessageSizeEstimator();
    }

    @Override
    public RdmaOrTcpChannelConfig setMessageSizeEstimator(MessageSizeEstimator value) {
        return with(ChannelOption.MESSAGE_SIZE_ESTIMATOR, value);
    }

    @Override
    public WriteBufferWaterMark getWriteBufferWaterMark() {
        return current().getWriteBufferWaterMark();
    }

    @Override
    public RdmaOrTcpChannelConfig setWriteBufferWaterMark(WriteBufferWaterMark value) {
        return with(ChannelOption.WRITE_BUFFER_WATER_MARK, value);
    }

    @Override
    public <T extends RecvByteBufAllocator> T getRecvByteBufAllocator() {
        return current().getRecvByteBufAllocator();
    }

    @Override
    public RdmaOrTcpChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator value) {
        return with(ChannelOption.RECVBUF_ALLOCATOR, value);
    }

    /** Without effect by RDMA. */
    @Override
    public RdmaOrTcpChannelConfig setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        current().setPerformancePreferences(connectionTime, latency, bandwidth);
        return this;
    }

    @Override
    public int getWriteBufferHighWaterMark() {
        return getWriteBufferWaterMark().high();
    }

    @Override
    @Deprecated
    public RdmaOrTcpChannelConfig setWriteBufferHighWaterMark(int value) {
        return with(ChannelOption.WRITE_BUFFER_WATER_MARK,
                new WriteBufferWaterMark(getWriteBufferLowWaterMark(), value));
    }

    @Override
    public int getWriteBufferLowWaterMark() {
        return getWriteBufferWaterMark().low();
    }

    @Override
    @Deprecated
    public RdmaOrTcpChannelConfig setWriteBufferLowWaterMark(int value) {
        return with(ChannelOption.WRITE_BUFFER_WATER_MARK,
                new WriteBufferWaterMark(value, getWriteBufferHighWaterMark()));
    }
}
