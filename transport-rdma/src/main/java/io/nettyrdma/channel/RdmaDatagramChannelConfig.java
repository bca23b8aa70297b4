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
import io.netty.channel.ServerChannelRecvByteBufAllocator;
import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.datagram.DatagramConfig;
import io.nettyrdma.datagram.DatagramService;
import io.nettyrdma.stream.StreamConfig;

import java.util.Map;

/**
 * Options of a {@link RdmaDatagramChannel}: those of {@link RdmaDatagramChannelOption}, and of Netty's the following.
 * After the channel is bound, all of them say what it has, where that is less than was wanted.
 *
 * <table>
 * <caption>Netty's options</caption>
 * <tr><td>AUTO_READ, MAX_MESSAGES_PER_READ, WRITE_BUFFER_WATER_MARK, ALLOCATOR, AUTO_CLOSE,
 * MESSAGE_SIZE_ESTIMATOR, SINGLE_EVENTEXECUTOR_PER_GROUP</td><td>as in other transports</td></tr>
 * <tr><td>SO_RCVBUF, SO_SNDBUF</td><td>cannot be set: bytes of as many of the longest datagrams as may be unread, or in
 * flight; 0 before the channel is bound</td></tr>
 * <tr><td>SO_BROADCAST, SO_REUSEADDR</td><td>false, and cannot be set to anything else</td></tr>
 * <tr><td>CONNECT_TIMEOUT_MILLIS, WRITE_SPIN_COUNT, MAX_MESSAGES_PER_WRITE</td><td>stored and returned, without
 * effect</td></tr>
 * <tr><td>RECVBUF_ALLOCATOR</td><td>limits the datagrams that are read at once; it has no other effect</td></tr>
 * </table>
 *
 * Any thread.
 *
 * @since 0.1.0
 */
@UnstableApi
public class RdmaDatagramChannelConfig extends DefaultChannelConfig {

    /** Any value will do. Its highest bit is 0, because keys with that bit are the administrator's. */
    public static final int DEFAULT_QUEUE_KEY = 0x6e657474;
    /** In datagrams. */
    public static final int DEFAULT_SEND_QUEUE_DEPTH = 128;
    /** In datagrams. */
    public static final int DEFAULT_RECEIVE_QUEUE_DEPTH = 256;
    /** In address handles. */
    public static final int DEFAULT_MAX_PEERS = 256;

    private static final int MOST_DEPTH = 64 << 10;
    private static final int MESSAGES_PER_READ = 16;

    private static final OptionTable<RdmaDatagramChannelConfig> OPTIONS = new OptionTable<RdmaDatagramChannelConfig>()
            .with(RdmaDatagramChannelOption.QUEUE_KEY, RdmaDatagramChannelConfig::getQueueKey, (config, key) ->
                    config.queueKey = config.checked(RdmaDatagramChannelOption.QUEUE_KEY, key, 1, Integer.MAX_VALUE))
            .with(RdmaDatagramChannelOption.SEND_QUEUE_DEPTH, RdmaDatagramChannelConfig::getSendQueueDepth,
                    (config, depth) -> config.sendQueueDepth =
                            config.checked(RdmaDatagramChannelOption.SEND_QUEUE_DEPTH, depth, 1, MOST_DEPTH))
            .with(RdmaDatagramChannelOption.RECEIVE_QUEUE_DEPTH, RdmaDatagramChannelConfig::getReceiveQueueDepth,
                    (config, depth) -> config.receiveQueueDepth =
                            config.checked(RdmaDatagramChannelOption.RECEIVE_QUEUE_DEPTH, depth, 1, MOST_DEPTH))
            .with(RdmaDatagramChannelOption.MAX_PEERS, RdmaDatagramChannelConfig::getMaxPeers, (config, peers) ->
                    config.maxPeers = config.checked(RdmaDatagramChannelOption.MAX_PEERS, peers, 1, MOST_DEPTH))
            .with(RdmaDatagramChannelOption.IMMEDIATES, RdmaDatagramChannelConfig::wantsImmediates,
                    RdmaDatagramChannelConfig::setImmediates)
            .withReadOnly(ChannelOption.SO_RCVBUF, config -> config.bytes(config.receiveQueueDepth))
            .withReadOnly(ChannelOption.SO_SNDBUF, config -> config.bytes(config.sendQueueDepth))
            .withFixed(ChannelOption.SO_BROADCAST, false)
            .withFixed(ChannelOption.SO_REUSEADDR, false);

    private final RdmaDatagramChannel channel;
    private volatile int queueKey;
    private volatile int sendQueueDepth = DEFAULT_SEND_QUEUE_DEPTH;
    private volatile int receiveQueueDepth = DEFAULT_RECEIVE_QUEUE_DEPTH;
    private volatile int maxPeers = DEFAULT_MAX_PEERS;
    private volatile boolean immediates;

    RdmaDatagramChannelConfig(RdmaDatagramChannel channel) {
        this(channel, DEFAULT_QUEUE_KEY);
    }

    /**
     * Called by {@link RdmaDatagramChannel#newConfig}.
     *
     * @param channel the channel that this belongs to.
     * @param queueKey the default of {@link RdmaDatagramChannelOption#QUEUE_KEY}.
     */
    protected RdmaDatagramChannelConfig(RdmaDatagramChannel channel, int queueKey) {
        // Counts messages, also those without bytes.
        super(channel, new ServerChannelRecvByteBufAllocator().maxMessagesPerRead(MESSAGES_PER_READ));
        this.channel = channel;
        this.queueKey = queueKey;
        setAllocator(RdmaByteBufAllocator.DEFAULT);
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

    private int bytes(int datagrams) {
        return (int) Math.min(Integer.MAX_VALUE, (long) datagrams * channel.maxDatagram());
    }

    /**
     * {@return the number, of an option that is fixed when the channel is bound}
     *
     * @param option the option to set.
     * @param number its new value.
     * @param min the lowest value.
     * @param max the highest value.
     */
    protected final int checked(ChannelOption<?> option, int number, int min, int max) {
        OptionTable.inRange(option, number, min, max);
        checkNotBound(option);
        return number;
    }

    /**
     * Call before a value changes that is fixed when the channel is bound.
     *
     * @param option the option to set.
     * @throws IllegalStateException if it is too late to set the option.
     */
    protected final void checkNotBound(ChannelOption<?> option) {
        if (channel.isActive()) {
            throw new IllegalStateException(option + " is fixed since the channel was bound");
        }
    }

    private void setImmediates(boolean wanted) {
        checkNotBound(RdmaDatagramChannelOption.IMMEDIATES);
        immediates = wanted;
    }

    /** The wanted properties of the queue pair. */
    DatagramConfig ofQueuePair() {
        return new DatagramConfig(queueKey, sendQueueDepth, receiveQueueDepth, maxPeers, immediates,
                serviceLevel(), StreamConfig.DEFAULT_ZERO_COPY_THRESHOLD, getAllocator(), slotAllocator());
    }

    /** The channel is bound, and has this, which may be less than was wanted. */
    void granted(DatagramConfig granted, DatagramService service) {
        sendQueueDepth = granted.sends();
        receiveQueueDepth = granted.receives();
        maxPeers = granted.peers();
        granted(service, granted.serviceLevel());
    }

    /**
     * The channel is bound.
     *
     * @param service what its datagrams are like.
     * @param level the service level of the queue pair.
     */
    protected void granted(DatagramService service, int level) {
    }

    /** {@return the service level of the queue pair} What does not know it leaves it at 0. */
    protected int serviceLevel() {
        return 0;
    }

    /** {@return {@link RdmaDatagramChannelOption#QUEUE_KEY}} */
    public int getQueueKey() {
        return queueKey;
    }

    /** {@return {@link RdmaDatagramChannelOption#SEND_QUEUE_DEPTH}} */
    public int getSendQueueDepth() {
        return sendQueueDepth;
    }

    /** {@return {@link RdmaDatagramChannelOption#RECEIVE_QUEUE_DEPTH}} */
    public int getReceiveQueueDepth() {
        return receiveQueueDepth;
    }

    /** {@return {@link RdmaDatagramChannelOption#MAX_PEERS}} */
    public int getMaxPeers() {
        return maxPeers;
    }

    /** {@return {@link RdmaDatagramChannelOption#IMMEDIATES}} */
    public boolean wantsImmediates() {
        return immediates;
    }

    /** The allocator of slots: the channel's, if it has registered memory. */
    private RdmaByteBufAllocator slotAllocator() {
        ByteBufAllocator own = getAllocator();
        return own instanceof RdmaByteBufAllocator ours ? ours : RdmaByteBufAllocator.DEFAULT;
    }
}
