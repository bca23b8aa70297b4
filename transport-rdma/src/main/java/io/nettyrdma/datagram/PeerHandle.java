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
import io.nettyrdma.verbs.AddressHandle;
import io.nettyrdma.verbs.Gid;
import io.nettyrdma.verbs.ProtectionDomain;
import io.nettyrdma.verbs.VerbsException;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** The address handle of a GID, and the datagrams that need it. Belongs to the event loop, except {@link #create}. */
final class PeerHandle {

    private final Gid gid;
    /** Datagrams that came before the handle. */
    private final ArrayDeque<OutgoingDatagram> waiting = new ArrayDeque<>();
    /** {@code null} until it is created. Written by the thread that creates it, before the loop is told. */
    private AddressHandle handle;
    /** Those who want to know that the handle exists. */
    private final List<Promise<Void>> awaiting = new ArrayList<>();
    private int inFlight;
    /** Those who keep the handle. */
    private int holders;
    private long lastUse;

    PeerHandle(Gid gid) {
        this.gid = gid;
    }

    Gid gid() {
        return gid;
    }

    /** May block: on EFA it is a command to the adapter. */
    void create(ProtectionDomain domain, DatagramPort port) throws VerbsException {
        handle = domain.createAddressHandle(port.wayTo(gid));
    }

    AddressHandle handle() {
        return handle;
    }

    ArrayDeque<OutgoingDatagram> waiting() {
        return waiting;
    }

    /** Keeps the handle until {@link #letGo}. The promise is done when it exists. */
    void hold(Promise<Void> exists) {
        holders++;
        if (handle == null) {
            awaiting.add(exists);
        } else {
            exists.setSuccess(null);
        }
    }

    void letGo() {
        holders--;
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
