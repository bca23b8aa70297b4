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
package io.nettyrdma.link;

import io.nettyrdma.cm.CmId;
import io.nettyrdma.cm.CmPortSpace;
import io.nettyrdma.io.RdmaIoRegistration;
import io.nettyrdma.io.RdmaLoop;
import io.nettyrdma.verbs.VerbsException;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.Supplier;

/**
 * The ports from which one connect is attempted, each with an id of its own. On iWARP the connection manager chooses a
 * port that none of its ids uses. But over TCP another program, or a connection that was closed a moment ago, may use
 * it. Then another port is tried, as TCP would. Belongs to the event loop.
 */
final class ConnectPorts {

    /** If other sockets use a third of all ports, one of 6,000 connections finds no free one. */
    private static final int MOST = 8;

    private final RdmaIoRegistration registration;
    private final Supplier<LinkConfig> config;
    private final InetSocketAddress remote;
    /** The id with the port that the channel has bound; {@code null} if it was tried, or none was bound. */
    private CmId bound;
    /** Whether the connection manager chooses the port of the attempt. */
    private boolean isChosen;
    /** Ports that may still be tried. */
    private int left;

    /** @param address {@code null} leaves the port open; its id belongs to the caller of {@link #next}. */
    ConnectPorts(RdmaIoRegistration registration, Supplier<LinkConfig> config, InetSocketAddress remote,
                 CmBoundAddress address) {
        this.registration = registration;
        this.config = config;
        this.remote = remote;
        bound = address == null ? null : address.id();
        left = address == null ? MOST : 1;
    }

    /** An id for the next attempt, which the caller owns. Its events come to the registration. */
    CmId next() throws IOException {
        RdmaLoop loop = registration.loop();
        isChosen = bound == null;
        CmId id = isChosen ? CmId.create(loop.cmEventChannel(), CmPortSpace.TCP) : bound;
        bound = null;
        left--;
        loop.attach(id, registration);
        return id;
    }

    /** Begins the attempt with the {@link #next} id. ADDR_RESOLVED follows, or a failure. */
    void begin(CmId id) throws IOException {
        LinkConfig settings = config.get();
        if (settings.trafficClass() != 0) {
            id.typeOfService(settings.trafficClass());
        }
        if (isChosen) {
            id.reuseAddress(settings.reusesAddress());
        }
        ConnectionSetup.setAckTimeout(id, settings);
        try {
            id.resolveAddress(null, remote, Handshake.STEP_TIMEOUT_MILLIS);
        } catch (VerbsException e) {
            throw LinkErrors.addressFailure(e);
        }
    }

    /** Whether another port may do what this one could not. */
    boolean mayTryAnother(VerbsException failure) {
        return failure.isAddressInUse() && left > 0;
    }
}
