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
     * Bytes of each receive, and so of the longest frame that the peer sends, with its header. -1: the receives begin
     * with 1040 bytes and grow with the frames that arrive, up to {@link #MAX_RECEIVE_BUFFER_SIZE}; when they stay
     * nearly empty, or nothing arrives for a second, they become smaller again.
     *
     * @option.default -1
     * @option.range 64 to 16777216 bytes; -1 follows the traffic
     * @option.change until the channel connects
     * @option.advice a fixed size, if all messages have one size that you know; larger messages are sent in several
     *         frames
     */
    public static final ChannelOption<Integer> RECEIVE_BUFFER_SIZE = option("RECEIVE_BUFFER_SIZE");

    /**
     * Bytes to which receives grow if {@link #RECEIVE_BUFFER_SIZE} is -1. All posted receives together have no more
     * than {@link #MAX_WINDOW} times 8 KiB, and no less than {@link #INITIAL_WINDOW} of them are posted: so the larger
     * they are, the fewer.
     *
     * @option.default 65552
     * @option.range 1040 to 16777216 bytes
     * @option.change until the channel connects
     * @option.advice smaller, if many connections are busy at once and memory is short
     */
    public static final ChannelOption<Integer> MAX_RECEIVE_BUFFER_SIZE = option("MAX_RECEIVE_BUFFER_SIZE");

    /**
     * Receives that are posted when the connection begins.
     *
     * @option.default 14
     * @option.range 14 to 65536 receives
     * @option.change until the channel connects
     * @option.advice more, if a peer sends a burst of short messages right after it connects
     */
    public static final ChannelOption<Integer> INITIAL_WINDOW = option("INITIAL_WINDOW");

    /**
     * Maximum of posted receives, to which the window grows with traffic: bounds what a slow reader holds.
     *
     * @option.default 128
     * @option.range 14 to 65536 receives; a larger INITIAL_WINDOW raises it, and the device may allow fewer
     * @option.change until the channel connects
     * @option.advice less, if many connections are busy at once and memory is short; more, if the peer often waits for
     *         credits on a long path
     */
    public static final ChannelOption<Integer> MAX_WINDOW = option("MAX_WINDOW");

    /**
     * Frames that may be in flight to the peer, however many it grants.
     *
     * @option.default 128
     * @option.range 4 to 32768 frames; no more than the device allows
     * @option.change until the channel connects
     * @option.advice less, if thousands of connections pin too much memory for queues; more, if the path is long and
     *         the peer grants more
     */
    public static final ChannelOption<Integer> SEND_QUEUE_DEPTH = option("SEND_QUEUE_DEPTH");

    /**
     * Bytes from which the device reads a registered buffer in place; shorter ones are copied, which is faster.
     *
     * @option.default 2048
     * @option.range 1 to 2147483647 bytes
     * @option.change until the channel connects
     * @option.advice after a measurement with your message sizes and your device
     */
    public static final ChannelOption<Integer> ZERO_COPY_THRESHOLD = option("ZERO_COPY_THRESHOLD");

    /**
     * Microseconds that an adaptive loop polls after completions of this channel before it sleeps. -1 leaves it to
     * {@link io.nettyrdma.io.RdmaIoHandlerConfig#spin}.
     *
     * @option.default -1
     * @option.range -1 to 2147483647 microseconds
     * @option.change at any time
     * @option.advice more, if answers come soon; 0, if latency does not matter
     */
    public static final ChannelOption<Integer> SPIN_MICROS = option("SPIN_MICROS");

    /**
     * Milliseconds of silence after which the peer is sent a PING; if it stays silent for twice as long after that, the
     * connection is closed. Time in which the local loop stood still does not count. 0 sends none; then an idle
     * connection does not detect a dead peer.
     *
     * @option.default 30000
     * @option.range 0 to 2147483647 milliseconds
     * @option.change until the channel connects
     * @option.advice less, to detect dead peers sooner; 0, if the application has its own heartbeat
     */
    public static final ChannelOption<Integer> KEEPALIVE_MILLIS = option("KEEPALIVE_MILLIS");

    /**
     * Milliseconds in which a closed channel's connection sends what was flushed before the close, and waits for the
     * acknowledgement. Then the connection is aborted, {@link io.nettyrdma.metrics.RdmaCounter#CLOSES_TIMED_OUT} counts
     * it, and the promises of what was not sent fail. The default is that of TCP's tcp_fin_timeout.
     *
     * @option.default 60000
     * @option.range 1 to 2147483647 milliseconds
     * @option.change at any time before the channel is closed
     * @option.advice less, if closed connections to slow peers hold too much memory
     */
    public static final ChannelOption<Integer> CLOSE_TIMEOUT_MILLIS = option("CLOSE_TIMEOUT_MILLIS");

    /**
     * Exponent of the local acknowledgement timeout, which is 4.096 us times 2 to the power of it. 0 leaves it to the
     * connection manager, which may use that of the peer's request, limited to 20, 4.3 s. No effect on iWARP.
     *
     * @option.default 0
     * @option.range 0 to 31
     * @option.change until the channel connects
     * @option.advice if lost packets cost too much time, or if a congested network ends connections; 14 is 67 ms
     */
    public static final ChannelOption<Integer> ACK_TIMEOUT_EXPONENT = option("ACK_TIMEOUT_EXPONENT");

    /**
     * How often the local device retransmits a packet before the connection is lost. No effect on iWARP.
     *
     * @option.default 7
     * @option.range 0 to 7
     * @option.change until the channel connects
     * @option.advice less, to detect a lost path sooner
     */
    public static final ChannelOption<Integer> RETRY_COUNT = option("RETRY_COUNT");

    /**
     * How often the peer's device retries when no receive is posted; 7 is without limit. Flow control makes this
     * unnecessary; it is a safety net.
     *
     * @option.default 7
     * @option.range 0 to 7
     * @option.change until the channel connects
     * @option.advice never, except to find an error in flow control
     */
    public static final ChannelOption<Integer> RNR_RETRY_COUNT = option("RNR_RETRY_COUNT");

    /**
     * Whether the peer may write to and read from memory that {@link RdmaChannel#expose} names, and send {@link
     * io.nettyrdma.remote.RdmaImmediate}s. If not, even a peer that knows a key can access nothing. See
     * docs/remote-access.md.
     *
     * @option.default false
     * @option.range true, false
     * @option.change until the channel connects
     * @option.advice for peers that you trust with the exposed memory
     */
    @UnstableApi
    public static final ChannelOption<Boolean> REMOTE_ACCESS =
            ChannelOption.valueOf(RdmaChannelOption.class, "REMOTE_ACCESS");

    /**
     * Of a server channel: children that may be between the request and the open connection. Further requests wait, up
     * to {@code SO_BACKLOG} of them. Each such child already has its queue pair and receives, until its peer confirms,
     * but no longer than its {@code CONNECT_TIMEOUT_MILLIS}.
     *
     * @option.default 1024
     * @option.range 1 to 65536 children
     * @option.change at any time
     * @option.advice less, if memory for connections that peers do not confirm is short; more, if bursts of connects
     *         wait
     */
    public static final ChannelOption<Integer> MAX_ACCEPTING = option("MAX_ACCEPTING");

    private RdmaChannelOption() {
    }

    private static ChannelOption<Integer> option(String name) {
        return ChannelOption.valueOf(RdmaChannelOption.class, name);
    }
}
