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

import io.netty.channel.ChannelOption;
import io.nettyrdma.annotation.UnstableApi;

/**
 * Options that only a datagram channel has. Set them before it is bound; later they throw {@link
 * IllegalStateException}. Where a device allows less, that is what the channel gets.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class RdmaDatagramChannelOption {

    /**
     * The key that a datagram must carry to be received here. All channels have the same one by default, so that a
     * received datagram can be answered: it does not say the key of its sender. On EFA each channel has a random one by
     * default. A key keeps out mistakes, and not attackers.
     *
     * @option.default 1852142708
     * @option.range 1 to 2147483647
     * @option.change until the channel is bound
     * @option.advice if two applications on one network must not receive each other's datagrams
     */
    public static final ChannelOption<Integer> QUEUE_KEY = option("QUEUE_KEY");

    /**
     * Datagrams in flight, for one recipient at most half of them; further ones wait. With more than this number that
     * have not ended, the channel is not writable.
     *
     * @option.default 128
     * @option.range 1 to 65536 datagrams; no more than the device allows
     * @option.change until the channel is bound
     * @option.advice less, to bound memory; more, if many recipients are slow
     */
    public static final ChannelOption<Integer> SEND_QUEUE_DEPTH = option("SEND_QUEUE_DEPTH");

    /**
     * Datagrams that may arrive before the application reads them; the device drops further ones.
     *
     * @option.default 256
     * @option.range 1 to 65536 datagrams; no more than the device allows
     * @option.change until the channel is bound
     * @option.advice more, if bursts are dropped; less, to save memory: each receive has room for the longest datagram
     */
    public static final ChannelOption<Integer> RECEIVE_QUEUE_DEPTH = option("RECEIVE_QUEUE_DEPTH");

    /**
     * Address handles that are kept, one for each GID: a datagram fails if all are in use.
     *
     * @option.default 256
     * @option.range 1 to 65536 address handles
     * @option.change until the channel is bound
     * @option.advice more, if one channel talks to more hosts at the same time
     */
    public static final ChannelOption<Integer> MAX_PEERS = option("MAX_PEERS");

    /**
     * Whether immediates of peers' writes are user events: {@link io.nettyrdma.datagram.DatagramImmediate}. If not,
     * they are refused and counted. Every holder of a key of exposed memory can send them.
     *
     * @option.default false
     * @option.range true, false
     * @option.change until the channel is bound
     * @option.advice if the application uses writes with immediates
     */
    public static final ChannelOption<Boolean> IMMEDIATES = option("IMMEDIATES");

    private RdmaDatagramChannelOption() {
    }

    private static <T> ChannelOption<T> option(String name) {
        return ChannelOption.valueOf(RdmaDatagramChannelOption.class, name);
    }
}
