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

import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaCounters;
import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.WorkCompletion;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.function.Function;

/**
 * The datagrams, writes and reads that were flushed, until they end. They leave in the order of the flush, but for
 * those that have to wait, which others overtake:
 *
 * <pre>
 *   flushed --+--&gt; waits for the peer's address handle --+
 *             |                                          |
 *             +--&gt; waits for its recipient's turn &lt;------+
 *             |              |
 *             +--------------+--&gt; in flight --&gt; ended
 *             |
 *             +--&gt; refused: its recipient is not ready --&gt; ended, in the next turn of the loop
 * </pre>
 *
 * Recipients take turns, and each may have as many in flight as it leaves entries free ({@link
 * RemoteQueuePair#mayTake}). Belongs to the event loop.
 */
final class DatagramOutput {

    private static final String NOT_READY =
            "the recipient's program does not read. It was not sent: another datagram finds out whether that has ended";

    private final SendTable sends;
    private final PeerHandles peers;
    private final RdmaCounters counters;
    /** For recipients whose key is not known. */
    private final int queueKey;
    private final Runnable revisit;
    private final Turns turns = new Turns();
    private final ArrayDeque<OutgoingDatagram> refused = new ArrayDeque<>();
    private boolean paused;
    private int pending;
    private long pendingBytes;

    /** @param revisit asks the loop to come back, and call {@link #endRefused}, before it sleeps. */
    DatagramOutput(SendTable sends, PeerHandles peers, RdmaCounters counters, int queueKey, Runnable revisit) {
        this.sends = sends;
        this.peers = peers;
        this.counters = counters;
        this.queueKey = queueKey;
        this.revisit = revisit;
    }

    /** Datagrams that have not ended. */
    int pending() {
        return pending;
    }

    /** Bytes of the datagrams that have not ended. */
    long pendingBytes() {
        return pendingBytes;
    }

    int inFlight() {
        return sends.inFlight();
    }

    /** Takes a datagram over. */
    void take(OutgoingDatagram datagram) throws VerbsException {
        pending++;
        pendingBytes += datagram.length();
        PeerHandle peer = peers.get(datagram.recipient().gid());
        if (peer == null) {
            end(datagram, new DatagramException(datagram, DatagramFailure.NOT_POSTED,
                    PeerHandles.NO_HANDLE, null));
            return;
        }
        RemoteQueuePair recipient = peer.queuePair(datagram.recipient().queuePairNumber());
        datagram.to(recipient);
        if (recipient.refuses()) {
            refuse(datagram);
        } else if (!peer.isReady()) {
            recipient.add(datagram);
        } else if (recipient.hasWaiting() || !maySend(recipient)) {
            recipient.add(datagram);
            turns.add(recipient);
        } else {
            send(datagram);
        }
    }

    private boolean maySend(RemoteQueuePair recipient) {
        return !paused && recipient.mayTake(sends.free());
    }

    private void send(OutgoingDatagram datagram) throws VerbsException {
        int key = datagram.recipient().queueKey();
        try {
            sends.add(datagram, key == 0 ? queueKey : key);
        } catch (IOException | RuntimeException e) {
            end(datagram, new DatagramException(datagram, DatagramFailure.NOT_POSTED, "it could not be copied", e));
            return;
        }
        peers.used(datagram.to().peer());
        datagram.to().begin();
        if (sends.isBatchFull()) {
            sends.post();
        }
    }

    /** Sends what waited and may go now, and posts it. */
    void sendWaiting() throws VerbsException {
        OutgoingDatagram next = nextWaiting();
        while (next != null) {
            send(next);
            next = nextWaiting();
        }
        sends.post();
    }

    private OutgoingDatagram nextWaiting() {
        return paused || sends.free() == 0 ? null : turns.next(sends.free());
    }

    /** A flush is over: counts what it has left behind for want of entries. */
    void flushed() {
        if (!turns.isEmpty()) {
            counters.increment(RdmaCounter.FLUSHES_WITH_FULL_QUEUE);
        }
    }

    /** The queue pair sends nothing until {@link #resume}. */
    void pause() {
        paused = true;
    }

    void resume() {
        paused = false;
    }

    boolean isPaused() {
        return paused;
    }

    // ---- ends ----

    void completed(int entry, WorkCompletion completion) {
        sends.completed(entry, completion);
    }

    /** The device has no work request of the datagram any more. */
    void sendEnded(OutgoingDatagram datagram, DatagramException failure) {
        RemoteQueuePair recipient = datagram.to();
        recipient.end();
        if (failure == null) {
            recipient.arrived();
        } else if (failure.failure() == DatagramFailure.NOT_READY) {
            counters.increment(RdmaCounter.RECIPIENTS_NOT_READY);
            recipient.notReady();
            refuseWaiting(recipient);
        }
        end(datagram, failure);
    }

    private void refuseWaiting(RemoteQueuePair recipient) {
        for (OutgoingDatagram each = recipient.next(); each != null; each = recipient.next()) {
            refuse(each);
        }
    }

    private void refuse(OutgoingDatagram datagram) {
        counters.increment(RdmaCounter.RECIPIENTS_NOT_READY);
        refused.add(datagram);
        revisit.run();
    }

    /**
     * Ends what was refused before this turn of the loop. A program that tries again at once, in the listener, must not
     * keep the loop from what makes its recipient ready.
     */
    void endRefused() {
        for (int i = refused.size(); i > 0; i--) {
            OutgoingDatagram each = refused.remove();
            end(each, new DatagramException(each, DatagramFailure.NOT_READY, NOT_READY, null));
        }
    }

    /** The only end of a datagram that was taken. */
    private void end(OutgoingDatagram datagram, DatagramException failure) {
        pending--;
        pendingBytes -= datagram.length();
        if (failure == null) {
            datagram.succeeded();
        } else {
            datagram.failed(failure);
        }
    }

    /** The queue pair is destroyed, or the device fails to destroy it: then the memory is never released. */
    void close(boolean destroyed) {
        ClosedChannelException cause = new ClosedChannelException();
        for (PeerHandle peer : peers.all()) {
            endWaiting(peer, each -> closed(each, cause));
        }
        turns.clear();
        endRefused();
        if (destroyed) {
            sends.release(each -> closed(each, cause));
        } else {
            sends.abandon(each -> closed(each, cause));
        }
    }

    private static DatagramException closed(OutgoingDatagram datagram, Throwable cause) {
        return new DatagramException(datagram, DatagramFailure.CLOSED, "the channel is closed", cause);
    }

    // ---- address handles ----

    /** The handle exists. */
    void ready(PeerHandle peer) {
        for (RemoteQueuePair recipient : peer.queuePairs()) {
            if (recipient.hasWaiting()) {
                turns.add(recipient);
            }
        }
    }

    /** There is no handle. */
    void failed(PeerHandle peer, Throwable cause) {
        endWaiting(peer, each -> new DatagramException(each, DatagramFailure.NOT_POSTED, PeerHandles.NOT_CREATED,
                cause));
    }

    private void endWaiting(PeerHandle peer, Function<OutgoingDatagram, DatagramException> failure) {
        for (RemoteQueuePair recipient : peer.queuePairs()) {
            for (OutgoingDatagram each = recipient.next(); each != null; each = recipient.next()) {
                end(each, failure.apply(each));
            }
        }
    }
}
