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
 * Options that only an RDMA channel has. Set them before the channel connects, or as child options of the server.
 * Options of queues and memory are fixed when the queue pair is created; changing them later throws
 * {@link IllegalStateException}. Others say that they can be changed. {@link RdmaChannelConfig} has the defaults and
 * ranges. {@link #MAX_ACCEPTING} is an option of the server itself.
 *
 * @since 0.1.0
 */
public final class RdmaChannelOption {

    /**
     * Bytes of each receive, and so of the longest frame that the peer sends, with its header; 64 to 16 MiB. -1, the
     * default: the receives begin with 1040 bytes and grow with the frames that arrive, up to
     * {@link #MAX_RECEIVE_BUFFER_SIZE}; when they stay nearly empty, or nothing arrives for a second, they become
     * smaller again.
     */
    public static final ChannelOption<Integer> RECEIVE_BUFFER_SIZE = option("RECEIVE_BUFFER_SIZE");

    /**
     * Bytes to which receives grow if {@link #RECEIVE_BUFFER_SIZE} is -1; 1040 to 16 MiB, 64 KiB and a header by
     * default. All posted receives together have no more than {@link #MAX_WINDOW} times 8 KiB, and no less than
     * {@link #INITIAL_WINDOW} of them are posted: so the larger they are, the fewer.
     */
    public static final ChannelOption<Integer> MAX_RECEIVE_BUFFER_SIZE = option("MAX_RECEIVE_BUFFER_SIZE");

    /** Receives that are posted when the connection begins; 14 to {@link #MAX_WINDOW}. */
    public static final ChannelOption<Integer> INITIAL_WINDOW = option("INITIAL_WINDOW");

    /** Maximum of posted receives, to which the window grows with traffic: bounds what a slow reader holds. */
    public static final ChannelOption<Integer> MAX_WINDOW = option("MAX_WINDOW");

    /** Frames that may be in flight to the peer, however many it grants. */
    public static final ChannelOption<Integer> SEND_QUEUE_DEPTH = option("SEND_QUEUE_DEPTH");

    /** Bytes from which the device reads a registered buffer in place; shorter ones are copied, which is faster. */
    public static final ChannelOption<Integer> ZERO_COPY_THRESHOLD = option("ZERO_COPY_THRESHOLD");

    /**
     * Microseconds that an adaptive loop polls after completions of this channel before it sleeps. -1, the default,
     * leaves it to {@link io.nettyrdma.io.RdmaIoHandlerConfig#spin}. Can be changed at any time. Use more if answers
     * come soon, and 0 if latency does not matter.
     */
    public static final ChannelOption<Integer> SPIN_MICROS = option("SPIN_MICROS");

    /**
     * Milliseconds of silence after which the peer is sent a PING; if it stays silent for twice as long after that, the
     * connection is closed. Time in which this end's loop stood still does not count. 0 sends none. Needed, because an
     * idle reliable connection detects nothing by itself.
     */
    public static final ChannelOption<Integer> KEEPALIVE_MILLIS = option("KEEPALIVE_MILLIS");

    /**
     * Milliseconds in which a closed channel's connection sends what was flushed before the close, and waits for the
     * acknowledgement. Then the connection is aborted, {@link io.nettyrdma.metrics.RdmaCounter#CLOSES_TIMED_OUT} counts
     * it, and the promises of what was not sent fail. A minute by default, as TCP's tcp_fin_timeout. Can be changed at
     * any time before the channel is closed.
     */
    public static final ChannelOption<Integer> CLOSE_TIMEOUT_MILLIS = option("CLOSE_TIMEOUT_MILLIS");

    /**
     * Exponent of this side's acknowledgement timeout, which is 4.096 us times 2 to the power of it; 1 to 31. 0 leaves
     * it to the connection manager, which may use that of the peer's request, limited to 20, 4.3 s. Set it before
     * connecting, for a server's children as childOption. No effect on iWARP.
     */
    public static final ChannelOption<Integer> ACK_TIMEOUT_EXPONENT = option("ACK_TIMEOUT_EXPONENT");

    /**
     * How often this side's device retransmits a packet before the connection is lost, 0 to 7. Set it before
     * connecting, for a server's children as childOption. No effect on iWARP.
     */
    public static final ChannelOption<Integer> RETRY_COUNT = option("RETRY_COUNT");

    /** How often the peer's device retries when no receive is posted: 0 to 6, or 7 without limit. A safety net only. */
    public static final ChannelOption<Integer> RNR_RETRY_COUNT = option("RNR_RETRY_COUNT");

    /**
     * Whether the peer may write to and read from memory that {@link RdmaChannel#expose} names, and send
     * {@link io.nettyrdma.remote.RdmaImmediate}s. False by default: then not even a peer that knows a key can access
     * anything. Set it before connecting, for a server's children as childOption. See docs/remote-access.md.
     */
    @UnstableApi
    public static final ChannelOption<Boolean> REMOTE_ACCESS =
            ChannelOption.valueOf(RdmaChannelOption.class, "REMOTE_ACCESS");

    /**
     * Of a server channel: children that may be between the request and the open connection, 1 to 65536; 1024 by
     * default. Further requests wait, up to {@code SO_BACKLOG} of them. Each such child already has its queue pair and
     * receives, until its peer confirms, but no longer than its {@code CONNECT_TIMEOUT_MILLIS}. Can be changed at any
     * time.
     */
    public static final ChannelOption<Integer> MAX_ACCEPTING = option("MAX_ACCEPTING");

    private RdmaChannelOption() {
    }

    private static ChannelOption<Integer> option(String name) {
        return ChannelOption.valueOf(RdmaChannelOption.class, name);
    }
}
