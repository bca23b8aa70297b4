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
import io.nettyrdma.cm.CmEvent;
import io.nettyrdma.cm.CmEventType;
import io.nettyrdma.cm.CmId;
import io.nettyrdma.cm.CmPortSpace;
import io.nettyrdma.cm.CmQueuePair;
import io.nettyrdma.cm.CmState;
import io.nettyrdma.testsuite.support.ApiVariant;
import io.nettyrdma.testsuite.support.CmEvents;
import io.nettyrdma.testsuite.support.CmPair;
import io.nettyrdma.testsuite.support.CmSide;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.Endpoint;
import io.nettyrdma.testsuite.support.IpFamily;
import io.nettyrdma.testsuite.support.RcSettings;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.testsuite.support.TestMemory;
import io.nettyrdma.verbs.ProtectionDomain;
import io.nettyrdma.verbs.QueuePairState;
import io.nettyrdma.verbs.ReceiveBatch;
import io.nettyrdma.verbs.SharedReceiveQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetSocketAddress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Two queue pairs connected by the connection manager, from the first call to the last event. */
@Tag("device")
class ConnectionTest {

    private static final byte[] PING = "there".getBytes();
    private static final byte[] PONG = "and back again".getBytes();

    @ParameterizedTest
    @EnumSource
    void dataFlowsInBothDirections(IpFamily family) throws Exception {
        try (CmPair pair = CmPair.connected(family.address())) {
            pair.client().deliver(pair.server(), PING);
            pair.server().deliver(pair.client(), PONG);
        }
    }

    @ParameterizedTest
    @EnumSource
    void bothSidesKnowBothAddresses(IpFamily family) throws Exception {
        try (CmPair pair = CmPair.connected(family.address())) {
            InetSocketAddress listening = pair.listener().localAddress();
            assertThat(listening.getAddress()).isEqualTo(family.address());
            assertThat(listening.getPort()).isPositive();
            assertThat(pair.listener().peerAddress()).isNull();

            CmId client = pair.client().id();
            assertThat(client.peerAddress()).isEqualTo(listening);
            assertThat(client.localAddress().getAddress()).isEqualTo(family.address());
            assertThat(client.localAddress().getPort()).isPositive();

            CmId server = pair.server().id();
            assertThat(server.localAddress()).isEqualTo(listening);
            assertThat(server.peerAddress()).isEqualTo(client.localAddress());
        }
    }

    /** Each side sends its parameters, and the other side's event has them. */
    @Test
    void eventsHaveTheParametersOfThePeer() throws Exception {
        TestDevice.get().assumeThreeWayHandshake();
        assumeTrue(TestDevice.get().device().limits().readsOut() >= 4, "fewer than 4 reads at a time");
        try (CmPair pair = new CmPair(TestDevice.get().ipv4())) {
            CmSide client = pair.dial(CmConnectionParameters.DEFAULT.withReads(3, 2));
            CmEvent request = pair.serverEvents().awaitRequest(pair.listener());
            assertThat(request.status()).isZero();
            assertThat(request.remoteQueuePairNumber()).isEqualTo(client.endpoint().queuePair().number());
            assertThat(request.responderResources()).isEqualTo(2);
            assertThat(request.initiatorDepth()).isEqualTo(3);

            CmSide server = pair.answer(request);
            server.queuePair().accept(request, CmConnectionParameters.DEFAULT.withReads(1, 4));
            CmEvent response = client.await(CmEventType.CONNECT_RESPONSE);
            assertThat(response.status()).isZero();
            assertThat(response.newId()).isNull();
            assertThat(response.remoteQueuePairNumber()).isEqualTo(server.endpoint().queuePair().number());
            // The server cannot use more than the client serves, so it requests no more.
            assertThat(response.responderResources()).isEqualTo(3);
            assertThat(response.initiatorDepth()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void statesOfBothIdsFollowTheHandshake(boolean clientHangsUp) throws Exception {
        TestDevice.get().assumeThreeWayHandshake();
        try (CmPair pair = new CmPair(TestDevice.get().ipv4())) {
            assertThat(pair.listener().state()).isEqualTo(CmState.LISTENING);
            CmId id = pair.clientEvents().create(CmPortSpace.TCP);
            assertThat(id.state()).isEqualTo(CmState.IDLE);
            assertThat(id.deviceName()).isNull();
            assertThat(id.devicePort()).isZero();
            id.resolveAddress(null, pair.listener().localAddress(), Deadline.scaledMillis(5000));
            assertThat(id.state()).isEqualTo(CmState.RESOLVING_ADDRESS);
            pair.clientEvents().await(id, CmEventType.ADDR_RESOLVED);
            assertThat(id.state()).isEqualTo(CmState.ADDRESS_RESOLVED);
            id.resolveRoute(Deadline.scaledMillis(5000));
            assertThat(id.state()).isEqualTo(CmState.RESOLVING_ROUTE);
            pair.clientEvents().await(id, CmEventType.ROUTE_RESOLVED);
            assertThat(id.state()).isEqualTo(CmState.ROUTE_RESOLVED);
            id.close();

            CmSide client = pair.dial(CmConnectionParameters.DEFAULT);
            assertThat(client.id().state()).isEqualTo(CmState.CONNECTING);
            assertThat(client.endpoint().queuePair().state()).isEqualTo(QueuePairState.INIT);
            CmEvent request = pair.serverEvents().awaitRequest(pair.listener());
            assertThat(request.newId().state()).isEqualTo(CmState.REQUESTED);
            CmSide server = pair.answer(request);
            server.accept(request);
            assertThat(server.id().state()).isEqualTo(CmState.ACCEPTING);
            assertThat(server.endpoint().queuePair().state()).isEqualTo(QueuePairState.RTS);
            CmEvent response = client.await(CmEventType.CONNECT_RESPONSE);
            assertThat(client.id().state()).isEqualTo(CmState.RESPONDED);
            client.queuePair().establish(response);
            assertThat(client.id().state()).isEqualTo(CmState.CONNECTED);
            assertThat(client.endpoint().queuePair().query().state()).isEqualTo(QueuePairState.RTS);
            server.awaitEstablished();
            assertThat(server.id().state()).isEqualTo(CmState.CONNECTED);
            assertDisconnects(clientHangsUp ? client : server, clientHangsUp ? server : client);
            assertThat(pair.listener().state()).isEqualTo(CmState.LISTENING);
        }
    }

    private static void assertDisconnects(CmSide first, CmSide second) throws Exception {
        first.queuePair().disconnect();
        assertThat(first.id().state()).isEqualTo(CmState.DISCONNECTING);
        second.await(CmEventType.DISCONNECTED);
        assertThat(second.id().state()).isEqualTo(CmState.DISCONNECTED);
        second.queuePair().disconnect();
        assertThat(second.id().state()).isEqualTo(CmState.DISCONNECTED);
        first.await(CmEventType.DISCONNECTED);
        assertThat(first.id().state()).isEqualTo(CmState.DISCONNECTED);
        assertThat(first.endpoint().queuePair().query().state()).isEqualTo(QueuePairState.ERR);
        assertThat(second.endpoint().queuePair().query().state()).isEqualTo(QueuePairState.ERR);
    }

    /** Disconnecting at the same time is no error on either side. */
    @Test
    void bothSidesCanDisconnectAtOnce() throws Exception {
        try (CmPair pair = CmPair.connected(TestDevice.get().ipv4())) {
            pair.client().queuePair().disconnect();
            pair.server().queuePair().disconnect();
            pair.client().await(CmEventType.DISCONNECTED);
            pair.server().await(CmEventType.DISCONNECTED);
        }
    }

    /** Closing the id disconnects too. */
    @Test
    void peerOfAClosedIdIsDisconnected() throws Exception {
        try (CmPair pair = CmPair.connected(TestDevice.get().ipv4())) {
            pair.client().id().close();
            pair.server().await(CmEventType.DISCONNECTED);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 1, 11, Integer.MAX_VALUE })
    void privateDataArrivesInBothDirections(int wanted) throws Exception {
        byte[] toServer = pattern(Math.min(wanted, CmPortSpace.TCP.maxRequestData()), 7);
        byte[] toClient = pattern(Math.min(wanted, CmPortSpace.TCP.maxResponseData()), 100);
        try (CmPair pair = new CmPair(TestDevice.get().ipv4())) {
            CmSide client = pair.dial(CmConnectionParameters.DEFAULT.withPrivateData(toServer));
            CmEvent request = pair.serverEvents().awaitRequest(pair.listener());
            CmEvents.assertArrived(toServer, CmPortSpace.TCP.maxRequestData(), request);
            CmSide server = pair.answer(request);
            server.queuePair().accept(request, CmConnectionParameters.DEFAULT.withPrivateData(toClient));
            CmEvent response = client.await(TestDevice.get().connectsByHand() ? CmEventType.CONNECT_RESPONSE
                    : CmEventType.ESTABLISHED);
            CmEvents.assertArrived(toClient, CmPortSpace.TCP.maxResponseData(), response);
        }
    }

    @Test
    void oversizedPrivateDataIsRefusedAndChangesNothing() throws Exception {
        try (CmPair pair = new CmPair(TestDevice.get().ipv4())) {
            CmSide client = pair.dial();
            assertThatIllegalArgumentException().isThrownBy(() ->
                    client.connect(CmConnectionParameters.DEFAULT.withPrivateData(new byte[57])))
                    .withMessageContaining("57").withMessageContaining("56");
            assertThat(client.id().state()).isEqualTo(CmState.ROUTE_RESOLVED);
            client.connect(CmConnectionParameters.DEFAULT);

            CmEvent request = pair.serverEvents().awaitRequest(pair.listener());
            assertThatIllegalArgumentException().isThrownBy(() ->
                    request.newId().accept(CmConnectionParameters.DEFAULT.withPrivateData(new byte[197])))
                    .withMessageContaining("197").withMessageContaining("196");
            assertThatIllegalArgumentException().isThrownBy(() -> request.newId().reject(new byte[149]))
                    .withMessageContaining("149").withMessageContaining("148");
            assertThat(request.newId().state()).isEqualTo(CmState.REQUESTED);
            pair.answer(request).accept(request);
            client.establish();
            pair.server().awaitEstablished();
        }
    }

    @ParameterizedTest
    @EnumSource
    void memoryOfThePeerIsWrittenAndRead(IpFamily family) throws Exception {
        try (CmPair pair = CmPair.connected(family.address())) {
            Endpoint client = pair.client().endpoint();
            TestMemory source = client.memory(PONG.length).put(0, PONG);
            TestMemory sink = client.memory(PONG.length);
            TestMemory remote = pair.server().endpoint().memory(PONG.length);
            client.send(batch -> batch
                    .write(1, remote.address(0), remote.remoteKey()).sge(source.region(), 0, PONG.length).signaled()
                    .read(2, remote.address(0), remote.remoteKey()).sge(sink.region(), 0, PONG.length).signaled());
            client.sends().awaitSuccess(2);
            remote.assertHolds(0, PONG);
            sink.assertHolds(0, PONG);
        }
    }

    /** The kernel's default, 0, would make the peer wait for 655 ms. */
    @Test
    void theRnrTimerIsShortOnBothSides() throws Exception {
        TestDevice.get().assumeThreeWayHandshake();
        try (CmPair pair = CmPair.connected(TestDevice.get().ipv4())) {
            assertThat(pair.client().endpoint().queuePair().query().minRnrTimer())
                    .isEqualTo(CmQueuePair.DEFAULT_MIN_RNR_TIMER).isEqualTo(12);
            assertThat(pair.server().endpoint().queuePair().query().minRnrTimer()).isEqualTo(12);
        }
    }

    @Test
    void queuePairsKnowTheNumberOfTheirPeer() throws Exception {
        TestDevice.get().assumeThreeWayHandshake();
        try (CmPair pair = CmPair.connected(TestDevice.get().ipv4())) {
            assertThat(pair.client().endpoint().queuePair().query().destination())
                    .isEqualTo(pair.server().endpoint().queuePair().number());
            assertThat(pair.server().endpoint().queuePair().query().destination())
                    .isEqualTo(pair.client().endpoint().queuePair().number());
        }
    }

    @Test
    void connectionCanUseASharedReceiveQueue() throws Exception {
        assumeTrue(TestDevice.get().capabilities().sharedReceiveQueue(), "no shared receive queue");
        RcSettings settings = RcSettings.of(ApiVariant.preferred());
        try (ProtectionDomain domain = TestDevice.get().device().createProtectionDomain();
             TestMemory memory = TestMemory.register(domain, PING.length, TestMemory.ALL_ACCESS);
             SharedReceiveQueue shared = domain.createSharedReceiveQueue(1, 1);
             CmPair pair = new CmPair(TestDevice.get().ipv4())) {
            ReceiveBatch receives = new ReceiveBatch(1, 1);
            receives.receive(5).sge(memory.region(), 0, PING.length);
            shared.post(receives);

            CmSide client = pair.dial(CmConnectionParameters.DEFAULT);
            CmEvent request = pair.serverEvents().awaitRequest(pair.listener());
            try (CmSide server = new CmSide(pair.serverEvents(), request.newId(),
                    new Endpoint(settings.variant(), settings.queues(), domain, shared))) {
                server.accept(request);
                client.establish();
                server.awaitEstablished();
                client.send(PING);
                assertThat(server.endpoint().receives().awaitSuccess().id()).isEqualTo(5);
                memory.assertHolds(0, PING);
                client.endpoint().sends().awaitSuccess();
            }
        }
    }

    private static byte[] pattern(int length, int start) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (start + i);
        }
        return bytes;
    }
}
