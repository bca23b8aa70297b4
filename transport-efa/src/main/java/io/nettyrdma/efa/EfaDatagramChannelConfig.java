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
package io.nettyrdma.efa;

import io.netty.channel.ChannelOption;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.channel.RdmaDatagramChannelConfig;
import io.nettyrdma.datagram.DatagramService;
import io.nettyrdma.verbs.QueuePairType;

import java.security.SecureRandom;
import java.util.Map;
import java.util.Set;

/**
 * Options of an {@link EfaDatagramChannel}. Its queue key is random by default: a device soon gives the number of a
 * queue pair to another, which must not get what was meant for the first. Any thread.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class EfaDatagramChannelConfig extends RdmaDatagramChannelConfig {

    /** The most retries that end. Amazon's own library has 3, and repeats a datagram itself after that. */
    public static final int DEFAULT_RNR_RETRY_COUNT = 6;

    /** The value of an RNR retry counter that never ends. */
    static final int UNLIMITED = 7;

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(EfaDatagramChannelConfig.class);
    /** The levels that EFA has: the default, and low latency. */
    private static final Set<Integer> SERVICE_LEVELS = Set.of(0, 8);
    private static final SecureRandom RANDOM = new SecureRandom();

    private final EfaDatagramChannel channel;
    private volatile QueuePairType transport = QueuePairType.SRD;
    private volatile int rnrRetryCount = DEFAULT_RNR_RETRY_COUNT;
    private volatile boolean isRnrRetryCountSet;
    private volatile int serviceLevel;

    EfaDatagramChannelConfig(EfaDatagramChannel channel) {
        super(channel, randomKey());
        this.channel = channel;
    }

    /** Not 0, which stands for an unknown key, and without the highest bit, which is the administrator's. */
    private static int randomKey() {
        return 1 + RANDOM.nextInt(Integer.MAX_VALUE);
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(super.getOptions(), EfaChannelOption.TRANSPORT, EfaChannelOption.RNR_RETRY_COUNT,
                EfaChannelOption.SERVICE_LEVEL);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> T getOption(ChannelOption<T> option) {
        if (option == EfaChannelOption.TRANSPORT) {
            return (T) transport;
        }
        if (option == EfaChannelOption.RNR_RETRY_COUNT) {
            return (T) Integer.valueOf(rnrRetryCount);
        }
        return option == EfaChannelOption.SERVICE_LEVEL ? (T) Integer.valueOf(serviceLevel) : super.getOption(option);
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        validate(option, value);
        if (option == EfaChannelOption.TRANSPORT) {
            if (!((QueuePairType) value).isDatagram()) {
                throw new IllegalArgumentException(option + " is " + value + ", none of SRD, UD");
            }
            checkNotBound(option);
            transport = (QueuePairType) value;
        } else if (option == EfaChannelOption.RNR_RETRY_COUNT) {
            rnrRetryCount = checked(option, (Integer) value, 0, UNLIMITED);
            isRnrRetryCountSet = true;
        } else if (option == EfaChannelOption.SERVICE_LEVEL) {
            if (!SERVICE_LEVELS.contains((Integer) value)) {
                throw new IllegalArgumentException(option + " is " + value + ", none of 0, 8");
            }
            checkNotBound(option);
            serviceLevel = (Integer) value;
        } else {
            return super.setOption(option, value);
        }
        return true;
    }

    /** The value that the application has set; {@code null} if it has not. */
    Integer wantedRnrRetryCount() {
        return isRnrRetryCountSet ? rnrRetryCount : null;
    }

    @Override
    protected void granted(DatagramService service, int level) {
        rnrRetryCount = service.rnrRetryCount() == DatagramService.DEVICE_DECIDES ? UNLIMITED : service.rnrRetryCount();
        if (level != serviceLevel) {
            LOGGER.info("{} of type {} was created without service level {}: it needs SRD, rdma-core 55, and a driver "
                    + "and a device that know it", channel, service.type(), serviceLevel);
            serviceLevel = level;
        }
    }

    @Override
    protected int serviceLevel() {
        return serviceLevel;
    }
}
