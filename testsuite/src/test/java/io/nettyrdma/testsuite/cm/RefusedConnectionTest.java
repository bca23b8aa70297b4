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
import io.nettyrdma.testsuite.support.CmEvents;
import io.nettyrdma.testsuite.support.CmPair;
import io.nettyrdma.testsuite.support.CmSide;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.Deviation;
import io.nettyrdma.testsuite.support.IpFamily;
import io.nettyrdma.testsuite.support.Refusal;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.VerbsException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.net.ConnectException;
import java.util.Arrays;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A connection is refused: which event the other side gets, and what a user sees. */
@Tag("device")
class RefusedConnectionTest {

    private static final int ECONNREFUSED = 111;
    private static final int EINVAL = 22;
    private static final byte[] WHY = "not today".getBytes();

    @ParameterizedTest
    @EnumSource
    void aPortWithoutListenerRefuses(IpFamily family) throws Exception {
        try (CmPair pair = new CmPair(family.address())) {
            CmSide client = pair.dial();
            pair.listener().close();
            if (!TestDevice.get().connectsByHand()) {
                // On iWARP the TCP handshake is part of the call.
                assertThatExceptionOfType(VerbsException.class)
                        .isThrownBy(() -> client.connect(CmConnectionParameters.DEFAULT))
                        .satisfies(e -> assertThat(e.errno()).isEqualTo(ECONNREFUSED));
                assertThat(client.id().state()).isEqualTo(CmState.ROUTE_RESOLVED);
                return;
            }
            client.connect(CmConnectionParameters.DEFAULT);
            assertRefused(client, Refusal.NO_SUCH_SERVICE, "no program listens there");
        }
    }

    @Test
    void serverRejectsWithAReason() throws Exception {
        try (CmPair pair = new CmPair(TestDevice.get().ipv4())) {
            CmSide client = pair.dial(CmConnectionParameters.DEFAULT);
            CmId requested = pair.serverEvents().awaitRequest(pair.listener()).newId();
            requested.reject(WHY);
            assertThat(requested.state()).isEqualTo(CmState.REJECTED);
            CmEvent rejected = assertRefused(client, Refusal.BY_PROGRAM, "rejected the connection with 9 bytes");
            CmEvents.assertArrived(WHY, CmPortSpace.TCP.maxRejectData(), rejected);
            assertNextIsServed(pair);
        }
    }

    @Test
    void serverRejectsWithoutAReason() throws Exception {
        try (CmPair pair = new CmPair(TestDevice.get().ipv4())) {
            CmSide client = pair.dial(CmConnectionParameters.DEFAULT);
            pair.serverEvents().awaitRequest(pair.listener()).newId().reject(new byte[0]);
            assertRefused(client, Refusal.BY_PROGRAM, "without a reason");
        }
    }

    @Test
    void closingARequestRejectsIt() throws Exception {
        try (CmPair pair = new CmPair(TestDevice.get().ipv4())) {
            CmSide client = pair.dial(CmConnectionParameters.DEFAULT);
            pair.serverEvents().awaitRequest(pair.listener()).newId().close();
            assertRefused(client, Refusal.BY_PROGRAM, "without a reason");
            assertNextIsServed(pair);
        }
    }

    /** The client does not like what the response contains. */
    @Test
    void clientRejectsTheResponse() throws Exception {
        TestDevice.get().assumeThreeWayHandshake();
        try (CmPair pair = new CmPair(TestDevice.get().ipv4())) {
            CmSide client = pair.dial(CmConnectionParameters.DEFAULT);
            CmEvent request = pair.serverEvents().awaitRequest(pair.listener());
            CmSide server = pair.answer(request);
            server.accept(request);
            client.await(CmEventType.CONNECT_RESPONSE);
            client.id().reject(WHY);
            assertThat(client.id().state()).isEqualTo(CmState.REJECTED);
            CmEvent rejected = assertRefused(server, Refusal.BY_PROGRAM, "rejected the connection with 9 bytes");
            assertThat(rejected.privateData()).startsWith(WHY);
            assertNextIsServed(pair);
        }
    }

    /**
     * The kernel drops the request that exceeds the backlog, and its peer's kernel repeats it.
     *
     * <pre>
     *   first                   second                   third, at another listener
     *   request --> waiting
     *                           request --> dropped
     *                                                    request --> waiting: the second one is through
     *   taken, accepted
     *                           (4 s) request --> taken
     * </pre>
     */
    @Test
    void repeatedRequestBeyondTheBacklogIsServed() throws Exception {
        Deviation.SIW_REFUSES_BEYOND_THE_BACKLOG.assumeNotHere();
        try (CmPair pair = new CmPair(TestDevice.get().ipv4()); CmEvents narrowEvents = new CmEvents()) {
            CmId narrow = narrowEvents.listen(TestDevice.get().ipv4(), 1);
            CmSide first = pair.dial(narrow.localAddress());
            CmSide second = pair.dial(narrow.localAddress());
            CmSide third = pair.dial();
            first.connect(CmConnectionParameters.DEFAULT);
            narrowEvents.awaitReadable();
            second.connect(CmConnectionParameters.DEFAULT);
            third.connect(CmConnectionParameters.DEFAULT);
            pair.serverEvents().awaitRequest(pair.listener());

            assertThat(narrowEvents.awaitRequest(narrow).newId().peerAddress()).isEqualTo(first.id().localAddress());
            narrowEvents.assertNoMore();
            assertThat(narrowEvents.awaitRequest(narrow, Deadline.standard()).newId().peerAddress())
                    .isEqualTo(second.id().localAddress());
            assertThat(second.id().state()).isEqualTo(CmState.CONNECTING);
        }
    }

    /** A server that never answers keeps the client waiting, but cannot keep it from leaving. */
    @Test
    void acceptDetectsADepartedClient() throws Exception {
        Deviation.SIW_ACCEPTS_WHO_HAS_LEFT.assumeNotHere();
        try (CmPair pair = new CmPair(TestDevice.get().ipv4())) {
            CmSide client = pair.dial(CmConnectionParameters.DEFAULT);
            CmEvent request = pair.serverEvents().awaitRequest(pair.listener());
            CmSide server = pair.answer(request);
            assertThat(client.id().state()).isEqualTo(CmState.CONNECTING);
            client.id().close();
            pair.clientEvents().assertNoMore();

            // The message that it has left is in flight. As above, a later client's request arrives after it.
            CmSide later = pair.dial(CmConnectionParameters.DEFAULT);
            CmEvent laterRequest = pair.serverEvents().awaitRequest(pair.listener());
            assertThatExceptionOfType(VerbsException.class).isThrownBy(() -> server.accept(request))
                    .withMessageContaining("the peer gave up")
                    .satisfies(e -> assertThat(e.errno()).isEqualTo(EINVAL));
            assertThatExceptionOfType(VerbsException.class)
                    .isThrownBy(() -> server.id().accept(CmConnectionParameters.DEFAULT))
                    .satisfies(e -> assertThat(e.errno()).isEqualTo(EINVAL))
                    .satisfies(e -> assertThat(e.call()).isEqualTo("rdma_accept"));
            assertThat(server.id().state()).isEqualTo(CmState.REQUESTED);
            pair.answer(laterRequest).accept(laterRequest);
            later.establish();
            pair.server().awaitEstablished();
        }
    }

    private static CmEvent assertRefused(CmSide side, Refusal refusal, String words) throws Exception {
        CmEvent rejected = side.await(CmEventType.REJECTED);
        assertThat(rejected.status()).isIn(refusal.statuses());
        assertThat(side.id().state()).isEqualTo(CmState.FAILED);
        assertThat(CmErrors.failure(rejected)).isExactlyInstanceOf(ConnectException.class)
                .hasMessageStartingWith("Connection refused: " + side.id().peerAddress())
                .hasMessageContaining(Refusal.isReported(rejected.status()) || !isBlank(rejected.privateData()) ? words
                        : "no program listens there");
        return rejected;
    }

    private static boolean isBlank(byte[] data) {
        return Arrays.equals(data, new byte[data.length]);
    }

    private static void assertNextIsServed(CmPair pair) throws Exception {
        pair.connect();
        pair.client().deliver(pair.server(), WHY);
    }
}
