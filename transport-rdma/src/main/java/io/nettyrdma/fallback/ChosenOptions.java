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
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelOption;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.Rdma;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Options that the application has set, for channels that are made later. The order is that in which they were set. Any
 * thread.
 */
final class ChosenOptions {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(RdmaOrTcpChannel.class);
    /** How {@link ChannelOption#valueOf(Class, String)} names the options of a class. */
    private static final String RDMA = RdmaChannelOption.class.getName() + '#';

    private final Map<ChannelOption<?>, Object> values = new LinkedHashMap<>();

    /** Whether only RDMA channels have the option. */
    static boolean isRdma(ChannelOption<?> option) {
        return option.name().startsWith(RDMA);
    }

    /**
     * Throws what a channel by RDMA would throw when it is made, too late for the caller. Without RDMA no channel has
     * the option.
     */
    static <T> void check(ChannelOption<T> option, T value) {
        if (Rdma.isAvailable()) {
            new RdmaChannel().config().setOption(option, value);
        }
    }

    synchronized void put(ChannelOption<?> option, Object value) {
        values.remove(option);
        values.put(option, value);
    }

    /** {@code null} if it was not set. */
    @SuppressWarnings("unchecked")
    synchronized <T> T get(ChannelOption<T> option) {
        return (T) values.get(option);
    }

    /** What the channel does not know is left out. */
    synchronized void applyTo(Channel channel) {
        values.forEach((option, value) -> apply(channel, option, value));
    }

    /** Those that only RDMA channels have. */
    synchronized void applyRdmaTo(Channel channel) {
        values.forEach((option, value) -> {
            if (isRdma(option)) {
                apply(channel, option, value);
            }
        });
    }

    @SuppressWarnings("unchecked")
    private static void apply(Channel channel, ChannelOption<?> option, Object value) {
        ChannelConfig config = channel.config();
        try {
            if (!config.setOption((ChannelOption<Object>) option, value)) {
                LOGGER.debug("{} does not have the option {}", channel, option);
            }
        } catch (RuntimeException e) {
            LOGGER.warn("{} is left as it is: it does not take {} for {}", channel, value, option, e);
        }
    }
}
