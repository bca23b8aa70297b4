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
import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.channel.RdmaDatagramChannelOption;
import io.nettyrdma.verbs.QueuePairType;

/**
 * Options that only an {@link EfaDatagramChannel} has, apart from those of {@link RdmaDatagramChannelOption}. Set them
 * before it is bound; later they throw {@link IllegalStateException}.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class EfaChannelOption {

    /** {@link QueuePairType#SRD}, the default, or {@link QueuePairType#UD}, which loses datagrams and has no writes. */
    public static final ChannelOption<QueuePairType> TRANSPORT = ChannelOption.valueOf(EfaChannelOption.class,
            "TRANSPORT");

    /**
     * How often the device repeats a datagram whose recipient has no receive posted, before it fails with
     * {@link io.nettyrdma.datagram.DatagramFailure#NOT_READY}: 0 to 6 times, or 7, without limit; 6 by default. The
     * first adapters cannot count: they have 7, whether it is set or not, and with another value binding fails. Use 7
     * with trusted peers only: one that does not read holds the memory of the datagrams that are sent to it.
     */
    public static final ChannelOption<Integer> RNR_RETRY_COUNT = ChannelOption.valueOf(EfaChannelOption.class,
            "RNR_RETRY_COUNT");

    /**
     * The service level: 0, the default, or 8, which asks the device for low latency. {@link QueuePairType#SRD} alone
     * has levels, with rdma-core 55 and a driver and a device that know them. Otherwise the channel has level 0, which
     * this option then says, and so does a line in the log.
     */
    public static final ChannelOption<Integer> SERVICE_LEVEL = ChannelOption.valueOf(EfaChannelOption.class,
            "SERVICE_LEVEL");

    private EfaChannelOption() {
    }
}
