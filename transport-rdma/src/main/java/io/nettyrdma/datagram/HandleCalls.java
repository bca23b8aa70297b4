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

import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.verbs.Gid;
import io.nettyrdma.verbs.ProtectionDomain;
import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.WorkCompletion;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Makes the calls that create and destroy the address handles of a channel, on another thread, because they may be
 * commands to the adapter; and knows whose handle has which number. Where completions name senders by numbers, a number
 * must have one meaning for as long as a completion with it can be unread:
 *
 * <pre>
 *   the device:      ...... has handle 7 for A ......|...... has handle 7 for B ......
 *   create(A)  ==========|              destroy(A) =====|      create(B) =========|
 *   7 is A's   -------------------------------------------|  7 is B's -------------------
 *                                                         ^
 *                        all that had completed when destroy(A) returned is handed out
 * </pre>
 *
 * So there is one call at a time, and after one that ended a handle the next waits for older completions. A number that
 * is new belongs to the handle that is being created, because there is no other whose number is not known:
 *
 * <pre>
 *   IDLE --create--&gt; CREATING --succeeded--&gt; IDLE
 *                       |
 *                       +--failed------+
 *                                      v
 *   IDLE --destroy--&gt; DESTROYING --&gt; DRAINING --older completions are handed out--&gt; IDLE
 * </pre>
 *
 * Without numbers nothing waits for anything. Belongs to the event loop.
 */
final class HandleCalls {

    /** Gets the outcome of calls, on the loop. */
    interface Listener {

        /** @param failure {@code null} if the handle exists. */
        void created(PeerHandle peer, Throwable failure);

        /** A call has returned, and {@link #calls} may be lower. */
        void returned();
    }

    private enum State { IDLE, CREATING, DESTROYING, DRAINING }

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(HandleCalls.class);
    /** {@link WorkCompletion#sourceLid} of a sender for which there is no handle. */
    private static final int NO_HANDLE = 0xffff;
    /** {@link HandleLoop#rounds} after which all that had completed is handed out. */
    private static final int ROUNDS = 2;

    private final HandleLoop loop;
    private final ProtectionDomain domain;
    private final DatagramPort port;
    private final boolean numbered;
    private final Listener listener;
    private final ArrayDeque<PeerHandle> toCreate = new ArrayDeque<>();
    /** They come first: they make room. */
    private List<PeerHandle> toDestroy = new ArrayList<>();
    private final IntObjectMap<Gid> byNumber = new IntObjectHashMap<>();
    private State state = State.IDLE;
    /** The only one whose number may be unknown; {@code null} if there is none. */
    private PeerHandle creating;
    /** Their numbers are theirs until they are drained. */
    private List<PeerHandle> destroyed = List.of();
    /** Rounds at which DRAINING ends. */
    private long drained;
    private int running;
    private boolean closed;

    /** @param numbered whether completions name senders by the numbers of handles. */
    HandleCalls(HandleLoop loop, ProtectionDomain domain, DatagramPort port, boolean numbered,
                Listener listener) {
        this.loop = loop;
        this.domain = domain;
        this.port = port;
        this.numbered = numbered;
        this.listener = listener;
    }

    void create(PeerHandle peer) {
        toCreate.add(peer);
        begin();
    }

    /** Before all others that are to be created. */
    void createAgain(PeerHandle peer) {
        toCreate.addFirst(peer);
        begin();
    }

    /** No work request uses the handle any more. */
    void destroy(PeerHandle peer) {
        toDestroy.add(peer);
        begin();
    }

    /** Calls that have not returned, or have not begun. */
    int calls() {
        return running + toCreate.size() + toDestroy.size();
    }

    /**
     * The GID of the sender of a datagram; {@code null} if it is unknown.
     *
     * @param completion of a channel whose handles have numbers.
     */
    Gid sender(WorkCompletion completion) {
        int number = completion.sourceLid();
        if (number == NO_HANDLE) {
            return completion.sourceGid();
        }
        Gid known = byNumber.get(number);
        return known == null && creating != null ? creating.gid() : known;
    }

    private void begin() {
        while (state == State.IDLE && !toDestroy.isEmpty()) {
            beginDestroying();
        }
        while (state == State.IDLE && !toCreate.isEmpty()) {
            beginCreating(toCreate.remove());
        }
    }

    private void beginDestroying() {
        List<PeerHandle> peers = toDestroy;
        toDestroy = new ArrayList<>();
        enter(State.DESTROYING);
        running++;
        loop.blocking(() -> peers.forEach(HandleCalls::destroyNow), failure -> {
            running--;
            destroyed = peers;
            drain();
            listener.returned();
        });
    }

    private static void destroyNow(PeerHandle peer) {
        try {
            peer.handle().close();
        } catch (VerbsException e) {
            LOGGER.warn("{} is left open", peer.handle(), e);
        }
    }

    private void beginCreating(PeerHandle peer) {
        enter(State.CREATING);
        creating = peer;
        running++;
        loop.blocking(() -> peer.create(domain, port, numbered), failure -> created(peer, failure));
    }

    private void created(PeerHandle peer, Throwable failure) {
        running--;
        if (failure == null) {
            peer.exists();
            if (numbered) {
                byNumber.put(peer.number(), peer.gid());
            }
            creating = null;
            state = State.IDLE;
        } else {
            // It may have existed for a moment.
            drain();
        }
        if (closed && failure == null) {
            toDestroy.add(peer);
        } else {
            listener.created(peer, failure);
        }
        begin();
        listener.returned();
    }

    private void enter(State next) {
        if (numbered) {
            state = next;
        }
    }

    private void drain() {
        if (numbered) {
            state = State.DRAINING;
            drained = loop.rounds() + ROUNDS;
        }
        advance();
    }

    /** Call when completions were handed out: ends the wait for them. */
    void advance() {
        if (state != State.DRAINING) {
            return;
        }
        if (!closed && loop.rounds() < drained) {
            loop.revisit();
            return;
        }
        for (PeerHandle each : destroyed) {
            // One that could not be destroyed keeps its number.
            if (!each.handle().isOpen()) {
                byNumber.remove(each.number());
            }
        }
        destroyed = List.of();
        creating = null;
        state = State.IDLE;
        begin();
    }

    /** The queue pair is destroyed, and no datagram waits for a handle. Destroys all that there are. */
    void close(Collection<PeerHandle> handles) {
        closed = true;
        toCreate.clear();
        toDestroy.addAll(handles);
        advance();
        begin();
    }
}
