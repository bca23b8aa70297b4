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
package io.nettyrdma.link;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import io.nettyrdma.metrics.RdmaChannelSnapshot;
import io.nettyrdma.metrics.RdmaCounters;
import io.nettyrdma.remote.ExposedMemory;
import io.nettyrdma.remote.RemoteOperation;
import io.nettyrdma.stream.StreamInput;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.RdmaDeviceInfo;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.Supplier;

/**
 * A channel's part on one loop: its registration there, and the one connection that it may make or accept.
 *
 * <pre>
 *   IDLE ---connect, accept---&gt; OPENING ---opened---&gt; OPEN
 *     |                            |                    |
 *     |                            +-------drain--------+---&gt; DRAINING
 *     |                            |                    |        |
 *     +------------depart----------+------depart--------+--------+---&gt; DEPARTED ---no work is left---&gt; released
 * </pre>
 *
 * The channel knows nothing below this interface. What the link notices goes to one receiver of {@link Events}: the
 * channel, and after its close the receiver that {@link #drain} has named. Belongs to the event loop, except the
 * methods that say otherwise.
 */
public interface Link {

    /** What a link reports, on the loop's thread. The methods must not throw. */
    interface Events {

        /** The messages that the link sends and retires; {@code null} if there are none. */
        ChannelOutboundBuffer outbound();

        /** The connection is open: bytes may be sent. */
        void opened();

        /** There will be no connection. A {@link java.net.ConnectException} is the peer's doing. */
        void openFailed(Throwable cause);

        /** A batch of completions was taken: there may be bytes in the input, or its end. */
        void received();

        /**
         * The data with room after {@link #received} was sent, or not, see {@link #sendFailed}. {@link #peerLeft} comes
         * instead if all that a peer sent before it left is in the input.
         */
        void batchDone();

        /** A message cannot be sent, or the connection has broken, see {@link Link#isBroken}. */
        void sendFailed(Throwable cause);

        /** The peer has left. Called again when all that it sent is in the input, see {@link Link#isPeerGone}. */
        void peerLeft();

        /** The connection cannot be used any more, or there will be none. */
        void failed(IOException cause);

        /** The loop ends: the channel closes itself. */
        void loopEnds();
    }

    // ---- the registration ----

    /** The loop's counters. Any thread. */
    RdmaCounters counters();

    /** For how long the loop polls for this channel before it sleeps; a negative number leaves it to the loop. */
    void spin(long nanos);

    /** The registration will be cancelled: nothing may be begun here any more. */
    void leave();

    boolean isLeaving();

    /** Cancels the registration, which ends when no work is left. */
    void cancel();

    /**
     * Reserves an address and a port for {@link #connect}. The caller owns the result.
     *
     * @throws IOException if the address is in use, or is not an address of this machine.
     */
    BoundAddress bind(InetSocketAddress local, LinkConfig config) throws IOException;

    /** Makes an address that was bound on another loop usable here. */
    void move(BoundAddress bound) throws IOException;

    // ---- the connection, seen from any thread ----

    /** {@code null} before it is known. Any thread. */
    InetSocketAddress localAddress();

    /** {@code null} before there is a connection. Any thread. */
    InetSocketAddress peerAddress();

    /** {@code null} before the device is known. Any thread. */
    RdmaDeviceInfo device();

    /** Whether the settings of the queue pair are fixed: it exists. Any thread. */
    boolean hasQueuePair();

    /** The state and the counts of the connection; {@code null} before there is one. */
    RdmaChannelSnapshot snapshot();

    // ---- opening ----

    /**
     * Begins to connect; {@link Events#opened} or {@link Events#openFailed} follows.
     *
     * @param bound from {@link #bind}, owned by the link from now on; {@code null} leaves the address open.
     * @param config read when the settings are needed, until {@link #hasQueuePair}.
     * @param input gets what is received.
     * @throws IOException if the first step fails.
     */
    void connect(InetSocketAddress remote, BoundAddress bound, Supplier<LinkConfig> config, StreamInput input)
            throws IOException;

    /**
     * Begins to accept a request, whose id the link owns from now on; {@link Events#opened} or
     * {@link Events#openFailed} follows.
     */
    void accept(LinkRequest request, Supplier<LinkConfig> config, StreamInput input);

    /** Whether {@link Events#opened} or {@link Events#openFailed} is still to come. */
    boolean isOpening();

    // ---- an open connection ----

    /** Checks every {@code millis} whether a silent peer is alive. A dead one is a failure; 0 never checks. */
    void startKeepalive(int millis);

    /**
     * Whether completions are being handled, or the data that they brought is being read: what is flushed meanwhile is
     * sent at the end.
     */
    boolean isInBatch();

    /** Sends what has room. The rest is sent when a completion has made room. */
    void flush(ChannelOutboundBuffer in) throws IOException;

    /** Throws if the operation cannot work on this connection. */
    void check(RemoteOperation operation) throws IOException;

    /** See {@link io.nettyrdma.memory.Exposures#expose}. */
    ExposedMemory expose(ByteBuf buffer, MemoryAccess... access) throws IOException;

    /** Whether nothing can be sent any more. */
    boolean isBroken();

    /** Whether the peer has left and everything that it sent has been received. */
    boolean isPeerGone();

    // ---- its end ----

    /**
     * Puts FIN behind the data that has room now, and behind further bytes that are flushed; later flushes send them.
     *
     * @param in {@code null} puts FIN behind what was sent, even in the middle of a message.
     * @param maxBytes maximum of further bytes.
     */
    void finish(ChannelOutboundBuffer in, long maxBytes) throws IOException;

    /** See {@link io.nettyrdma.stream.RdmaStream#lastMessages}. */
    int lastMessages(ChannelOutboundBuffer in, long maxBytes);

    /** Whether FIN was sent. Its acknowledgement may be missing. */
    boolean isFinSent();

    /** Whether there is nothing to wait for: what was sent has arrived, or FIN cannot be sent any more. */
    boolean isDrained();

    /** Aborts the connection, if there is one: its peer sees a reset. */
    void abort();

    /** The channel is closed. The link reports to another receiver, for so long at most, until it departs. */
    void drain(Events receiver, int millis);

    /** The channel is closed, and all is sent. The connection continues without it until it has left in order. */
    void depart();
}
