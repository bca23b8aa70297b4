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
package io.nettyrdma.testsuite.cm;

import io.nettyrdma.cm.CmConnectionParameters;
import io.nettyrdma.cm.CmErrors;
import io.nettyrdma.cm.CmEvent;
import io.nettyrdma.cm.CmEventChannel;
import io.nettyrdma.cm.CmEventType;
import io.nettyrdma.cm.CmId;
import io.nettyrdma.cm.CmPortSpace;
import io.nettyrdma.cm.CmState;
import io.nettyrdma.testsuite.support.AnyPort;
import io.nettyrdma.testsuite.support.CmPair;
import io.nettyrdma.testsuite.support.CmSide;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.Deviation;
import io.nettyrdma.testsuite.support.Refusal;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.assertj.core.api.Assertions.assertThat;

/** The passive side: many clients, early data, and a listener that closes at the wrong moment. */
@Tag("device")
class ListenerTest {

    private static final int CLIENTS = Deviation.SIW_HAS_FEW_QUEUES.isHere() ? 10 : 20;
    private static final byte[] EARLY = "early bird".getBytes();
    /** Longer than the kernel's handshake of iWARP, 10 s. */
    private static final int HANDSHAKE_SECONDS = 12;

    /** All of them send requests before the first is answered. */
    @Test
    void manyClientsConnectAtOnce() throws Exception {
        try (CmPair pair = new CmPair(TestDevice.get().ipv4())) {
            Map<InetSocketAddress, CmSide> clients = new HashMap<>();
            for (int i = 0; i < CLIENTS; i++) {
                CmSide client = pair.dial(CmConnectionParameters.DEFAULT);
                clients.put(client.id().localAddress(), client);
            }
            assertThat(clients).hasSize(CLIENTS);
            Map<CmSide, CmSide> servers = new HashMap<>();
            for (int i = 0; i < CLIENTS; i++) {
                CmEvent request = pair.serverEvents().awaitRequest(pair.listener());
                CmSide server = pair.answer(request);
                server.accept(request);
                servers.put(clients.remove(server.id().peerAddress()), server);
            }
            assertThat(clients).isEmpty();
            for (Map.Entry<CmSide, CmSide> each : servers.entrySet()) {
                each.getKey().establish();
                each.getValue().awaitEstablished();
                byte[] name = each.getKey().id().localAddress().toString().getBytes();
                each.getKey().deliver(each.getValue(), name);
            }
            pair.serverEvents().assertNoMore();
            pair.clientEvents().assertNoMore();
        }
    }

    /**
     * <pre>
     *   client                                  server
     *   ready ----------------------------->    (event not taken yet)
     *   data ------------------------------>    received, and only then ESTABLISHED is taken
     * </pre>
     */
    @Test
    void dataCanArriveBeforeTheEstablishedEvent() throws Exception {
        try (CmPair pair = new CmPair(TestDevice.get().ipv4())) {
            CmSide client = pair.dial(CmConnectionParameters.DEFAULT);
            CmEvent request = pair.serverEvents().awaitRequest(pair.listener());
            CmSide server = pair.answer(request);
            server.expect(EARLY.length);
            server.accept(request);
            client.establish();
            client.send(EARLY);
            server.assertReceived(EARLY);
            assertThat(server.id().state()).isEqualTo(CmState.ACCEPTING);
            server.awaitEstablished();
            assertThat(server.id().state()).isEqualTo(CmState.CONNECTED);
            server.deliver(client, EARLY);
        }
    }

    /** Data proves that the connection is established: its receiver need not wait for the peer's confirmation. */
    @Test
    void seenDataEstablishesTheConnection() throws Exception {
        TestDevice.get().assumeThreeWayHandshake();
        try (CmPair pair = new CmPair(TestDevice.get().ipv4())) {
            CmSide client = pair.dial(CmConnectionParameters.DEFAULT);
            CmEvent request = pair.serverEvents().awaitRequest(pair.listener());
            CmSide server = pair.answer(request);
            server.accept(request);
            CmEvent response = client.await(CmEventType.CONNECT_RESPONSE);
            // The client has not confirmed yet.
            server.id().notifyEstablished();
            server.awaitEstablished();
            assertThat(server.id().state()).isEqualTo(CmState.CONNECTED);

            client.queuePair().establish(response);
            server.id().notifyEstablished();
            client.deliver(server, EARLY);
            pair.serverEvents().assertNoMore();
        }
    }

    @Test
    void theDescriptorIsReadableExactlyWhileEventsArePending() throws Exception {
        try (CmPair pair = new CmPair(TestDevice.get().ipv4())) {
            assertThat(pair.serverEvents().isReadable()).isFalse();
            assertThat(pair.serverEvents().channel().poll(event -> { })).isZero();
            pair.dial(CmConnectionParameters.DEFAULT);
            pair.dial(CmConnectionParameters.DEFAULT);
            pair.serverEvents().awaitReadable();
            pair.serverEvents().awaitRequest(pair.listener());
            pair.serverEvents().awaitRequest(pair.listener());
            assertThat(pair.serverEvents().isReadable()).isFalse();
        }
    }

    /** The request is still in the kernel: the client is refused, and the request is never reported. */
    @Test
    void closingTheListenerRejectsWaitingRequests() throws Exception {
        try (CmPair pair = new CmPair(TestDevice.get().ipv4())) {
            CmSide client = pair.dial(CmConnectionParameters.DEFAULT);
            pair.serverEvents().awaitReadable();
            pair.listener().close();
            CmEvent rejected = client.await(CmEventType.REJECTED);
            assertThat(rejected.status()).isIn(Refusal.BY_PROGRAM.statuses());
            assertThat(CmErrors.failure(rejected)).isInstanceOf(ConnectException.class)
                    .hasMessageContaining(Refusal.isReported(rejected.status()) ? "closed its listener"
                            : "no program listens there");
            pair.serverEvents().assertNoMore();
            assertThat(pair.serverEvents().channel().droppedEvents()).isZero();
        }
    }

    /** A request that was taken no longer needs its listener. */
    @Test
    void aRequestOutlivesItsListener() throws Exception {
        try (CmPair pair = new CmPair(TestDevice.get().ipv4())) {
            CmSide client = pair.dial(CmConnectionParameters.DEFAULT);
            CmEvent request = pair.serverEvents().awaitRequest(pair.listener());
            pair.listener().close();
            CmSide server = pair.answer(request);
            server.accept(request);
            client.establish();
            server.awaitEstablished();
            client.deliver(server, EARLY);
        }
    }

    @Test
    void aPortIsFreeAsSoonAsItsListenerIsClosed() throws Exception {
        try (CmPair pair = new CmPair(TestDevice.get().ipv4())) {
            InetSocketAddress address = pair.listener().localAddress();
            pair.listener().close();
            CmId next = pair.serverEvents().create(CmPortSpace.TCP);
            next.bind(address);
            next.listen(1);
            assertThat(next.localAddress()).isEqualTo(address);
            CmSide client = pair.dial(address);
            client.connect(CmConnectionParameters.DEFAULT);
            CmEvent request = pair.serverEvents().awaitRequest(next);
            pair.answer(request).accept(request);
            client.establish();
            pair.server().awaitEstablished();
        }
    }

    /**
     * One thread polls, another closes the listener: every request is either taken by the first or refused. Nothing
     * hangs, and no id is lost, or the event channel could not be closed.
     */
    @Test
    void listenerCanBeClosedWhileItsChannelIsPolled() throws Exception {
        InetAddress address = TestDevice.get().ipv4();
        ExecutorService poller = Executors.newSingleThreadExecutor();
        try (CmPair pair = new CmPair(address); CmEventChannel channel = CmEventChannel.open()) {
            for (int round = 0; round < 30; round++) {
                CmId listener = AnyPort.listen(channel, address, 8);
                CmSide client = pair.dial(listener.localAddress());
                AtomicBoolean stop = new AtomicBoolean();
                Future<Integer> taken = poller.submit(() -> refuseUntil(stop, channel));
                client.connect(CmConnectionParameters.DEFAULT);
                if (round % 3 != 0) {
                    pair.clientEvents().isReadable();
                }
                listener.close();
                assertRefusedOrForgotten(pair.clientEvents().await(client.id(), untilForgotten()));
                stop.set(true);
                int requests = taken.get(Deadline.standard().remainingNanos(), TimeUnit.NANOSECONDS);
                assertThat(requests).isBetween(0, 1);
                client.id().close();
                client.close();
            }
        } finally {
            poller.shutdown();
            assertThat(poller.awaitTermination(Deadline.standard().remainingNanos(), TimeUnit.NANOSECONDS)).isTrue();
        }
    }

    private static Deadline untilForgotten() {
        return Deviation.SIW_FORGETS_REQUESTS_OF_CLOSED_LISTENERS.isHere()
                ? Deadline.ofSeconds(HANDSHAKE_SECONDS) : Deadline.standard();
    }

    private static void assertRefusedOrForgotten(CmEvent answer) {
        if (answer.type() == CmEventType.UNREACHABLE && Deviation.SIW_FORGETS_REQUESTS_OF_CLOSED_LISTENERS.isHere()) {
            return;
        }
        assertThat(answer.type()).as("%s", answer).isEqualTo(CmEventType.REJECTED);
        assertThat(List.of(Refusal.BY_PROGRAM, Refusal.NO_SUCH_SERVICE))
                .anyMatch(refusal -> refusal.statuses().contains(answer.status()));
    }

    /** Returns the number of requests. */
    private static int refuseUntil(AtomicBoolean stop, CmEventChannel channel) throws Exception {
        List<CmId> requested = new ArrayList<>();
        Deadline deadline = untilForgotten();
        while (!stop.get()) {
            channel.poll(event -> requested.add(event.newId()));
            for (CmId id : requested) {
                id.close();
            }
            deadline.pause(() -> "the end of the round");
        }
        return requested.size();
    }
}
