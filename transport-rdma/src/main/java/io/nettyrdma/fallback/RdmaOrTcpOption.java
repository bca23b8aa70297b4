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

import io.netty.channel.ChannelOption;
import io.nettyrdma.annotation.UnstableApi;

/**
 * Options of {@link RdmaOrTcpChannel} and {@link RdmaOrTcpServerChannel}, beside those of the transports that they use.
 * Set them before the channel connects or binds; later they have no effect.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class RdmaOrTcpOption {

    /**
     * Which transports a channel may use. The system property {@code io.nettyrdma.policy} changes the default.
     *
     * @option.default RDMA_PREFERRED
     * @option.range RDMA_REQUIRED, RDMA_PREFERRED, TCP_ONLY
     * @option.change until the channel connects or binds; later it has no effect
     * @option.advice RDMA_REQUIRED, if TCP is too slow to be useful; TCP_ONLY, to switch RDMA off without a new build
     */
    public static final ChannelOption<TransportPolicy> POLICY = ChannelOption.valueOf(RdmaOrTcpOption.class, "POLICY");

    /**
     * Milliseconds that a connect waits for an answer by RDMA before it is begun by TCP; the default is what RFC 8305
     * recommends between two attempts to reach a host. The system property {@code io.nettyrdma.headStartMillis} changes
     * the default. Ten times as long until this process has been connected by RDMA, because the first connect loads
     * classes and opens the device. Only a host that does not answer costs this time, and is then remembered: see
     * {@link #SILENT_HOST_MILLIS}.
     *
     * @option.default 250
     * @option.range 1 to 60000 milliseconds
     * @option.change until the channel connects or binds; later it has no effect
     * @option.advice more, if peers that have RDMA are reached by TCP; less, if most hosts have no RDMA
     */
    public static final ChannelOption<Integer> HEAD_START_MILLIS =
            ChannelOption.valueOf(RdmaOrTcpOption.class, "HEAD_START_MILLIS");

    /**
     * Added to the port for RDMA. The system property {@code io.nettyrdma.rdmaPortOffset} changes the default. Both
     * ends need the same. iWARP devices need another number than 0, because they share the ports of TCP: without one
     * they are not used, and the log says so.
     *
     * @option.default 0
     * @option.range -65535 to 65535 ports
     * @option.change until the channel connects or binds; later it has no effect
     * @option.advice for iWARP
     */
    public static final ChannelOption<Integer> RDMA_PORT_OFFSET =
            ChannelOption.valueOf(RdmaOrTcpOption.class, "RDMA_PORT_OFFSET");

    /**
     * Milliseconds for which a host that did not answer by RDMA is remembered, so that connects to it begin with TCP.
     * The default is as long as a host may need to restart, and short for a host that gets RDMA; the system property
     * {@code io.nettyrdma.silentHostMillis} changes it. 0 remembers none: each connect costs the head start.
     *
     * @option.default 60000
     * @option.range 0 to 3600000 milliseconds
     * @option.change until the channel connects or binds; later it has no effect
     * @option.advice more, if most hosts have no RDMA
     */
    public static final ChannelOption<Integer> SILENT_HOST_MILLIS =
            ChannelOption.valueOf(RdmaOrTcpOption.class, "SILENT_HOST_MILLIS");

    private RdmaOrTcpOption() {
    }
}
