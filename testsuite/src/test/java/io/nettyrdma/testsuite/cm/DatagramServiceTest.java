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
import io.nettyrdma.cm.CmEventType;
import io.nettyrdma.cm.CmId;
import io.nettyrdma.cm.CmPortSpace;
import io.nettyrdma.cm.CmState;
import io.nettyrdma.testsuite.support.ApiVariant;
import io.nettyrdma.testsuite.support.CmEvents;
import io.nettyrdma.testsuite.support.CmSide;
import io.nettyrdma.testsuite.support.Completed;
import io.nettyrdma.testsuite.support.Endpoint;
import io.nettyrdma.testsuite.support.IpFamily;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.testsuite.support.TestMemory;
import io.nettyrdma.verbs.AddressHandle;
import io.nettyrdma.verbs.QueuePairConfig;
import io.nettyrdma.verbs.QueuePairType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** The handshake of datagrams connects nothing: it reports the address to send to. */
@Tag("device")
class DatagramServiceTest {

    private static final int GRH = 40;
    /** The value that the CM gives all its ids (RDMA_UDP_QKEY). */
    private static final int QUEUE_KEY = 0x01234567;
    private static final int NO_SUCH_SERVICE = 1;
    private static final int REFUSED_BY_PROGRAM = 2;
    private static final byte[] MESSAGE = "a datagram".getBytes();

    private CmEvents clientEvents;
    private CmEvents serverEvents;
    private CmId listener;

    @BeforeEach
    void open() throws Exception {
        TestDevice.get().assumeDatagrams();
        clientEvents = new CmEvents();
        serverEvents = new CmEvents();
    }

    @AfterEach
    void close() throws Exception {
        if (clientEvents != null) {
            clientEvents.close();
            serverEvents.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void clientLearnsTheAddressOfTheService(IpFamily family) throws Exception {
        listen(family.address());
        try (CmSide client = dial()) {
            byte[] hello = "hello".getBytes();
            client.id().connect(CmConnectionParameters.DEFAULT.withPrivateData(hello));
            CmEvent request = serverEvents.awaitRequest(listener);
            assertThat(request.privateData()).isEqualTo(Arrays.copyOf(hello, CmPortSpace.UDP.maxRequestData()));
            assertThat(request.newId().peerAddress().getAddress()).isEqualTo(family.address());
            try (CmSide server = side(serverEvents, request.newId())) {
                TestMemory sink = server.endpoint().memory(GRH + MESSAGE.length);
                server.endpoint().receive(7, sink, 0, sink.size());
                server.queuePair().accept(request, CmConnectionParameters.DEFAULT.withPrivateData(MESSAGE));
                assertThat(server.id().state()).isEqualTo(CmState.CONNECTED);

                CmEvent established = client.await(CmEventType.ESTABLISHED);
                assertThat(client.id().state()).isEqualTo(CmState.CONNECTED);
                assertThat(established.privateData())
                        .isEqualTo(Arrays.copyOf(MESSAGE, CmPortSpace.UDP.maxResponseData()));
                assertThat(established.remoteQueuePairNumber()).isEqualTo(server.endpoint().queuePair().number());
                assertThat(established.queueKey()).isEqualTo(QUEUE_KEY);
                send(client, established);

                Completed received = server.endpoint().receives().awaitSuccess();
                assertThat(received.id()).isEqualTo(7);
                assertThat(received.bytes()).isEqualTo(GRH + MESSAGE.length);
                assertThat(received.globalRoutingHeader()).isTrue();
                assertThat(received.sourceQueuePair()).isEqualTo(client.endpoint().queuePair().number());
                sink.assertHolds(GRH, MESSAGE);
                serverEvents.assertNoMore();
            }
        }
    }

    @Test
    void aRejectedRequestIsUnreachable() throws Exception {
        listen(TestDevice.get().ipv4());
        try (CmSide client = dial()) {
            client.id().connect(CmConnectionParameters.DEFAULT);
            serverEvents.awaitRequest(listener).newId().reject(MESSAGE);
            assertRefused(client, REFUSED_BY_PROGRAM, "its program rejected the connection");
        }
    }

    @Test
    void aPortWithoutListenerRefuses() throws Exception {
        listen(TestDevice.get().ipv4());
        try (CmSide client = dial()) {
            listener.close();
            client.id().connect(CmConnectionParameters.DEFAULT);
            assertRefused(client, NO_SUCH_SERVICE, "no program listens there for datagrams");
        }
    }

    @Test
    void datagramServiceHasNoDisconnect() throws Exception {
        listen(TestDevice.get().ipv4());
        assertThatIllegalStateException().isThrownBy(listener::disconnect).withMessageContaining("datagrams");
    }

    private void listen(InetAddress address) throws Exception {
        listener = serverEvents.create(CmPortSpace.UDP);
        listener.bind(new InetSocketAddress(address, 0));
        listener.listen(8);
    }

    private CmSide dial() throws Exception {
        CmId id = clientEvents.create(CmPortSpace.UDP);
        CmSide.resolve(clientEvents, id, listener.localAddress());
        return side(clientEvents, id);
    }

    private static CmSide side(CmEvents events, CmId id) throws Exception {
        ApiVariant variant = ApiVariant.preferred();
        return new CmSide(events, id, new Endpoint(variant, variant.of(new QueuePairConfig(QueuePairType.UD, 8))));
    }

    private static void send(CmSide from, CmEvent established) throws Exception {
        Endpoint endpoint = from.endpoint();
        AddressHandle way = endpoint.own(endpoint.domain().createAddressHandle(established.addressVector()));
        TestMemory source = endpoint.memory(MESSAGE.length).put(0, MESSAGE);
        endpoint.send(batch -> batch.send(1)
                .to(way, established.remoteQueuePairNumber(), established.queueKey())
                .sge(source.region(), 0, MESSAGE.length).signaled());
        assertThat(endpoint.sends().awaitSuccess().id()).isEqualTo(1);
    }

    private static void assertRefused(CmSide client, int reason, String words) throws Exception {
        CmEvent refused = client.await(CmEventType.UNREACHABLE);
        assertThat(refused.status()).isEqualTo(reason);
        assertThat(client.id().state()).isEqualTo(CmState.FAILED);
        assertThat(CmErrors.failure(refused)).isExactlyInstanceOf(ConnectException.class)
                .hasMessageStartingWith("Connection refused").hasMessageContaining(words);
    }
}
