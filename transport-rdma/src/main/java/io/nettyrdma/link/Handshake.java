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

import io.netty.channel.EventLoop;
import io.nettyrdma.cm.CmEvent;
import io.nettyrdma.cm.CmEventType;
import io.nettyrdma.cm.CmId;
import io.nettyrdma.io.ConnectRequests;
import io.nettyrdma.io.RdmaIoRegistration;
import io.nettyrdma.io.RdmaLoop;
import io.nettyrdma.protocol.ConnectData;
import io.nettyrdma.protocol.ProtocolException;
import io.nettyrdma.protocol.RejectReason;
import io.nettyrdma.stream.StreamInput;
import io.nettyrdma.stream.StreamListener;
import io.nettyrdma.verbs.VerbsException;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Leads from an address, or a connection request, to an open connection. Each call is a step; events bring the next.
 *
 * <pre>
 *   active                                        passive
 *     bind, resolve the address                     the request's id moves to this loop
 *   ADDR_RESOLVED                                   queue pair, receives posted
 *     queue pair, receives posted                   accept with our connection data
 *     resolve the route                           ESTABLISHED
 *   ROUTE_RESOLVED                                  open
 *     connect with our connection data
 *   CONNECT_RESPONSE (ESTABLISHED on iWARP)
 *     open
 * </pre>
 *
 * Owns the id until there is a connection, which owns it from then on. Belongs to the event loop.
 */
final class Handshake {

    /** Receives the connection. */
    interface Owner {

        /** The queue pair and its receives exist, and the connection is not open yet. The owner has to close it. */
        void connectionCreated(CmConnection connection);
    }

    /** The kernel requires a timeout for each step. The channel enforces the connect timeout. */
    static final int STEP_TIMEOUT_MILLIS = 60_000;
    /** The call that fails if the peer has left. On iWARP no earlier call does. */
    private static final String ACCEPT = "rdma_accept";

    private final RdmaLoop loop;
    private final RdmaIoRegistration registration;
    private final EventLoop eventLoop;
    private final Supplier<LinkConfig> config;
    private final StreamInput input;
    private final StreamListener listener;
    private final Owner owner;
    /** {@code null} while the connection owns it. */
    private CmId id;
    /** {@code null} before the device is known. */
    private CmConnection connection;
    /** {@code null} unless this side connects. */
    private ConnectPorts ports;
    /** {@code null} before the route is resolved, and if the peer connects. */
    private ConnectRequests.Request request;
    /** The peer's connection data; {@code null} before it has arrived. */
    private ConnectData peer;
    /** The channel is closed: steps that wait for their turn are dropped. */
    private boolean cancelled;
    private Consumer<Throwable> onFailure;

    /** @param id of a request; {@code null} to connect. */
    Handshake(RdmaIoRegistration registration, EventLoop eventLoop, Supplier<LinkConfig> config, StreamInput input,
              StreamListener listener, Owner owner, CmId id) {
        this.registration = registration;
        this.eventLoop = eventLoop;
        loop = registration.loop();
        this.config = config;
        this.input = input;
        this.listener = listener;
        this.owner = owner;
        this.id = id;
    }

    /** {@code null} before there is an id. Any thread. */
    InetSocketAddress localAddress() {
        CmId now = id();
        return now == null ? null : now.localAddress();
    }

    /** {@code null} before there is an id. Any thread. */
    InetSocketAddress peerAddress() {
        CmId now = id();
        return now == null ? null : now.peerAddress();
    }

    private CmId id() {
        CmId own = id;
        return own != null || connection == null ? own : connection.id();
    }

    /**
     * @param bound owned by this handshake from now on; {@code null} leaves the address open.
     * @param onFailure called if a step fails after this returns; failures of {@link #onEvent} are thrown there.
     */
    void connect(CmBoundAddress bound, InetSocketAddress remote, Consumer<Throwable> onFailure) throws IOException {
        this.onFailure = onFailure;
        ports = new ConnectPorts(registration, config, remote, bound);
        begin();
    }

    /**
     * Resolves the address in its turn: a program may connect thousands of channels in one task, and the loop takes no
     * answer meanwhile.
     */
    private void begin() throws IOException {
        id = ports.next();
        loop.enqueueStep(() -> {
            try {
                if (!cancelled) {
                    ports.begin(id);
                }
            } catch (Throwable t) {
                onFailure.accept(t);
            }
        });
    }

    /**
     * Accepts in this request's turn: creating a queue pair takes milliseconds, and the loop has other connections.
     *
     * @param onFailure called if resources are short, which the peer is notified of, or if the peer has left.
     */
    void accept(CmRequest request, Consumer<Throwable> onFailure) {
        loop.enqueueStep(() -> {
            try {
                if (!cancelled) {
                    acceptNow(request);
                }
            } catch (Throwable t) {
                onFailure.accept(t);
            }
        });
    }

    private void acceptNow(CmRequest request) throws IOException {
        CmId requested = id;
        if (request.isAbandoned()) {
            // Other requests had their turns in the meantime. No queue pair is created for this one.
            throw LinkErrors.abandoned(requested.peerAddress());
        }
        try {
            loop.migrate(requested, registration);
            ConnectionSetup.setAckTimeout(requested, config.get());
            peer = request.data();
            makeConnection();
            connection.accept(request.event(), peer);
        } catch (Throwable e) {
            if (e instanceof VerbsException failed && (failed.call().equals(ACCEPT) || !requested.mayAccept())) {
                ConnectException abandoned = LinkErrors.abandoned(requested.peerAddress());
                abandoned.initCause(failed);
                throw abandoned;
            }
            // The details of what is missing are for our own log.
            CmRequest.reject(requested, RejectReason.RESOURCES, "the server cannot take another connection now");
            throw e;
        }
    }

    private void makeConnection() throws IOException {
        connection = new CmConnection(registration, eventLoop, id, config.get(), input, listener);
        id = null;
        owner.connectionCreated(connection);
    }

    /**
     * Takes the next step.
     *
     * @return whether the connection is open now.
     * @throws IOException if the connection cannot be established.
     */
    boolean onEvent(CmEvent event) throws IOException {
        if (event.type() != CmEventType.ADDR_RESOLVED && event.type() != CmEventType.ROUTE_RESOLVED) {
            endRequest();
        }
        if (event.type().isFailure()) {
            throw LinkErrors.connectFailure(event);
        }
        switch (event.type()) {
        case ADDR_RESOLVED:
            if (connection == null) {
                makeConnection();
            } else {
                connection.moveTo(id);
                id = null;
            }
            resolveRoute();
            return false;
        case ROUTE_RESOLVED:
            request = loop.connectRequests().of(connection.id().peerAddress(), this::sendRequest);
            request.begin();
            return false;
        case CONNECT_RESPONSE:
            peer = peerData(event);
            connection.establish(event, peer);
            return true;
        case ESTABLISHED:
            if (peer == null) {
                peer = peerData(event);
            }
            connection.established(peer);
            return true;
        case DISCONNECTED:
            if (peer == null) {
                throw LinkErrors.disconnected(connection.id().peerAddress());
            }
            // The event that reports the connection was overtaken or lost. It was open, and the peer has ended it.
            connection.established(peer);
            return true;
        default:
            return false;
        }
    }

    /**
     * Passive side: a frame has arrived, so the peer is connected, whatever the connection manager knows. Notifies the
     * connection manager, because otherwise it would not end the connection in order.
     */
    void confirm() throws IOException {
        try {
            connection.id().notifyEstablished();
        } catch (VerbsException e) {
            LinkErrors.LOGGER.debug("{} knows it already", connection.id(), e);
        }
        connection.established(peer);
    }

    private void sendRequest() {
        if (cancelled) {
            return;
        }
        try {
            connection.connect(this::connectReturned);
        } catch (Throwable t) {
            onFailure.accept(t);
        }
    }

    private void endRequest() {
        if (request != null) {
            request.end();
        }
    }

    private void connectReturned(Throwable failure) {
        if (failure instanceof VerbsException call) {
            try {
                refused(call);
            } catch (IOException e) {
                onFailure.accept(e);
            }
        } else if (failure != null) {
            onFailure.accept(failure);
        }
    }

    /**
     * Tries another port if that may help. The queue pair is kept: at its end siw would flush its receives, whose
     * completions have the same ids as those of the next one.
     */
    private void refused(VerbsException failure) throws IOException {
        if (!ports.mayTryAnother(failure)) {
            throw LinkErrors.addressFailure(failure);
        }
        endRequest();
        connection.closeId();
        begin();
    }

    private void resolveRoute() throws IOException {
        try {
            connection.id().resolveRoute(STEP_TIMEOUT_MILLIS);
        } catch (VerbsException e) {
            throw LinkErrors.addressFailure(e);
        }
    }

    /** Rejects and gives up a peer that accepts without connection data of our protocol. */
    private ConnectData peerData(CmEvent event) throws IOException {
        try {
            return ConnectData.decode(event.privateData());
        } catch (ProtocolException e) {
            CmRequest.reject(connection.id(), RejectReason.NOT_OURS, e.getMessage());
            throw LinkErrors.badAnswer(connection.id().peerAddress(), e);
        }
    }

    /** The channel is closed: no further step is begun. */
    void cancel() {
        cancelled = true;
    }

    /** Whether this side connects. */
    boolean connects() {
        return ports != null;
    }

    /** Whether a frame of the peer opens the connection, see {@link #confirm}. */
    boolean isAccepting() {
        return ports == null && connection != null;
    }

    /** Call when the loop dispatches nothing to the channel any more. Closes the id if no connection owns it. */
    void close() {
        cancelled = true;
        endRequest();
        if (id != null) {
            loop.close(id);
            id = null;
        }
    }
}
