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

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.io.RdmaLoop;
import io.nettyrdma.jni.Errno;
import io.nettyrdma.verbs.AddressHandle;
import io.nettyrdma.verbs.Gid;
import io.nettyrdma.verbs.ProtectionDomain;
import io.nettyrdma.verbs.VerbsException;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The address handles of a channel, one for each GID that it sends to. Devices limit their number, and creating one may
 * be a command to the adapter that takes a millisecond. So they are kept, the least recently used idle one makes room
 * for another, and the calls are made outside of the loop:
 *
 * <pre>
 *   absent --first datagram--&gt; CREATING --&gt; READY --least recently used, or the channel is closed--&gt; DESTROYED
 *                                  |
 *                                  +--failed--&gt; absent, and the datagrams that waited fail
 * </pre>
 *
 * All programs on a device share its handles. If it has none left, the oldest idle one of this channel makes room, once
 * for each handle that is wanted.
 *
 * Belongs to the event loop.
 */
final class PeerHandles {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(PeerHandles.class);

    /** Gets the outcome of a creation, on the loop. */
    interface Listener {

        void ready(PeerHandle peer);

        /** The peer is forgotten: the next datagram to it begins anew. */
        void failed(PeerHandle peer, Throwable cause);

        /** A call has returned, and {@link #calls} is lower. */
        void returned();
    }

    private final RdmaLoop loop;
    private final ProtectionDomain domain;
    private final DatagramPort port;
    /** {@code null} if the device names senders in another way. */
    private final AddressNumbers numbers;
    private final int most;
    private final Listener listener;
    private final Map<Gid, PeerHandle> byGid = new HashMap<>();
    private long uses;
    private int calls;
    private boolean closed;

    /**
     * @param numbers where the numbers of the handles are noted; {@code null} if nobody needs them.
     * @param most maximum of handles.
     */
    PeerHandles(RdmaLoop loop, ProtectionDomain domain, DatagramPort port, AddressNumbers numbers, int most,
                Listener listener) {
        this.loop = loop;
        this.domain = domain;
        this.port = port;
        this.numbers = numbers;
        this.most = most;
        this.listener = listener;
    }

    /**
     * Finds the peer, or begins to create its handle: {@link PeerHandle#handle} is {@code null} until the listener is
     * told.
     *
     * @return {@code null} if there are as many handles as allowed, and all are in use.
     */
    PeerHandle get(Gid gid) {
        PeerHandle peer = byGid.get(gid);
        if (peer == null && (byGid.size() < most || evict())) {
            peer = new PeerHandle(gid);
            byGid.put(gid, peer);
            create(peer, null);
        }
        return peer;
    }

    /** The peer with this GID; {@code null} if it is not known. */
    PeerHandle find(Gid gid) {
        return byGid.get(gid);
    }

    /** The address of a queue pair, with its key if it is known. */
    DatagramAddress address(Gid gid, int queuePairNumber) {
        PeerHandle peer = byGid.get(gid);
        DatagramAddress known = peer == null ? null : peer.known(queuePairNumber);
        return known == null ? new DatagramAddress(gid, queuePairNumber, 0) : known;
    }

    /** A work request to the peer is posted. */
    void begin(PeerHandle peer) {
        peer.begin(++uses);
    }

    /** @param evicted the handle that makes room for it, and is destroyed first; {@code null} if there is room. */
    private void create(PeerHandle peer, AddressHandle evicted) {
        calls++;
        loop.blocking(() -> {
            if (evicted != null) {
                close(evicted);
            }
            peer.create(domain, port, numbers != null);
        }, failure -> created(peer, evicted != null, failure));
    }

    private void created(PeerHandle peer, boolean hasEvicted, Throwable failure) {
        calls--;
        PeerHandle idle = !hasEvicted && !closed && isTableFull(failure) ? oldestIdle() : null;
        if (idle != null) {
            forget(idle);
            create(peer, idle.handle());
            return;
        }
        if (failure == null) {
            peer.exists();
        }
        if (failure != null) {
            byGid.remove(peer.gid());
            listener.failed(peer, failure);
        } else if (closed) {
            destroy(List.of(peer.handle()));
        } else {
            if (numbers != null) {
                numbers.add(peer.number(), peer.gid());
            }
            listener.ready(peer);
        }
        listener.returned();
    }

    private static boolean isTableFull(Throwable failure) {
        return failure instanceof VerbsException e && e.errno() == Errno.ENOMEM;
    }

    private boolean evict() {
        PeerHandle oldest = oldestIdle();
        if (oldest == null) {
            return false;
        }
        forget(oldest);
        destroy(List.of(oldest.handle()));
        return true;
    }

    /** {@code null} if none is idle. */
    private PeerHandle oldestIdle() {
        PeerHandle oldest = null;
        for (PeerHandle each : byGid.values()) {
            if (each.isIdle() && each.handle() != null && (oldest == null || each.lastUse() < oldest.lastUse())) {
                oldest = each;
            }
        }
        return oldest;
    }

    private void forget(PeerHandle peer) {
        byGid.remove(peer.gid());
        forgetNumber(peer);
    }

    private void forgetNumber(PeerHandle peer) {
        if (numbers != null) {
            numbers.remove(peer.number(), peer.gid());
        }
    }

    private void destroy(List<AddressHandle> handles) {
        calls++;
        loop.blocking(() -> handles.forEach(PeerHandles::close), failure -> {
            calls--;
            listener.returned();
        });
    }

    private static void close(AddressHandle handle) {
        try {
            handle.close();
        } catch (VerbsException e) {
            LOGGER.warn("{} is left", handle, e);
        }
    }

    /** Calls that have not returned. */
    int calls() {
        return calls;
    }

    /** No work request refers to a handle any more: the queue pair is destroyed. Nothing waits for one either. */
    void close() {
        closed = true;
        List<AddressHandle> handles = new ArrayList<>();
        for (PeerHandle peer : byGid.values()) {
            if (peer.handle() != null) {
                forgetNumber(peer);
                handles.add(peer.handle());
            }
        }
        if (!handles.isEmpty()) {
            destroy(handles);
        }
    }

    /** All peers, to fail what waits for them. */
    Iterable<PeerHandle> all() {
        return byGid.values();
    }
}
