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
package io.nettyrdma.datagram;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.ServerChannelRecvByteBufAllocator;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.verbs.QueuePairType;

import java.util.Map;

/** Options of a {@link RdmaDatagramChannel}. Any thread. */
public class RdmaDatagramChannelConfig extends DefaultChannelConfig {

    /** Any value will do. Its highest bit is 0, because keys with that bit are the administrator's. */
    public static final int DEFAULT_QUEUE_KEY = 0x6e657474;
    public static final int DEFAULT_SEND_QUEUE_DEPTH = 128;
    public static final int DEFAULT_RECEIVE_QUEUE_DEPTH = 256;
    public static final int DEFAULT_MAX_PEERS = 256;
    /** The most that ends. Amazon's own library has 3, and repeats a datagram itself after that. */
    public static final int DEFAULT_RNR_RETRY = 6;

    /** The value of an RNR retry counter that never ends. */
    protected static final int FOR_EVER = 7;

    private static final int MOST_DEPTH = 64 << 10;
    private static final int MESSAGES_PER_READ = 16;

    private final RdmaDatagramChannel channel;
    private volatile int queueKey;
    private volatile int sendQueueDepth = DEFAULT_SEND_QUEUE_DEPTH;
    private volatile int receiveQueueDepth = DEFAULT_RECEIVE_QUEUE_DEPTH;
    private volatile int maxPeers = DEFAULT_MAX_PEERS;
    private volatile boolean immediates;

    RdmaDatagramChannelConfig(RdmaDatagramChannel channel) {
        this(channel, DEFAULT_QUEUE_KEY);
    }

    /** @param queueKey the default of {@link RdmaDatagramChannelOption#QUEUE_KEY}. */
    protected RdmaDatagramChannelConfig(RdmaDatagramChannel channel, int queueKey) {
        // Counts messages, also those without bytes.
        super(channel, new ServerChannelRecvByteBufAllocator().maxMessagesPerRead(MESSAGES_PER_READ));
        this.channel = channel;
        this.queueKey = queueKey;
        setAllocator(RdmaByteBufAllocator.DEFAULT);
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(super.getOptions(), RdmaDatagramChannelOption.QUEUE_KEY,
                RdmaDatagramChannelOption.SEND_QUEUE_DEPTH, RdmaDatagramChannelOption.RECEIVE_QUEUE_DEPTH,
                RdmaDatagramChannelOption.MAX_PEERS, RdmaDatagramChannelOption.IMMEDIATES);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> T getOption(ChannelOption<T> option) {
        if (option == RdmaDatagramChannelOption.QUEUE_KEY) {
            return (T) Integer.valueOf(queueKey);
        }
        if (option == RdmaDatagramChannelOption.SEND_QUEUE_DEPTH) {
            return (T) Integer.valueOf(sendQueueDepth);
        }
        if (option == RdmaDatagramChannelOption.RECEIVE_QUEUE_DEPTH) {
            return (T) Integer.valueOf(receiveQueueDepth);
        }
        if (option == RdmaDatagramChannelOption.IMMEDIATES) {
            return (T) Boolean.valueOf(immediates);
        }
        return option == RdmaDatagramChannelOption.MAX_PEERS ? (T) Integer.valueOf(maxPeers)
                : super.getOption(option);
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        validate(option, value);
        if (option == RdmaDatagramChannelOption.QUEUE_KEY) {
            queueKey = checked(option, (Integer) value, 1, Integer.MAX_VALUE);
        } else if (option == RdmaDatagramChannelOption.SEND_QUEUE_DEPTH) {
            sendQueueDepth = checked(option, (Integer) value, 1, MOST_DEPTH);
        } else if (option == RdmaDatagramChannelOption.RECEIVE_QUEUE_DEPTH) {
            receiveQueueDepth = checked(option, (Integer) value, 1, MOST_DEPTH);
        } else if (option == RdmaDatagramChannelOption.MAX_PEERS) {
            maxPeers = checked(option, (Integer) value, 1, MOST_DEPTH);
        } else if (option == RdmaDatagramChannelOption.IMMEDIATES) {
            checkNotBound(option);
            immediates = (Boolean) value;
        } else {
            return super.setOption(option, value);
        }
        return true;
    }

    /** Returns the number, of an option that is fixed when the channel is bound. */
    protected final int checked(ChannelOption<?> option, int number, int least, int most) {
        if (number < least || number > most) {
            throw new IllegalArgumentException(option + " is " + number + ", not within " + least + " to " + most);
        }
        checkNotBound(option);
        return number;
    }

    /** @throws IllegalStateException if it is too late to set the option. */
    protected final void checkNotBound(ChannelOption<?> option) {
        if (channel.isActive()) {
            throw new IllegalStateException(option + " is fixed since the channel was bound");
        }
    }

    /** The type of the queue pair. */
    protected QueuePairType queuePairType() {
        return QueuePairType.UD;
    }

    /**
     * How often a datagram is repeated that finds no receive: 0 to 6, or {@link #FOR_EVER}. {@code null} if the
     * application has not said it: {@link #DEFAULT_RNR_RETRY} then, where the device can count.
     */
    protected Integer rnrRetry() {
        return null;
    }

    /** The channel is bound, and repeats a datagram that often. */
    protected void repeats(int retries) {
    }

    /** The service level of the queue pair. What does not know it leaves it at 0. */
    protected int serviceLevel() {
        return 0;
    }

    /** {@link RdmaDatagramChannelOption#QUEUE_KEY}. */
    public int getQueueKey() {
        return queueKey;
    }

    /** {@link RdmaDatagramChannelOption#SEND_QUEUE_DEPTH}. */
    public int getSendQueueDepth() {
        return sendQueueDepth;
    }

    /** {@link RdmaDatagramChannelOption#RECEIVE_QUEUE_DEPTH}. */
    public int getReceiveQueueDepth() {
        return receiveQueueDepth;
    }

    /** {@link RdmaDatagramChannelOption#MAX_PEERS}. */
    public int getMaxPeers() {
        return maxPeers;
    }

    /** {@link RdmaDatagramChannelOption#IMMEDIATES}. */
    public boolean wantsImmediates() {
        return immediates;
    }

    /** The allocator of slots: the channel's, if it has registered memory. */
    RdmaByteBufAllocator slotAllocator() {
        ByteBufAllocator own = getAllocator();
        return own instanceof RdmaByteBufAllocator ours ? ours : RdmaByteBufAllocator.DEFAULT;
    }
}
