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
import io.nettyrdma.datagram.RdmaDatagramChannelConfig;
import io.nettyrdma.verbs.QueuePairType;

import java.security.SecureRandom;
import java.util.Map;
import java.util.Set;

/**
 * Options of an {@link EfaDatagramChannel}. Its queue key is random by default: a device soon gives the number of a
 * queue pair to another, which must not get what was meant for the first. Any thread.
 */
public final class EfaDatagramChannelConfig extends RdmaDatagramChannelConfig {

    /** The levels that EFA has: the default, and low latency. */
    private static final Set<Integer> SERVICE_LEVELS = Set.of(0, 8);
    private static final SecureRandom RANDOM = new SecureRandom();

    private volatile QueuePairType transport = QueuePairType.SRD;
    private volatile int rnrRetry = DEFAULT_RNR_RETRY;
    private volatile boolean isRnrRetrySet;
    private volatile int serviceLevel;

    EfaDatagramChannelConfig(EfaDatagramChannel channel) {
        super(channel, randomKey());
    }

    /** Not 0, which stands for an unknown key, and without the highest bit, which is the administrator's. */
    private static int randomKey() {
        return 1 + RANDOM.nextInt(Integer.MAX_VALUE);
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(super.getOptions(), EfaChannelOption.TRANSPORT, EfaChannelOption.RNR_RETRY,
                EfaChannelOption.SERVICE_LEVEL);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> T getOption(ChannelOption<T> option) {
        if (option == EfaChannelOption.TRANSPORT) {
            return (T) transport;
        }
        if (option == EfaChannelOption.RNR_RETRY) {
            return (T) Integer.valueOf(rnrRetry);
        }
        return option == EfaChannelOption.SERVICE_LEVEL ? (T) Integer.valueOf(serviceLevel) : super.getOption(option);
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        validate(option, value);
        if (option == EfaChannelOption.TRANSPORT) {
            if (!((QueuePairType) value).isDatagram()) {
                throw new IllegalArgumentException(option + " is " + value + ", which has no datagrams");
            }
            checkNotBound(option);
            transport = (QueuePairType) value;
        } else if (option == EfaChannelOption.RNR_RETRY) {
            rnrRetry = checked(option, (Integer) value, 0, FOR_EVER);
            isRnrRetrySet = true;
        } else if (option == EfaChannelOption.SERVICE_LEVEL) {
            if (!SERVICE_LEVELS.contains((Integer) value)) {
                throw new IllegalArgumentException(option + " is " + value + ", neither 0 nor 8");
            }
            checkNotBound(option);
            serviceLevel = (Integer) value;
        } else {
            return super.setOption(option, value);
        }
        return true;
    }

    @Override
    protected QueuePairType queuePairType() {
        return transport;
    }

    @Override
    protected Integer rnrRetry() {
        return isRnrRetrySet ? rnrRetry : null;
    }

    @Override
    protected void granted(int retries, int level) {
        rnrRetry = retries;
        serviceLevel = level;
    }

    @Override
    protected int serviceLevel() {
        return serviceLevel;
    }
}
