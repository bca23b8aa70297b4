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

import io.netty.channel.Channel;
import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.datagram.DatagramAddress;
import io.nettyrdma.datagram.PeerHold;
import io.nettyrdma.remote.RemoteMemory;

import java.util.List;

/**
 * The result of a {@link DatagramExchange}. This end has an address handle for the peer, and knows its key, until this
 * object is closed: some devices refuse datagrams of queue pairs for which their receiver has no handle.
 *
 * <pre>
 *   TIED to the connection over which the addresses were exchanged --keep()--&gt; KEPT
 *    |   |                                                                       |
 *    |   +--the connection ends--+                                               |
 *    |                           v                                               |
 *    +-------close()---------&gt; CLOSED &lt;------------------------close()-----------+
 * </pre>
 *
 * <p>Any thread.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class DatagramPeer implements AutoCloseable {

    private enum State { TIED, KEPT, CLOSED }

    private final RdmaDatagramChannel channel;
    private final PeerHold hold;
    private final DatagramAddress address;
    private final int maxDatagram;
    private final List<RemoteMemory> memories;
    /** To be closed with this; {@code null} if the application owns it. */
    private final Channel owned;
    private State state = State.TIED;

    /**
     * @param connection whose end closes this.
     * @param isOwned whether the end of this closes the connection.
     */
    DatagramPeer(RdmaDatagramChannel channel, PeerHold hold, ExchangeRecord record, Channel connection,
                 boolean isOwned) {
        this.channel = channel;
        this.hold = hold;
        address = record.address();
        maxDatagram = record.maxDatagram();
        memories = record.memories();
        owned = isOwned ? connection : null;
        connection.closeFuture().addListener(closed -> connectionEnded());
    }

    /** {@return the address of the peer, with its queue key} */
    public DatagramAddress address() {
        return address;
    }

    /** {@return the bytes of the longest datagram that the peer takes} */
    public int maxDatagram() {
        return maxDatagram;
    }

    /** {@return memory that the peer offers, in the order in which it named it} */
    public List<RemoteMemory> memories() {
        return memories;
    }

    /**
     * From now on the end of the connection does not close this. The caller has to close it, and should know that
     * the peer is who it says: the key of a queue pair is not forgotten, nor replaced, before that. Any thread.
     *
     * @return this.
     */
    public synchronized DatagramPeer keep() {
        if (state == State.TIED) {
            state = State.KEPT;
        }
        return this;
    }

    /** {@return whether the handle is still kept} Any thread. */
    public synchronized boolean isOpen() {
        return state != State.CLOSED;
    }

    private void connectionEnded() {
        synchronized (this) {
            if (state != State.TIED) {
                return;
            }
        }
        close();
    }

    /**
     * The address handle may be forgotten, and so may the key. Closes the connection of {@link
     * DatagramExchange#connect}. Any thread; a second call does nothing.
     */
    @Override
    public void close() {
        synchronized (this) {
            if (state == State.CLOSED) {
                return;
            }
            state = State.CLOSED;
        }
        channel.endHold(hold);
        if (owned != null) {
            owned.close();
        }
    }

    @Override
    public String toString() {
        return address + ", " + maxDatagram + " bytes, memories " + memories;
    }
}
