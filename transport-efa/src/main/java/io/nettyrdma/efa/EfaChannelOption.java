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

    /**
     * The type of the queue pair. {@link QueuePairType#UD} loses datagrams and has no writes.
     *
     * @option.default SRD
     * @option.range SRD, UD
     * @option.change until the channel is bound
     * @option.advice UD, to talk to a program that has only UD
     */
    public static final ChannelOption<QueuePairType> TRANSPORT = ChannelOption.valueOf(EfaChannelOption.class,
            "TRANSPORT");

    /**
     * How often the device repeats a datagram whose recipient has no receive posted, before it fails with {@link
     * io.nettyrdma.datagram.DatagramFailure#NOT_READY}; 7 is without limit. The first adapters cannot count: they have
     * 7, whether it is set or not, and with another value binding fails.
     *
     * @option.default 6
     * @option.range 0 to 7
     * @option.change until the channel is bound
     * @option.advice 7 with trusted peers only: one that does not read holds the memory of the datagrams that are sent
     *         to it
     */
    public static final ChannelOption<Integer> RNR_RETRY_COUNT = ChannelOption.valueOf(EfaChannelOption.class,
            "RNR_RETRY_COUNT");

    /**
     * The service level; 8 asks the device for low latency. {@link QueuePairType#SRD} alone has levels, with rdma-core
     * 55 and a driver and a device that know them. Otherwise the channel has level 0, which this option then says, and
     * so does a line in the log.
     *
     * @option.default 0
     * @option.range 0, 8
     * @option.change until the channel is bound
     * @option.advice 8, if latency matters more than throughput
     */
    public static final ChannelOption<Integer> SERVICE_LEVEL = ChannelOption.valueOf(EfaChannelOption.class,
            "SERVICE_LEVEL");

    private EfaChannelOption() {
    }
}
