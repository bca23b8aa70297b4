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

import io.nettyrdma.cm.CmErrors;
import io.nettyrdma.cm.CmEvent;
import io.nettyrdma.cm.CmEventType;
import io.nettyrdma.cm.CmId;
import io.nettyrdma.cm.CmPortSpace;
import io.nettyrdma.cm.CmState;
import io.nettyrdma.testsuite.support.Addresses;
import io.nettyrdma.testsuite.support.CmEvents;
import io.nettyrdma.testsuite.support.CmPair;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.IpFamily;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.VerbsException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Addresses that are in use, foreign, unreachable or unanswered. */
@Tag("device")
class AddressTest {

    private static final int EADDRINUSE = 98;
    private static final int EADDRNOTAVAIL = 99;
    private static final int ENETUNREACH = 101;
    private static final int ETIMEDOUT = 110;

    @ParameterizedTest
    @EnumSource
    void aPortCannotBeBoundTwice(IpFamily family) throws Exception {
        try (CmPair pair = new CmPair(family.address())) {
            CmId second = pair.serverEvents().create(CmPortSpace.TCP);
            assertRefused(EADDRINUSE, "rdma_bind_addr", () -> second.bind(pair.listener().localAddress()));
            assertThat(second.state()).isEqualTo(CmState.IDLE);
            // Port spaces are independent.
            CmId datagrams = pair.serverEvents().create(CmPortSpace.UDP);
            datagrams.bind(pair.listener().localAddress());
            assertThat(datagrams.localAddress()).isEqualTo(pair.listener().localAddress());
        }
    }

    @ParameterizedTest
    @EnumSource
    void foreignAddressCannotBeBound(IpFamily family) throws Exception {
        try (CmEvents events = new CmEvents()) {
            CmId id = events.create(CmPortSpace.TCP);
            assertRefused(EADDRNOTAVAIL, "rdma_bind_addr",
                    () -> id.bind(new InetSocketAddress(Addresses.documentation(family), 0)));
            assertThat(id.state()).isEqualTo(CmState.IDLE);
            id.bind(new InetSocketAddress(family.address(), 0));
            assertThat(id.state()).isEqualTo(CmState.BOUND);
            assertThat(id.localAddress().getPort()).isPositive();
        }
    }

    /** Where a plain socket finds no route, the connection manager finds none either. */
    @ParameterizedTest
    @EnumSource
    void anAddressWithoutRouteIsRefusedAtOnce(IpFamily family) throws Exception {
        InetSocketAddress nowhere = new InetSocketAddress(Addresses.documentation(family), 7471);
        assumeTrue(Addresses.hasNoRoute(nowhere), () -> "this machine has a route to " + nowhere);
        try (CmEvents events = new CmEvents()) {
            CmId id = events.create(CmPortSpace.TCP);
            assertRefused(ENETUNREACH, "rdma_resolve_addr",
                    () -> id.resolveAddress(null, nowhere, Deadline.scaledMillis(1000)));
            assertThat(id.state()).isEqualTo(CmState.IDLE);
            events.assertNoMore();
        }
    }

    /** Time would not help. */
    @ParameterizedTest
    @EnumSource
    void localDeviceRefusesOtherHostsAtOnce(IpFamily family) throws Exception {
        assumeFalse(TestDevice.get().device().info().reachesOtherHosts(), "the device may reach the address");
        InetSocketAddress other = new InetSocketAddress(Addresses.neighbour(family.address()), 7471);
        try (CmEvents events = new CmEvents()) {
            CmId id = events.create(CmPortSpace.TCP);
            id.resolveAddress(null, other, Integer.MAX_VALUE);
            CmEvent event = events.await(id);
            assertThat(event.type()).isEqualTo(CmEventType.ADDR_ERROR);
            assertThat(CmErrors.failure(event)).isExactlyInstanceOf(NoRouteToHostException.class)
                    .hasMessage("No route to host: " + other + ": the software device reaches programs on this machine "
                            + "only, and no network interface of it has this address; use a device of the system "
                            + "(-Dio.nettyrdma.device=system, which is the default) on both machines");
        }
    }

    /** No host on the network has the address, so the timeout expires. */
    @ParameterizedTest
    @EnumSource
    void silentAddressTimesOut(IpFamily family) throws Exception {
        InetSocketAddress silent = new InetSocketAddress(Addresses.neighbour(family.address()), 7471);
        playNetwork();
        try (CmEvents events = new CmEvents()) {
            CmId id = events.create(CmPortSpace.TCP);
            id.resolveAddress(null, silent, 200);
            CmEvent event = events.await(id);
            assumeTrue(event.type() != CmEventType.ADDR_RESOLVED,
                    () -> "the network of " + TestDevice.get() + " finds a neighbour for any address");
            assertThat(event.type()).isEqualTo(CmEventType.ADDR_ERROR);
            assertThat(event.status()).isEqualTo(-ETIMEDOUT);
            assertThat(id.state()).isEqualTo(CmState.FAILED);
            assertThat(CmErrors.failure(event)).isExactlyInstanceOf(NoRouteToHostException.class)
                    .hasMessageContaining(silent.toString()).hasMessageContaining("in time")
                    .hasMessageContaining("ETIMEDOUT");
        } finally {
            SoftHca.noFaults();
        }
    }

    /** An id may be closed while it resolves. Its event never arrives. */
    @ParameterizedTest
    @EnumSource
    void idCanBeClosedWhileItsAddressIsResolved(IpFamily family) throws Exception {
        playNetwork();
        try (CmEvents events = new CmEvents()) {
            CmId waiting = events.create(CmPortSpace.TCP);
            waiting.resolveAddress(null, new InetSocketAddress(Addresses.neighbour(family.address()), 7471), 200);
            waiting.close();
            CmId other = events.create(CmPortSpace.TCP);
            other.resolveAddress(null, new InetSocketAddress(family.address(), 7471), Deadline.scaledMillis(1000));
            events.await(other, CmEventType.ADDR_RESOLVED);
            events.assertNoMore();
        } finally {
            SoftHca.noFaults();
        }
    }

    @Test
    void sourceAddressCanBeChosen() throws Exception {
        InetAddress own = TestDevice.get().ipv4();
        try (CmPair pair = new CmPair(own)) {
            CmId chosen = pair.clientEvents().create(CmPortSpace.TCP);
            chosen.resolveAddress(new InetSocketAddress(own, 0), pair.listener().localAddress(),
                    Deadline.scaledMillis(1000));
            pair.clientEvents().await(chosen, CmEventType.ADDR_RESOLVED);
            assertThat(chosen.localAddress().getAddress()).isEqualTo(own);

            CmId bound = pair.clientEvents().create(CmPortSpace.TCP);
            bound.bind(new InetSocketAddress(own, 0));
            InetSocketAddress local = bound.localAddress();
            bound.resolveAddress(null, pair.listener().localAddress(), Deadline.scaledMillis(1000));
            pair.clientEvents().await(bound, CmEventType.ADDR_RESOLVED);
            assertThat(bound.localAddress()).isEqualTo(local);
        }
    }

    @FunctionalInterface
    private interface Call {
        void run() throws Exception;
    }

    /** The software device reaches no other machine, and says so at once unless it plays a network. */
    private static void playNetwork() throws Exception {
        assertThat(TestDevice.get().device().isOpen()).isTrue();
        SoftHca.faultsWhereItIsTheDevice(1, "silent=1");
    }

    private static void assertRefused(int errno, String function, Call call) {
        VerbsException e = catchThrowableOfType(VerbsException.class, call::run);
        assertThat(e).isNotNull();
        assertThat(e.errno()).as("%s", e.getMessage()).isEqualTo(errno);
        assertThat(e.call()).isEqualTo(function);
    }
}
