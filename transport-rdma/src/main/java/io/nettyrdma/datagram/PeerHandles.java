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

import io.netty.util.concurrent.Promise;
import io.nettyrdma.jni.Errno;
import io.nettyrdma.verbs.Gid;
import io.nettyrdma.verbs.ProtectionDomain;
import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.WorkCompletion;

import java.nio.channels.ClosedChannelException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The address handles of a channel, one for each GID that it sends to. Devices limit their number, and creating one may
 * be a command to the adapter that takes a millisecond. So they are kept, the least recently used idle one makes room
 * for another, and {@link HandleCalls} makes the calls outside of the loop:
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
final class PeerHandles implements HandleCalls.Listener {

    /** Gets the outcome of a creation, on the loop. */
    interface Listener {

        void ready(PeerHandle peer);

        /** The peer is forgotten: the next datagram to it creates a handle again. */
        void failed(PeerHandle peer, Throwable cause);

        /** A call has returned, and {@link #calls} may be lower. */
        void returned();
    }

    static final String NO_HANDLE = "all address handles are in use, as many as the option MAX_PEERS allows";
    static final String NOT_CREATED = "its address handle could not be created";

    private final HandleCalls calls;
    private final int maxPeers;
    private final Listener listener;
    private final Map<Gid, PeerHandle> byGid = new HashMap<>();
    private long uses;

    /**
     * @param numbered whether completions name senders by the numbers of handles.
     * @param maxPeers maximum of handles.
     */
    PeerHandles(HandleLoop loop, ProtectionDomain domain, DatagramPort port, boolean numbered, int maxPeers,
                Listener listener) {
        this.maxPeers = maxPeers;
        this.listener = listener;
        calls = new HandleCalls(loop, domain, port, numbered, this);
    }

    /**
     * Finds the peer, or begins to create its handle: {@link PeerHandle#handle} is {@code null} until the listener is
     * notified.
     *
     * @return {@code null} if there are as many handles as allowed, and all are in use.
     */
    PeerHandle get(Gid gid) {
        PeerHandle peer = byGid.get(gid);
        if (peer == null && (byGid.size() < maxPeers || evict())) {
            peer = new PeerHandle(gid);
            byGid.put(gid, peer);
            calls.create(peer);
        }
        return peer;
    }

    /** Handles that there may be. */
    int maxPeers() {
        return maxPeers;
    }

    /** The GID of the sender of a datagram: {@link HandleCalls#sender}. */
    Gid sender(WorkCompletion completion) {
        return calls.sender(completion);
    }

    /** The address of a queue pair, with its key if it is known. */
    DatagramAddress address(Gid gid, int queuePairNumber) {
        PeerHandle peer = byGid.get(gid);
        RemoteQueuePair found = peer == null ? null : peer.find(queuePairNumber);
        return found == null || found.known() == null ? new DatagramAddress(gid, queuePairNumber, 0) : found.known();
    }

    /**
     * Makes a handle, and keeps it and the key until {@link #release}. The promise is done when the handle exists, or
     * fails.
     */
    void prepare(DatagramAddress address, Promise<Void> exists) {
        PeerHandle peer = peerFor(address, exists);
        if (peer != null) {
            await(peer, address, exists, () -> {
                peer.queuePair(address.queuePairNumber()).prepare(address);
                return null;
            });
        }
    }

    /** As {@link #prepare}, until the hold is ended. */
    void hold(DatagramAddress address, Promise<PeerHold> exists) {
        PeerHandle peer = peerFor(address, exists);
        if (peer != null) {
            await(peer, address, exists, () -> peer.queuePair(address.queuePairNumber()).hold(address));
        }
    }

    private PeerHandle peerFor(DatagramAddress address, Promise<?> exists) {
        PeerHandle peer = get(address.gid());
        if (peer == null) {
            exists.setFailure(new DatagramException(address, NO_HANDLE, null));
        }
        return peer;
    }

    private static <T> void await(PeerHandle peer, DatagramAddress address, Promise<T> exists, Supplier<T> holder) {
        T value;
        try {
            value = holder.get();
        } catch (IllegalStateException e) {
            exists.setFailure(e);
            return;
        }
        peer.await(address, exists, value);
    }

    /** Ends one {@link #prepare} of this address, if there was one. */
    void release(DatagramAddress address) {
        PeerHandle peer = byGid.get(address.gid());
        RemoteQueuePair queuePair = peer == null ? null : peer.find(address.queuePairNumber());
        if (queuePair != null) {
            queuePair.release(address);
        }
    }

    /** The handle is used: others are forgotten before it. */
    void used(PeerHandle peer) {
        peer.used(++uses);
    }

    @Override
    public void created(PeerHandle peer, Throwable failure) {
        if (failure == null) {
            listener.ready(peer);
            peer.completeWaiting(null);
        } else if (!isTableFull(failure) || !peer.mayRetry() || !evict()) {
            byGid.remove(peer.gid());
            listener.failed(peer, failure);
            peer.completeWaiting(failure);
        } else {
            calls.createAgain(peer);
        }
    }

    private static boolean isTableFull(Throwable failure) {
        return failure instanceof VerbsException e && e.errno() == Errno.ENOMEM;
    }

    /** Forgets the least recently used idle handle. Returns false if none is idle. */
    private boolean evict() {
        PeerHandle oldest = null;
        for (PeerHandle each : byGid.values()) {
            if (each.isIdle() && each.isReady() && (oldest == null || each.lastUse() < oldest.lastUse())) {
                oldest = each;
            }
        }
        if (oldest == null) {
            return false;
        }
        byGid.remove(oldest.gid());
        calls.destroy(oldest);
        return true;
    }

    @Override
    public void returned() {
        listener.returned();
    }

    /** Call when completions were handed out. */
    void advance() {
        calls.advance();
    }

    /** Calls that have not returned. */
    int calls() {
        return calls.calls();
    }

    /** No work request refers to a handle any more: the queue pair is destroyed. Nothing waits for one either. */
    void close() {
        ClosedChannelException cause = new ClosedChannelException();
        List.copyOf(byGid.values()).forEach(peer -> peer.completeWaiting(cause));
        calls.close(byGid.values().stream().filter(peer -> peer.isReady()).toList());
        byGid.clear();
    }

    /** All peers, to fail what waits for them. */
    Iterable<PeerHandle> all() {
        return byGid.values();
    }
}
