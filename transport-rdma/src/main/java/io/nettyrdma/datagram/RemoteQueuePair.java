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

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * A queue pair of a peer: its key, if it is known, what waits to be sent there, and what is in flight.
 *
 * <pre>
 *   READY --a datagram found no receive, as often as it was repeated--&gt; NOT_READY
 *     ^                                                                    |
 *     +--------------------- a datagram has arrived -----------------------+
 * </pre>
 *
 * While it is NOT_READY one datagram at a time is sent, to find out, and the others fail at once: a peer that does not
 * read must not hold what is meant for others. Belongs to the event loop.
 */
final class RemoteQueuePair {

    private enum State { READY, NOT_READY }

    private final PeerHandle peer;
    private final ArrayDeque<OutgoingDatagram> waiting = new ArrayDeque<>(2);
    private State state = State.READY;
    private int inFlight;
    /** Whether it is among those that are served in turn. */
    private boolean inTurn;
    /** {@code null} if no holder names its key. */
    private DatagramAddress known;
    private int holders;
    /** Those of the holders that name its key. */
    private int namers;
    /** Those that {@link #release} may end. */
    private final List<PeerHold> prepared = new ArrayList<>(1);

    RemoteQueuePair(PeerHandle peer) {
        this.peer = peer;
    }

    PeerHandle peer() {
        return peer;
    }

    // ---- what is sent ----

    /** Whether a datagram would neither be sent nor find anything out. */
    boolean refuses() {
        return state == State.NOT_READY && (inFlight > 0 || !waiting.isEmpty());
    }

    /**
     * Whether it may have another datagram in flight. It has fewer than there are free entries, and so leaves as many
     * as it takes: of 128 entries one that does not read holds 64, the next 32, and seven of them leave one.
     *
     * @param free entries of the send queue.
     */
    boolean mayTake(int free) {
        return state == State.READY ? inFlight < free : inFlight == 0 && free > 0;
    }

    /** The datagram waits for its turn. */
    void add(OutgoingDatagram datagram) {
        waiting.add(datagram);
        peer.use();
    }

    boolean hasWaiting() {
        return !waiting.isEmpty();
    }

    /** The next that waits; {@code null} if there is none. */
    OutgoingDatagram next() {
        OutgoingDatagram next = waiting.poll();
        if (next != null) {
            peer.unuse();
        }
        return next;
    }

    /** A work request is posted. */
    void begin() {
        inFlight++;
        peer.use();
    }

    /** A work request has ended. */
    void end() {
        inFlight--;
        peer.unuse();
    }

    void arrived() {
        state = State.READY;
    }

    void notReady() {
        state = State.NOT_READY;
    }

    /** @return whether this is a change. */
    boolean inTurn(boolean isInTurn) {
        boolean changed = inTurn != isInTurn;
        inTurn = isInTurn;
        return changed;
    }

    // ---- who holds it ----

    /** The address with its key; {@code null} if the key is not known. */
    DatagramAddress known() {
        return known;
    }

    /**
     * Keeps the handle, and the key in mind if it is not 0, until {@link PeerHold#end}.
     *
     * @throws IllegalStateException if the queue pair is known with another key: one of the two is wrong.
     */
    PeerHold hold(DatagramAddress address) {
        if (address.queueKey() != 0) {
            if (known != null && known.queueKey() != address.queueKey()) {
                throw new IllegalStateException(address + " is known with another key");
            }
            known = address;
            namers++;
        }
        holders++;
        peer.use();
        return new PeerHold(this, address);
    }

    void endHold(DatagramAddress address) {
        holders--;
        peer.unuse();
        if (address.queueKey() != 0 && --namers == 0) {
            known = null;
        }
    }

    /** {@link #release} ends it. */
    void prepare(DatagramAddress address) {
        prepared.add(hold(address));
    }

    /** Ends one hold of {@link #prepare}, if there is one of this address. */
    void release(DatagramAddress address) {
        for (int i = 0; i < prepared.size(); i++) {
            if (prepared.get(i).address().equals(address)) {
                prepared.remove(i).end();
                return;
            }
        }
    }

    /** Whether nothing is lost if it is forgotten but that it was not ready. */
    boolean isIdle() {
        return inFlight == 0 && waiting.isEmpty() && holders == 0;
    }
}
