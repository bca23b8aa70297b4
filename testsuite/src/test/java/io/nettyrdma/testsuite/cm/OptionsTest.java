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
import io.nettyrdma.cm.CmId;
import io.nettyrdma.cm.CmPortSpace;
import io.nettyrdma.cm.CmState;
import io.nettyrdma.testsuite.support.ApiVariant;
import io.nettyrdma.testsuite.support.CmEvents;
import io.nettyrdma.testsuite.support.CmPair;
import io.nettyrdma.testsuite.support.CmSide;
import io.nettyrdma.testsuite.support.IpFamily;
import io.nettyrdma.testsuite.support.RcSettings;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.VerbsException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.net.InetAddress;
import java.net.InetSocketAddress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

@Tag("device")
class OptionsTest {

    private static final int EADDRINUSE = 98;
    private static final int EADDRNOTAVAIL = 99;
    private static final byte[] MESSAGE = "with options".getBytes();

    /** Both queue pairs send with it: the passive side learns it from the request. */
    @ParameterizedTest
    @EnumSource
    void theTypeOfServiceReachesBothQueuePairs(IpFamily family) throws Exception {
        TestDevice.get().assumeConnectsByHand();
        try (CmPair pair = new CmPair(family.address())) {
            CmId id = pair.clientEvents().create(CmPortSpace.TCP);
            id.typeOfService(0x68);
            CmSide.resolve(pair.clientEvents(), id, pair.listener().localAddress());
            try (CmSide client = new CmSide(pair.clientEvents(), id, RcSettings.of(ApiVariant.preferred()))) {
                client.connect(CmConnectionParameters.DEFAULT);
                CmEvent request = pair.serverEvents().awaitRequest(pair.listener());
                CmSide server = pair.answer(request);
                server.accept(request);
                client.establish();
                server.awaitEstablished();
                assertThat(trafficClass(client)).isEqualTo(0x68);
                assertThat(trafficClass(server)).isEqualTo(0x68);
                client.deliver(server, MESSAGE);
            }
        }
    }

    @Test
    void aConnectionWithItsOwnAcknowledgementTimeoutWorks() throws Exception {
        try (CmPair pair = new CmPair(TestDevice.get().ipv4())) {
            CmSide client = pair.dial();
            client.id().ackTimeout(14);
            client.connect(CmConnectionParameters.DEFAULT);
            CmEvent request = pair.serverEvents().awaitRequest(pair.listener());
            request.newId().ackTimeout(14);
            CmSide server = pair.answer(request);
            server.accept(request);
            client.establish();
            server.awaitEstablished();
            client.deliver(server, MESSAGE);
            server.deliver(client, MESSAGE);
        }
    }

    /** It may be bound twice, but a listener excludes any other binding, and another binding excludes a listener. */
    @Test
    void reusedAddressCanBeBoundTwiceButHasOneListener() throws Exception {
        try (CmEvents events = new CmEvents()) {
            CmId first = events.create(CmPortSpace.TCP);
            first.reuseAddress(true);
            first.bind(new InetSocketAddress(TestDevice.get().ipv4(), 0));
            CmId second = events.create(CmPortSpace.TCP);
            second.reuseAddress(true);
            second.bind(first.localAddress());
            assertThat(second.localAddress()).isEqualTo(first.localAddress());
            assertInUse("rdma_listen", () -> first.listen(1));
            assertThat(first.state()).isEqualTo(CmState.BOUND);

            second.close();
            first.listen(1);
            CmId third = events.create(CmPortSpace.TCP);
            third.reuseAddress(true);
            assertInUse("rdma_bind_addr", () -> third.bind(first.localAddress()));
        }
    }

    /** The IPv6 wildcard leaves the IPv4 port free. Clients of either family reach their own listener. */
    @Test
    void wildcardsShareAPortIfTheIpv6OneIsIpv6Only() throws Exception {
        TestDevice.get().ipv6();
        try (CmPair pair = new CmPair(TestDevice.get().ipv4())) {
            CmId six = pair.serverEvents().create(CmPortSpace.TCP);
            six.addressFamilyOnly(true);
            six.bind(new InetSocketAddress(InetAddress.getByName("::"), 0));
            int port = six.localAddress().getPort();
            CmId four = pair.serverEvents().create(CmPortSpace.TCP);
            four.bind(new InetSocketAddress(InetAddress.getByName("0.0.0.0"), port));
            six.listen(4);
            four.listen(4);
            assertThat(four.deviceName()).isNull();
            assertServes(pair, four, new InetSocketAddress(TestDevice.get().ipv4(), port));
            assertServes(pair, six, new InetSocketAddress(TestDevice.get().ipv6(), port));
        }
    }

    /** Without the option the wildcard covers both families. */
    @Test
    void ipv6WildcardUsesTheIpv4PortToo() throws Exception {
        TestDevice.get().ipv6();
        try (CmEvents events = new CmEvents()) {
            CmId six = events.create(CmPortSpace.TCP);
            six.bind(new InetSocketAddress(InetAddress.getByName("::"), 0));
            CmId four = events.create(CmPortSpace.TCP);
            InetSocketAddress same =
                    new InetSocketAddress(InetAddress.getByName("0.0.0.0"), six.localAddress().getPort());
            // Not EADDRINUSE, which is for exactly the same address.
            assertThatExceptionOfType(VerbsException.class).isThrownBy(() -> four.bind(same))
                    .withMessageContaining("wildcard")
                    .satisfies(e -> assertThat(e.errno()).isEqualTo(EADDRNOTAVAIL));
        }
    }

    @Test
    void valuesOutOfRangeAreRefused() throws Exception {
        try (CmEvents events = new CmEvents()) {
            CmId id = events.create(CmPortSpace.TCP);
            InetSocketAddress here = new InetSocketAddress(TestDevice.get().ipv4(), 7471);
            assertThatIllegalArgumentException().isThrownBy(() -> id.typeOfService(256)).withMessageContaining("255");
            assertThatIllegalArgumentException().isThrownBy(() -> id.typeOfService(-1)).withMessageContaining("-1");
            assertThatIllegalArgumentException().isThrownBy(() -> id.ackTimeout(32)).withMessageContaining("31");
            assertThatIllegalArgumentException().isThrownBy(() -> id.listen(-1)).withMessageContaining("-1");
            assertThatIllegalArgumentException().isThrownBy(() -> id.resolveAddress(null, here, 0))
                    .withMessageContaining("0 ms");
            assertThatIllegalArgumentException().isThrownBy(() -> id.resolveRoute(-5)).withMessageContaining("-5 ms");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> id.resolveAddress(null, new InetSocketAddress(here.getAddress(), 0), 1000))
                    .withMessageContaining("no port");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> id.bind(InetSocketAddress.createUnresolved("example", 1)))
                    .withMessageContaining("not resolved");
            assertThat(id.state()).isEqualTo(CmState.IDLE);
        }
    }

    /** librdmacm itself would dereference a null pointer, because the id has no device yet. */
    @Test
    void callsBeforeTheirStateAreRefused() throws Exception {
        try (CmEvents events = new CmEvents()) {
            CmId id = events.create(CmPortSpace.TCP);
            assertRefused(id, "rdma_listen", () -> id.listen(1));
            assertRefused(id, "rdma_resolve_route", () -> id.resolveRoute(1000));
            assertRefused(id, "rdma_connect", () -> id.connect(CmConnectionParameters.DEFAULT));
            assertRefused(id, "rdma_establish", id::establish);
            assertRefused(id, "rdma_accept", () -> id.accept(CmConnectionParameters.DEFAULT));
            assertRefused(id, "rdma_reject", () -> id.reject(new byte[0]));
            assertRefused(id, "rdma_disconnect", id::disconnect);
            assertRefused(id, "rdma_notify", id::notifyEstablished);
            assertThat(id.state()).isEqualTo(CmState.IDLE);
        }
    }

    @Test
    void callsAfterTheirStateAreRefused() throws Exception {
        try (CmPair pair = CmPair.connected(TestDevice.get().ipv4())) {
            CmId listener = pair.listener();
            assertRefused(listener, "rdma_bind_addr", () -> listener.bind(listener.localAddress()));
            assertRefused(listener, "rdma_listen", () -> listener.listen(1));
            assertRefused(listener, "rdma_set_option", () -> listener.reuseAddress(true));
            assertRefused(listener, "rdma_set_option", () -> listener.addressFamilyOnly(true));
            CmId client = pair.client().id();
            assertRefused(client, "rdma_resolve_addr",
                    () -> client.resolveAddress(null, listener.localAddress(), 1000));
            assertRefused(client, "rdma_connect", () -> client.connect(CmConnectionParameters.DEFAULT));
            assertRefused(client, "rdma_establish", client::establish);
            assertRefused(client, "rdma_set_option", () -> client.typeOfService(1));
            assertRefused(client, "rdma_set_option", () -> client.ackTimeout(1));
            CmId server = pair.server().id();
            assertRefused(server, "rdma_accept", () -> server.accept(CmConnectionParameters.DEFAULT));
            assertRefused(server, "rdma_reject", () -> server.reject(new byte[0]));
            pair.client().deliver(pair.server(), MESSAGE);
        }
    }

    @FunctionalInterface
    private interface Call {
        void run() throws Exception;
    }

    /** The message names the call, the id and its state. */
    private static void assertRefused(CmId id, String function, Call call) {
        assertThatIllegalStateException().isThrownBy(call::run)
                .withMessageContaining(function).withMessageContaining(id.toString())
                .withMessageContaining(id.state().toString());
    }

    private static void assertInUse(String function, Call call) {
        assertThatExceptionOfType(VerbsException.class).isThrownBy(call::run)
                .satisfies(e -> assertThat(e.errno()).isEqualTo(EADDRINUSE))
                .satisfies(e -> assertThat(e.call()).isEqualTo(function));
    }

    private static void assertServes(CmPair pair, CmId listener, InetSocketAddress address) throws Exception {
        CmSide client = pair.dial(address);
        client.connect(CmConnectionParameters.DEFAULT);
        CmEvent request = pair.serverEvents().awaitRequest(listener);
        assertThat(request.newId().localAddress()).isEqualTo(address);
        CmSide server = pair.answer(request);
        server.accept(request);
        client.establish();
        server.awaitEstablished();
        client.deliver(server, MESSAGE);
    }

    private static int trafficClass(CmSide side) throws VerbsException {
        return side.endpoint().queuePair().query().addressVector().trafficClass();
    }
}
