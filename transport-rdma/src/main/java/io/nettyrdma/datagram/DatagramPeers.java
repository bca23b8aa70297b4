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
package io.nettyrdma.datagram;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.annotation.UnstableApi;

/**
 * The peers that a queue pair knows: their address handles, and the one peer of a connected channel.
 *
 * <p>Belongs to the event loop, unless a member says otherwise.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class DatagramPeers {

    private final PeerHandles handles;
    private final EventExecutor loop;
    private final DatagramConnection connection = new DatagramConnection();

    DatagramPeers(PeerHandles handles, EventExecutor loop) {
        this.handles = handles;
        this.loop = loop;
    }

    /** The only peer whose datagrams are wanted; {@code null} for all. */
    DatagramAddress wanted() {
        return connection.wanted();
    }

    /** {@return whether {@link #connect} was called, and neither has failed nor was undone} */
    public boolean isConnected() {
        return connection.isBegun();
    }

    /**
     * Makes a peer the only one whose datagrams are received, and the recipient of what names none.
     *
     * @param peer the address, with its queue key.
     * @return succeeds when there is an address handle.
     */
    public Future<Void> connect(DatagramAddress peer) {
        return connection.begin(peer, handles, loop);
    }

    /** Ends what {@link #connect} has begun. */
    public void disconnect() {
        connection.end();
    }

    /** {@return the peer of a connected channel; {@code null} if there is none} Any thread. */
    public DatagramAddress peer() {
        return connection.peer();
    }

    /**
     * Makes the address handle of a peer, and keeps it and the peer's key until {@link #release}.
     *
     * @param peer the address, with its queue key.
     * @param exists succeeds when the handle exists.
     */
    public void prepare(DatagramAddress peer, Promise<Void> exists) {
        handles.prepare(peer, exists);
    }

    /**
     * As {@link #prepare}, until the hold is ended.
     *
     * @param peer the address, with its queue key.
     * @param exists gets the hold, which its owner ends.
     */
    public void hold(DatagramAddress peer, Promise<PeerHold> exists) {
        handles.hold(peer, exists);
    }

    /**
     * Ends one {@link #prepare} of this address, if there was one.
     *
     * @param peer the address that was prepared.
     */
    public void release(DatagramAddress peer) {
        handles.release(peer);
    }
}
