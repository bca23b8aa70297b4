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
import io.netty.channel.socket.ServerSocketChannelConfig;
import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.channel.RdmaServerChannel;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The options of a {@link RdmaOrTcpServerChannel}: {@link RdmaOrTcpOption}, and those of its listeners, which get what
 * they have. Those of {@code RdmaChannelOption} are for its children by RDMA. Any thread.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class RdmaOrTcpServerChannelConfig implements ServerSocketChannelConfig {

    private final RdmaOrTcpServerChannel channel;
    private final FallbackSettings settings = new FallbackSettings();
    private final ChosenOptions chosen = new ChosenOptions();

    RdmaOrTcpServerChannelConfig(RdmaOrTcpServerChannel channel) {
        this.channel = channel;
    }

    FallbackSettings settings() {
        return settings;
    }

    ChosenOptions chosen() {
        return chosen;
    }

    private ServerSocketChannelConfig tcp() {
        return channel.tcp().config();
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        Map<ChannelOption<?>, Object> options = new LinkedHashMap<>(tcp().getOptions());
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
        return ChosenOptions.isRdma(option) ? chosen.get(option) : tcp().getOption(option);
    }

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
        boolean isKnown = ChosenOptions.isRdma(option) || tcp().setOption(option, value);
        RdmaServerChannel rdma = channel.rdma();
        if (rdma != null) {
            isKnown |= rdma.config().setOption(option, value);
        }
        if (isKnown) {
            chosen.put(option, value);
        }
        return isKnown;
    }

    private <T> RdmaOrTcpServerChannelConfig with(ChannelOption<T> option, T value) {
        setOption(option, value);
        return this;
    }

    @Override
    public boolean isAutoRead() {
        return tcp().isAutoRead();
    }

    @Override
    public RdmaOrTcpServerChannelConfig setAutoRead(boolean autoRead) {
        boolean was = isAutoRead();
        chosen.put(ChannelOption.AUTO_READ, autoRead);
        tcp().setAutoRead(autoRead);
        RdmaServerChannel rdma = channel.rdma();
        if (rdma != null) {
            rdma.config().setAutoRead(autoRead);
        }
        if (autoRead && !was) {
            channel.read();
        }
        return this;
    }

    @Override
    public boolean isAutoClose() {
        return tcp().isAutoClose();
    }

    @Override
    public RdmaOrTcpServerChannelConfig setAutoClose(boolean autoClose) {
        return with(ChannelOption.AUTO_CLOSE, autoClose);
    }

    @Override
    public RdmaOrTcpServerChannelConfig setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        tcp().setPerformancePreferences(connectionTime, latency, bandwidth);
        return this;
    }

    @Override
    public <T extends RecvByteBufAllocator> T getRecvByteBufAllocator() {
        return tcp().getRecvByteBufAllocator();
    }

    @Override
    public RdmaOrTcpServerChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator value) {
        return with(ChannelOption.RECVBUF_ALLOCATOR, value);
    }

    @Override
    public int getWriteBufferHighWaterMark() {
        return getWriteBufferWaterMark().high();
    }

    @Override
    public RdmaOrTcpServerChannelConfig setWriteBufferHighWaterMark(int value) {
        return with(ChannelOption.WRITE_BUFFER_WATER_MARK,
                new WriteBufferWaterMark(getWriteBufferLowWaterMark(), value));
    }

    @Override
    public int getWriteBufferLowWaterMark() {
        return getWriteBufferWaterMark().low();
    }

    @Override
    public RdmaOrTcpServerChannelConfig setWriteBufferLowWaterMark(int value) {
        return with(ChannelOption.WRITE_BUFFER_WATER_MARK,
                new WriteBufferWaterMark(value, getWriteBufferHighWaterMark()));
    }

    @Override
    public int getBacklog() {
        return tcp().getBacklog();
    }

    @Override
    public RdmaOrTcpServerChannelConfig setBacklog(int value) {
        return with(ChannelOption.SO_BACKLOG, value);
    }

    @Override
    public boolean isReuseAddress() {
        return tcp().isReuseAddress();
    }

    @Override
    public RdmaOrTcpServerChannelConfig setReuseAddress(boolean value) {
        return with(ChannelOption.SO_REUSEADDR, value);
    }

    @Override
    public int getReceiveBufferSize() {
        return tcp().getReceiveBufferSize();
    }

    @Override
    public RdmaOrTcpServerChannelConfig setReceiveBufferSize(int value) {
        return with(ChannelOption.SO_RCVBUF, value);
    }

    @Override
    public int getConnectTimeoutMillis() {
        return tcp().getConnectTimeoutMillis();
    }

    @Override
    public RdmaOrTcpServerChannelConfig setConnectTimeoutMillis(int value) {
        return with(ChannelOption.CONNECT_TIMEOUT_MILLIS, value);
    }

    @Override
    @Deprecated
    public int getMaxMessagesPerRead() {
        return tcp().getMaxMessagesPerRead();
    }

    @Override
    @Deprecated
    public RdmaOrTcpServerChannelConfig setMaxMessagesPerRead(int value) {
        return with(ChannelOption.MAX_MESSAGES_PER_READ, value);
    }

    @Override
    public int getWriteSpinCount() {
        return tcp().getWriteSpinCount();
    }

    @Override
    public RdmaOrTcpServerChannelConfig setWriteSpinCount(int value) {
        return with(ChannelOption.WRITE_SPIN_COUNT, value);
    }

    @Override
    public ByteBufAllocator getAllocator() {
        return tcp().getAllocator();
    }

    @Override
    public RdmaOrTcpServerChannelConfig setAllocator(ByteBufAllocator value) {
        return with(ChannelOption.ALLOCATOR, value);
    }

    @Override
    public MessageSizeEstimator getMessageSizeEstimator() {
        return tcp().getMessageSizeEstimator();
    }

    @Override
    public RdmaOrTcpServerChannelConfig setMessageSizeEstimator(MessageSizeEstimator value) {
        return with(ChannelOption.MESSAGE_SIZE_ESTIMATOR, value);
    }

    @Override
    public WriteBufferWaterMark getWriteBufferWaterMark() {
        return tcp().getWriteBufferWaterMark();
    }

    @Override
    public RdmaOrTcpServerChannelConfig setWriteBufferWaterMark(WriteBufferWaterMark value) {
        return with(ChannelOption.WRITE_BUFFER_WATER_MARK, value);
    }
}
