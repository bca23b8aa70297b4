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

import java.nio.channels.AsynchronousCloseException;

/**
 * The one peer of a connected channel. Its address handle is kept, so that it does not make room for others, and a
 * device that names only senders with a handle names this peer.
 *
 * <pre>
 *   NONE --begin()--&gt; BEGUN --there is a handle--&gt; CONNECTED
 *    ^                  |                               |
 *    +--no handle-------+                               |
 *    +--end()-------------------------------------------+
 * </pre>
 *
 * Belongs to the event loop, except {@link #peer}.
 */
final class DatagramConnection {

    private enum State { NONE, BEGUN, CONNECTED }

    private State state = State.NONE;
    /** {@code null} in state NONE. */
    private DatagramAddress wanted;
    /** {@code null} before it is CONNECTED. */
    private volatile DatagramAddress peer;
    /** {@code null} before it is CONNECTED. */
    private PeerHold hold;
    /** Of the last {@link #begin}, because a handle may come after {@link #end}; {@code null} in state NONE. */
    private Promise<Void> attempt;

    boolean isBegun() {
        return state != State.NONE;
    }

    /** The only peer whose datagrams are wanted; {@code null} for all. */
    DatagramAddress wanted() {
        return wanted;
    }

    /** {@code null} unless it is connected. Any thread. */
    DatagramAddress peer() {
        return peer;
    }

    /** @return fails if there is no handle, or {@link #end} comes first. */
    Future<Void> begin(DatagramAddress address, PeerHandles peers, EventExecutor loop) {
        state = State.BEGUN;
        wanted = address;
        Promise<Void> connected = loop.newPromise();
        attempt = connected;
        Promise<PeerHold> handle = loop.newPromise();
        handle.addListener((Future<PeerHold> result) -> handleCreated(address, result, connected));
        peers.hold(address, handle);
        return connected;
    }

    private void handleCreated(DatagramAddress address, Future<PeerHold> handle, Promise<Void> connected) {
        if (attempt != connected) {
            if (handle.isSuccess()) {
                handle.getNow().end();
            }
            connected.setFailure(new AsynchronousCloseException());
        } else if (handle.isSuccess()) {
            state = State.CONNECTED;
            hold = handle.getNow();
            peer = address;
            connected.setSuccess(null);
        } else {
            end();
            connected.setFailure(handle.cause());
        }
    }

    void end() {
        state = State.NONE;
        attempt = null;
        wanted = null;
        peer = null;
        if (hold != null) {
            hold.end();
            hold = null;
        }
    }
}
