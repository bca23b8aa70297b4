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
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelOption;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The options of a channel that stands for others: its own, {@link RdmaOrTcpOption}, and those of the channel that it
 * stands for now. What the application sets is kept for channels that are made later. Any thread.
 *
 * @param <C> the class that extends this one, which setters return.
 */
abstract class StandInConfig<C extends StandInConfig<C>> implements ChannelConfig {

    private final FallbackSettings settings = new FallbackSettings();
    private final ChosenOptions chosen = new ChosenOptions();

    final FallbackSettings settings() {
        return settings;
    }

    final ChosenOptions chosen() {
        return chosen;
    }

    /** The channel that the application has. */
    abstract Channel channel();

    /** Of the channel whose values count. */
    abstract ChannelConfig current();

    /** The channel by RDMA, if there is one, also if it is not {@link #current} yet; else {@code null}. */
    abstract Channel rdma();

    /** Reads are wanted again. */
    abstract void read();

    abstract C self();

    final <T> C with(ChannelOption<T> option, T value) {
        setOption(option, value);
        return self();
    }

    @Override
    public final String toString() {
        return "options of " + channel() + ": " + getOptions();
    }

    @Override
    public final Map<ChannelOption<?>, Object> getOptions() {
        Map<ChannelOption<?>, Object> options = new LinkedHashMap<>(current().getOptions());
        settings.addTo(options);
        return options;
    }

    @Override
    @SuppressWarnings("unchecked")
    public final boolean setOptions(Map<ChannelOption<?>, ?> options) {
        boolean all = true;
        for (Map.Entry<ChannelOption<?>, ?> each : options.entrySet()) {
            all &= setOption((ChannelOption<Object>) each.getKey(), each.getValue());
        }
        return all;
    }

    @Override
    public final <T> T getOption(ChannelOption<T> option) {
        if (FallbackSettings.has(option)) {
            return settings.get(option);
        }
        T value = current().getOption(option);
        return value == null && ChosenOptions.isRdma(option) ? chosen.get(option) : value;
    }

    /** Returns whether the channel, or one that it may become, has the option. */
    @Override
    public final <T> boolean setOption(ChannelOption<T> option, T value) {
        option.validate(value);
        if (FallbackSettings.has(option)) {
            settings.set(option, value);
            return true;
        }
        if (ChosenOptions.isRdma(option)) {
            ChosenOptions.check(option, value);
        }
        boolean was = isAutoRead();
        if (!current().setOption(option, value) && !ChosenOptions.isRdma(option)) {
            return false;
        }
        // A channel by RDMA that is made meanwhile finds the value here, or is found below.
        chosen.put(option, value);
        Channel rdma = rdma();
        if (rdma != null) {
            rdma.config().setOption(option, value);
        }
        if (option == ChannelOption.AUTO_READ && isAutoRead() && !was) {
            // The reads of the transports' own pipelines do not count: this channel's pipeline is asked.
            read();
        }
        return true;
    }

    @Override
    public final int getConnectTimeoutMillis() {
        return current().getConnectTimeoutMillis();
    }

    @Override
    public final C setConnectTimeoutMillis(int value) {
        return with(ChannelOption.CONNECT_TIMEOUT_MILLIS, value);
    }

    @Override
    @Deprecated
    public final int getMaxMessagesPerRead() {
        return current().getMaxMessagesPerRead();
    }

    @Override
    @Deprecated
    public final C setMaxMessagesPerRead(int value) {
        return with(ChannelOption.MAX_MESSAGES_PER_READ, value);
    }

    @Override
    public final int getWriteSpinCount() {
        return current().getWriteSpinCount();
    }

    @Override
    public final C setWriteSpinCount(int value) {
        return with(ChannelOption.WRITE_SPIN_COUNT, value);
    }

    @Override
    public final ByteBufAllocator getAllocator() {
        return current().getAllocator();
    }

    @Override
    public final C setAllocator(ByteBufAllocator value) {
        return with(ChannelOption.ALLOCATOR, value);
    }

    @Override
    public final boolean isAutoRead() {
        return current().isAutoRead();
    }

    @Override
    public final C setAutoRead(boolean value) {
        return with(ChannelOption.AUTO_READ, value);
    }

    @Override
    public final boolean isAutoClose() {
        return current().isAutoClose();
    }

    @Override
    public final C setAutoClose(boolean value) {
        return with(ChannelOption.AUTO_CLOSE, value);
    }

    @Override
    public final MessageSizeEstimator getMessageSizeEstimator() {
        return current().getMessageSizeEstimator();
    }

    @Override
    public final C setMessageSizeEstimator(MessageSizeEstimator value) {
        return with(ChannelOption.MESSAGE_SIZE_ESTIMATOR, value);
    }

    @Override
    public final WriteBufferWaterMark getWriteBufferWaterMark() {
        return current().getWriteBufferWaterMark();
    }

    @Override
    public final C setWriteBufferWaterMark(WriteBufferWaterMark value) {
        return with(ChannelOption.WRITE_BUFFER_WATER_MARK, value);
    }

    @Override
    public final <T extends RecvByteBufAllocator> T getRecvByteBufAllocator() {
        return current().getRecvByteBufAllocator();
    }

    @Override
    public final C setRecvByteBufAllocator(RecvByteBufAllocator value) {
        return with(ChannelOption.RECVBUF_ALLOCATOR, value);
    }

    @Override
    public final int getWriteBufferHighWaterMark() {
        return getWriteBufferWaterMark().high();
    }

    @Override
    public final C setWriteBufferHighWaterMark(int value) {
        return setWriteBufferWaterMark(new WriteBufferWaterMark(getWriteBufferLowWaterMark(), value));
    }

    @Override
    public final int getWriteBufferLowWaterMark() {
        return getWriteBufferWaterMark().low();
    }

    @Override
    public final C setWriteBufferLowWaterMark(int value) {
        return setWriteBufferWaterMark(new WriteBufferWaterMark(value, getWriteBufferHighWaterMark()));
    }
}
