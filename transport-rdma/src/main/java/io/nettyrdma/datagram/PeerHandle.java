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
import io.netty.util.concurrent.Promise;
import io.nettyrdma.verbs.AddressHandle;
import io.nettyrdma.verbs.Gid;
import io.nettyrdma.verbs.ProtectionDomain;
import io.nettyrdma.verbs.VerbsException;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The address handle of a GID, and the queue pairs there that this side has to do with. Belongs to the event loop,
 * except {@link #create}.
 */
final class PeerHandle {

    /** The promise of a call that waits until the handle exists, to send to this address. */
    private record Awaiting<T>(DatagramAddress address, Promise<T> exists, T value) {

        void complete(Throwable failure) {
            if (failure == null) {
                exists.setSuccess(value);
            } else {
                exists.setFailure(new DatagramException(address, PeerHandles.NOT_CREATED, failure));
            }
        }
    }

    private static final int NO_NUMBER = -1;
    /** As many as small adapters have. Beyond that the idle ones are forgotten. */
    private static final int QUEUE_PAIRS = 256;

    private final Gid gid;
    /** Written by the thread that creates it, before the loop is notified; the loop does not read it earlier. */
    private AddressHandle created;
    /** Of the handle; written with it. */
    private int number = NO_NUMBER;
    /** {@code null} until the loop is notified. */
    private AddressHandle handle;
    private boolean ready;
    private final IntObjectMap<RemoteQueuePair> queuePairs = new IntObjectHashMap<>(2);
    private final List<Awaiting<?>> awaiting = new ArrayList<>();
    /** Datagrams that wait or are in flight, and those who keep the handle. */
    private int users;
    private long lastUse;
    private boolean retried;

    PeerHandle(Gid gid) {
        this.gid = gid;
    }

    Gid gid() {
        return gid;
    }

    /**
     * May block: it may be a command to the adapter.
     *
     * @param numbered whether the device names senders by the handle's number.
     */
    void create(ProtectionDomain domain, DatagramPort port, boolean numbered) throws VerbsException {
        AddressHandle newHandle = domain.createAddressHandle(port.wayTo(gid));
        try {
            number = numbered ? newHandle.number() : NO_NUMBER;
        } catch (VerbsException e) {
            newHandle.close();
            throw e;
        }
        created = newHandle;
    }

    /** The loop is notified that {@link #create} has returned. */
    void exists() {
        handle = created;
        ready = true;
    }

    /** Whether its creation may be tried again. Returns true once. */
    boolean mayRetry() {
        boolean first = !retried;
        retried = true;
        return first;
    }

    /** The number by which the device names this peer as a sender. */
    int number() {
        return number;
    }

    /** Whether the handle exists. */
    boolean isReady() {
        return ready;
    }

    AddressHandle handle() {
        return handle;
    }

    /** A queue pair there. */
    RemoteQueuePair queuePair(int queuePairNumber) {
        RemoteQueuePair found = queuePairs.get(queuePairNumber);
        if (found == null) {
            if (queuePairs.size() >= QUEUE_PAIRS) {
                queuePairs.values().removeIf(RemoteQueuePair::isIdle);
            }
            found = new RemoteQueuePair(this);
            queuePairs.put(queuePairNumber, found);
        }
        return found;
    }

    /** {@code null} if this side has nothing to do with it. */
    RemoteQueuePair find(int queuePairNumber) {
        return queuePairs.get(queuePairNumber);
    }

    Collection<RemoteQueuePair> queuePairs() {
        return queuePairs.values();
    }

    /** The promise is done with this value when the handle exists, or fails. */
    <T> void await(DatagramAddress address, Promise<T> exists, T value) {
        if (!ready) {
            awaiting.add(new Awaiting<>(address, exists, value));
        } else {
            exists.setSuccess(value);
        }
    }

    /** @param failure {@code null} if the handle exists. */
    void completeWaiting(Throwable failure) {
        List<Awaiting<?>> waiting = List.copyOf(awaiting);
        awaiting.clear();
        waiting.forEach(each -> each.complete(failure));
    }

    void use() {
        users++;
    }

    void unuse() {
        users--;
    }

    /** @param use grows with each use of any handle. */
    void used(long use) {
        lastUse = use;
    }

    boolean isIdle() {
        return users == 0;
    }

    long lastUse() {
        return lastUse;
    }
}
