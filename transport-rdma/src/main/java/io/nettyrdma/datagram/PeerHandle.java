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

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The address handle of a GID, the datagrams that need it, and the addresses that are known there. Belongs to the event
 * loop, except {@link #create}.
 */
final class PeerHandle {

    /** An address that {@link #hold} has named, and by how many calls. */
    private static final class Known {

        private final DatagramAddress address;
        private int holders;

        Known(DatagramAddress address) {
            this.address = address;
        }
    }

    private static final int NO_NUMBER = -1;

    private final Gid gid;
    /** Datagrams that came before the handle. */
    private final ArrayDeque<OutgoingDatagram> waiting = new ArrayDeque<>();
    /** Written by the thread that creates it, before the loop is told; the loop does not read it earlier. */
    private AddressHandle created;
    /** Of the handle; written with it. */
    private int number = NO_NUMBER;
    /** {@code null} until the loop is told. */
    private AddressHandle handle;
    /** By queue pair number. */
    private final IntObjectMap<Known> known = new IntObjectHashMap<>(2);
    /** Those who want to know that the handle exists. */
    private final List<Promise<Void>> awaiting = new ArrayList<>();
    private int inFlight;
    /** Those who keep the handle. */
    private int holders;
    private long lastUse;
    private boolean retried;

    PeerHandle(Gid gid) {
        this.gid = gid;
    }

    Gid gid() {
        return gid;
    }

    /**
     * May block: on EFA it is a command to the adapter.
     *
     * @param numbered whether the device names senders by the handle's number.
     */
    void create(ProtectionDomain domain, DatagramPort port, boolean numbered) throws VerbsException {
        AddressHandle made = domain.createAddressHandle(port.wayTo(gid));
        try {
            number = numbered ? made.number() : NO_NUMBER;
        } catch (VerbsException e) {
            made.close();
            throw e;
        }
        created = made;
    }

    /** The loop is told that {@link #create} has returned. */
    void exists() {
        handle = created;
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

    AddressHandle handle() {
        return handle;
    }

    ArrayDeque<OutgoingDatagram> waiting() {
        return waiting;
    }

    /** Keeps the handle, and knows the address, until {@link #letGo}. The promise is done when the handle exists. */
    void hold(DatagramAddress address, Promise<Void> exists) {
        holders++;
        Known entry = known.get(address.queuePairNumber());
        if (entry == null || !entry.address.equals(address)) {
            // Another key: the number belongs to another queue pair by now.
            entry = new Known(address);
            known.put(address.queuePairNumber(), entry);
        }
        entry.holders++;
        if (handle == null) {
            awaiting.add(exists);
        } else {
            exists.setSuccess(null);
        }
    }

    void letGo(DatagramAddress address) {
        holders--;
        Known entry = known.get(address.queuePairNumber());
        if (entry != null && entry.address.equals(address) && --entry.holders == 0) {
            known.remove(address.queuePairNumber());
        }
    }

    /** The address of a queue pair there, with its key; {@code null} if {@link #hold} has not named it. */
    DatagramAddress known(int queuePairNumber) {
        Known entry = known.get(queuePairNumber);
        return entry == null ? null : entry.address;
    }

    /** @param failure {@code null} if the handle exists. */
    void tell(Throwable failure) {
        for (Promise<Void> each : List.copyOf(awaiting)) {
            if (failure == null) {
                each.setSuccess(null);
            } else {
                each.setFailure(failure);
            }
        }
        awaiting.clear();
    }

    /** A work request refers to the handle. */
    void begin(long use) {
        inFlight++;
        lastUse = use;
    }

    void end() {
        inFlight--;
    }

    boolean isIdle() {
        return inFlight == 0 && holders == 0 && waiting.isEmpty();
    }

    long lastUse() {
        return lastUse;
    }
}
