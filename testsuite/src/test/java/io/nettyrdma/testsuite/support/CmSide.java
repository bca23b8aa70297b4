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
import io.nettyrdma.cm.CmEventType;
import io.nettyrdma.cm.CmId;
import io.nettyrdma.cm.CmPortSpace;
import io.nettyrdma.cm.CmQueuePair;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.VerbsException;

import java.io.IOException;
import java.net.InetSocketAddress;

import static org.assertj.core.api.Assertions.assertThat;

/** One side of a connection made by the connection manager: its id, its queue pair, and the channel of its events. */
public final class CmSide implements AutoCloseable {

    /** Long enough for a healthy network. In milliseconds, for a native machine. */
    private static final int RESOLVE_MILLIS = 5000;
    private static final int EADDRINUSE = 98;
    private static final int MOST_PORTS = 8;
    private static final long SEND = 1;
    private static final long RECEIVE = 2;

    private final CmEvents events;
    private final Endpoint endpoint;
    private CmQueuePair queuePair;
    private TestMemory sink;

    /**
     * Creates a queue pair in INIT for an id whose device is known.
     *
     * @param endpoint closed with this object.
     */
    public CmSide(CmEvents events, CmId id, Endpoint endpoint, MemoryAccess... access) throws VerbsException {
        this.events = events;
        this.endpoint = endpoint;
        try {
            assertThat(id.deviceName()).isEqualTo(TestDevice.get().device().name());
            assertThat(id.devicePort()).isEqualTo(TestDevice.get().port());
            queuePair = new CmQueuePair(id, endpoint.queuePair());
            queuePair.prepare(access);
        } catch (Throwable e) {
            try {
                endpoint.close();
            } catch (IOException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    /** Creates a side with an endpoint of its own, configured by {@code settings}. */
    public CmSide(CmEvents events, CmId id, RcSettings settings) throws VerbsException {
        this(events, id, new Endpoint(settings.variant(), settings.queues()),
                settings.access().toArray(MemoryAccess[]::new));
    }

    /** Resolves address and route, so that the id can connect. */
    public static void resolve(CmEvents events, CmId id, InetSocketAddress destination) throws VerbsException {
        id.resolveAddress(null, destination, Deadline.scaledMillis(RESOLVE_MILLIS));
        events.await(id, CmEventType.ADDR_RESOLVED);
        id.resolveRoute(Deadline.scaledMillis(RESOLVE_MILLIS));
        events.await(id, CmEventType.ROUTE_RESOLVED);
    }

    public CmId id() {
        return queuePair.id();
    }

    public Endpoint endpoint() {
        return endpoint;
    }

    public CmQueuePair queuePair() {
        return queuePair;
    }

    /** Waits for the next event of the id, which must be of the given type. */
    public CmEvent await(CmEventType type) throws VerbsException {
        return events.await(id(), type);
    }

    /** Active side: requests the connection. */
    public void connect(CmConnectionParameters parameters) throws VerbsException {
        queuePair = connect(events, queuePair, parameters);
    }

    /**
     * Requests the connection. On iWARP the port that the connection manager chose may be in use; a new id gets a new
     * port.
     *
     * @return the queue pair with the id that succeeded.
     */
    static CmQueuePair connect(CmEvents events, CmQueuePair queuePair, CmConnectionParameters parameters)
            throws VerbsException {
        CmQueuePair asking = queuePair;
        for (int port = 1; ; port++) {
            try {
                asking.connect(parameters);
                return asking;
            } catch (VerbsException e) {
                if (e.errno() != EADDRINUSE || port == MOST_PORTS) {
                    throw e;
                }
            }
            CmId another = events.create(CmPortSpace.TCP);
            resolve(events, another, asking.id().peerAddress());
            asking = asking.withId(another);
        }
    }

    /** Active side: waits for the peer to accept and establishes the connection. */
    public void establish() throws VerbsException {
        establish(queuePair, events.await(id()));
    }

    /** @param accepted the event that reports acceptance to the active side. */
    static void establish(CmQueuePair queuePair, CmEvent accepted) throws VerbsException {
        if (TestDevice.get().connectsByHand()) {
            assertThat(accepted.type()).as("%s", accepted).isEqualTo(CmEventType.CONNECT_RESPONSE);
            queuePair.establish(accepted);
        } else {
            // iWARP: the device has already established the connection.
            assertThat(accepted.type()).as("%s", accepted).isEqualTo(CmEventType.ESTABLISHED);
            queuePair.established();
        }
    }

    /** Passive side: accepts. ESTABLISHED follows. */
    public void accept(CmEvent request) throws VerbsException {
        queuePair.accept(request, CmConnectionParameters.DEFAULT);
    }

    /** Passive side: waits until the peer has established the connection. */
    public void awaitEstablished() throws VerbsException {
        await(CmEventType.ESTABLISHED);
        queuePair.established();
    }

    /** Sends a message to a peer that has no other receives posted, and asserts that it arrives. */
    public void deliver(CmSide peer, byte[] message) throws VerbsException {
        peer.expect(message.length);
        send(message);
        peer.assertReceived(message);
        assertThat(endpoint.sends().awaitSuccess().id()).isEqualTo(SEND);
    }

    /** Posts a receive for {@link #assertReceived}. */
    public void expect(int size) throws VerbsException {
        sink = endpoint.memory(size);
        endpoint.receive(RECEIVE, sink, 0, size);
    }

    /** Posts one send. */
    public void send(byte[] message) throws VerbsException {
        TestMemory source = endpoint.memory(message.length).put(0, message);
        endpoint.send(batch -> batch.send(SEND).sge(source.region(), 0, message.length).signaled());
    }

    /** Asserts that the {@linkplain #expect expected} message has arrived. */
    public void assertReceived(byte[] message) throws VerbsException {
        Completed received = endpoint.receives().awaitSuccess();
        assertThat(received.id()).isEqualTo(RECEIVE);
        assertThat(received.bytes()).isEqualTo(message.length);
        sink.assertHolds(0, message);
    }

    /** Closes the queue pair and its resources. The id is closed by its {@link CmEvents}, or earlier. */
    @Override
    public void close() throws IOException {
        endpoint.close();
    }
}
