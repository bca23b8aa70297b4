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

/**
 * Options that only an RDMA channel has. Set them before the channel connects, or as child options of the server: what
 * concerns queues and memory is fixed when the queue pair is created, and changing it later throws
 * {@link IllegalStateException}; what does not says so. {@link RdmaChannelConfig} has the defaults and ranges;
 * {@link #MAX_ACCEPTING} is an option of the server itself.
 */
public final class RdmaChannelOption {

    /** Bytes of each receive buffer, and so of the longest frame that the peer sends, header included; 64 to 16 MiB. */
    public static final ChannelOption<Integer> RECEIVE_BUFFER_SIZE = option("RECEIVE_BUFFER_SIZE");

    /** Receives that are posted when the connection begins; 16 to {@link #MAX_WINDOW}. */
    public static final ChannelOption<Integer> INITIAL_WINDOW = option("INITIAL_WINDOW");

    /** Receives that are posted at most, to which the window grows with traffic: bounds what a slow reader holds. */
    public static final ChannelOption<Integer> MAX_WINDOW = option("MAX_WINDOW");

    /** Frames that may be under way to the peer, whatever it grants. */
    public static final ChannelOption<Integer> SEND_QUEUE_DEPTH = option("SEND_QUEUE_DEPTH");

    /** Bytes from which a registered buffer is not copied but read by the device; below, copying is faster. */
    public static final ChannelOption<Integer> ZERO_COPY_THRESHOLD = option("ZERO_COPY_THRESHOLD");

    /**
     * Microseconds that an adaptive loop polls after completions of this channel, before it sleeps. -1, the default,
     * leaves it to {@link io.nettyrdma.io.RdmaIoHandlerConfig#spin}. Can be changed at any time. Larger where answers
     * are awaited soon; 0 where nobody is in a hurry.
     */
    public static final ChannelOption<Integer> SPIN_MICROS = option("SPIN_MICROS");

    /**
     * Milliseconds of silence after which the peer is asked whether it is alive; if it is silent for two times as long
     * after that, the connection is closed. Time in which this end's loop stood still does not count. 0 never asks.
     * Needed, for an idle reliable connection notices nothing by itself.
     */
    public static final ChannelOption<Integer> KEEPALIVE_MILLIS = option("KEEPALIVE_MILLIS");

    /**
     * Milliseconds that closing may wait for the acknowledgement of what was sent; then the connection is aborted,
     * {@link io.nettyrdma.metrics.RdmaCounter#CLOSES_TIMED_OUT} counts it, and what was not written yet fails.
     * {@code SO_LINGER} above 0 says it in seconds instead, and 0 does not wait. A minute by default, as TCP's
     * tcp_fin_timeout. Can be changed at any time before the channel is closed.
     */
    public static final ChannelOption<Integer> CLOSE_TIMEOUT_MILLIS = option("CLOSE_TIMEOUT_MILLIS");

    /**
     * Exponent of this side's acknowledgement timeout, 4.096 us times 2 to the power of it; 1 to 31, and 0 leaves it to
     * the connection manager, which may take that of the peer's request: it counts up to 20, 4.3 s. Before connecting;
     * of a server's children as childOption. Without effect on iWARP.
     */
    public static final ChannelOption<Integer> ACK_TIMEOUT = option("ACK_TIMEOUT");

    /**
     * How often this side's device sends a packet again before the connection is lost, 0 to 7. Before connecting; of a
     * server's children as childOption. Without effect on iWARP.
     */
    public static final ChannelOption<Integer> RETRY_COUNT = option("RETRY_COUNT");

    /** How often the peer's device tries again when no receive is posted, 0 to 6, 7 for ever. Must never be needed. */
    public static final ChannelOption<Integer> RNR_RETRY_COUNT = option("RNR_RETRY_COUNT");

    /**
     * Of a server channel: children that may be on their way in, from the request until the connection is open, 1 to
     * 65536; 1024 by default. When there are so many, requests wait, as many as {@code SO_BACKLOG} says. Each has its
     * queue pair and its receives already, for as long as its peer lets us wait, but no longer than its
     * {@code CONNECT_TIMEOUT_MILLIS}. Can be changed at any time.
     */
    public static final ChannelOption<Integer> MAX_ACCEPTING = option("MAX_ACCEPTING");

    private RdmaChannelOption() {
    }

    private static ChannelOption<Integer> option(String name) {
        return ChannelOption.valueOf(RdmaChannelOption.class, name);
    }
}
