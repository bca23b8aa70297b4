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
package io.nettyrdma.testsuite.support;

import io.nettyrdma.cm.CmConnectionParameters;
import io.nettyrdma.cm.CmEvent;
import io.nettyrdma.cm.CmId;
import io.nettyrdma.cm.CmPortSpace;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * A listener on a free port and a client of it in one process, each with its own event channel. A test either takes
 * {@link #connected} or goes step by step: {@link #dial}, {@link #answer} and the methods of {@link CmSide}.
 */
public final class CmPair implements AutoCloseable {

    private static final int BACKLOG = 128;

    private final Closer closer = new Closer();
    private final RcSettings settings;
    private final CmEvents clientEvents;
    private final CmEvents serverEvents;
    private final CmId listener;
    private CmSide client;
    private CmSide server;

    /** Creates only the listener, at {@code address}, which must belong to the device under test. */
    public CmPair(InetAddress address, RcSettings settings) throws Exception {
        this.settings = settings;
        try {
            clientEvents = closer.add(new CmEvents());
            serverEvents = closer.add(new CmEvents());
            listener = serverEvents.listen(address, BACKLOG);
        } catch (Throwable e) {
            closer.closeAfter(e);
            throw e;
        }
    }

    public CmPair(InetAddress address) throws Exception {
        this(address, RcSettings.of(ApiVariant.preferred()));
    }

    public static CmPair connected(InetAddress address, RcSettings settings) throws Exception {
        CmPair pair = new CmPair(address, settings);
        try {
            pair.connect();
            return pair;
        } catch (Throwable e) {
            pair.closer.closeAfter(e);
            throw e;
        }
    }

    public static CmPair connected(InetAddress address) throws Exception {
        return connected(address, RcSettings.of(ApiVariant.preferred()));
    }

    public CmEvents clientEvents() {
        return clientEvents;
    }

    public CmEvents serverEvents() {
        return serverEvents;
    }

    public CmId listener() {
        return listener;
    }

    /** The most recent client. */
    public CmSide client() {
        return client;
    }

    /** The most recently accepted side. */
    public CmSide server() {
        return server;
    }

    /** Creates a client of the listener that is ready to connect, but does not connect. */
    public CmSide dial() throws Exception {
        return dial(listener.localAddress());
    }

    /** Creates a client of {@code destination} that is ready to connect, but does not connect. */
    public CmSide dial(InetSocketAddress destination) throws Exception {
        CmId id = clientEvents.create(CmPortSpace.TCP);
        CmSide.resolve(clientEvents, id, destination);
        client = closer.add(new CmSide(clientEvents, id, settings));
        return client;
    }

    /** Creates a client that has requested a connection. */
    public CmSide dial(CmConnectionParameters parameters) throws Exception {
        CmSide side = dial();
        side.connect(parameters);
        return side;
    }

    /** Creates the server's side for a request, without accepting it. */
    public CmSide answer(CmEvent request) throws Exception {
        server = closer.add(new CmSide(serverEvents, request.newId(), settings));
        return server;
    }

    /** Establishes one more connection. */
    public void connect() throws Exception {
        dial(CmConnectionParameters.DEFAULT);
        CmEvent request = serverEvents.awaitRequest(listener);
        answer(request).accept(request);
        client.establish();
        server.awaitEstablished();
    }

    @Override
    public void close() throws IOException {
        closer.close();
    }
}
