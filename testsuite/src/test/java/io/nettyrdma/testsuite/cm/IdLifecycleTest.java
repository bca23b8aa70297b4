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
import io.nettyrdma.cm.CmEventChannel;
import io.nettyrdma.cm.CmEventType;
import io.nettyrdma.cm.CmId;
import io.nettyrdma.cm.CmPortSpace;
import io.nettyrdma.cm.CmState;
import io.nettyrdma.testsuite.support.CmEvents;
import io.nettyrdma.testsuite.support.CmPair;
import io.nettyrdma.testsuite.support.CmSide;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.net.InetSocketAddress;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Ids and channels are closed exactly once, in a safe order, and leave nothing behind. */
@Tag("device")
class IdLifecycleTest {

    private static final byte[] MESSAGE = "still there".getBytes();

    @Test
    void aClosedIdRefusesEverything() throws Exception {
        try (CmEvents events = new CmEvents()) {
            CmId id = CmId.create(events.channel(), CmPortSpace.TCP);
            id.bind(new InetSocketAddress(TestDevice.get().ipv4(), 0));
            InetSocketAddress local = id.localAddress();
            assertThat(id.isOpen()).isTrue();
            id.close();
            id.close();
            assertThat(id.isOpen()).isFalse();
            assertThat(id.localAddress()).isEqualTo(local);
            for (Call call : List.<Call>of(() -> id.listen(1), id::deviceName, id::establish, id::disconnect,
                    () -> id.connect(CmConnectionParameters.DEFAULT), () -> id.reject(new byte[0]),
                    () -> id.resolveRoute(1), () -> id.typeOfService(0))) {
                assertThatIllegalStateException().isThrownBy(call::run)
                        .withMessageContaining(id.toString()).withMessageContaining("closed");
            }
        }
    }

    @Test
    void channelWithOpenIdsRefusesToClose() throws Exception {
        CmEventChannel channel = CmEventChannel.open();
        CmId one = CmId.create(channel, CmPortSpace.TCP);
        CmId other = CmId.create(channel, CmPortSpace.UDP);
        assertThatIllegalStateException().isThrownBy(channel::close)
                .withMessageContaining(one.toString()).withMessageContaining(other.toString());
        one.close();
        assertThatIllegalStateException().isThrownBy(channel::close)
                .withMessageContaining(other.toString());
        other.close();
        channel.close();
        channel.close();
        assertThatIllegalStateException().isThrownBy(channel::fd).withMessageContaining(channel.toString());
        assertThatIllegalStateException().isThrownBy(() -> channel.poll(event -> { })).withMessageContaining("closed");
        assertThatIllegalStateException().isThrownBy(() -> CmId.create(channel, CmPortSpace.TCP))
                .withMessageContaining("closed");
    }

    /** A request that was not taken keeps nothing open; one that was taken does. */
    @Test
    void theIdOfARequestHoldsItsChannelOpen() throws Exception {
        try (CmPair pair = new CmPair(TestDevice.get().ipv4())) {
            pair.dial(CmConnectionParameters.DEFAULT);
            CmId requested = pair.serverEvents().awaitRequest(pair.listener()).newId();
            pair.listener().close();
            assertThatIllegalStateException().isThrownBy(() -> pair.serverEvents().channel().close())
                    .withMessageContaining(requested.toString());
        }
    }

    /** Its pending events go with it, and those of others stay. */
    @Test
    void idCanBeClosedWithPendingEvents() throws Exception {
        try (CmEvents events = new CmEvents(); CmPair pair = new CmPair(TestDevice.get().ipv4())) {
            CmId closed = events.create(CmPortSpace.TCP);
            CmId kept = events.create(CmPortSpace.TCP);
            closed.resolveAddress(null, pair.listener().localAddress(), Deadline.scaledMillis(1000));
            events.awaitReadable();
            closed.close();
            kept.resolveAddress(null, pair.listener().localAddress(), Deadline.scaledMillis(1000));
            events.await(kept, CmEventType.ADDR_RESOLVED);
            events.assertNoMore();
            assertThat(closed.state()).isEqualTo(CmState.RESOLVING_ADDRESS);
        }
    }

    /** An id is closed in each state of a handshake. The other side, if there is one, is notified. */
    @Test
    void idCanBeClosedInEveryStateOfItsHandshake() throws Exception {
        try (CmPair pair = new CmPair(TestDevice.get().ipv4())) {
            pair.dial().id().close();

            CmSide connecting = pair.dial(CmConnectionParameters.DEFAULT);
            pair.serverEvents().awaitRequest(pair.listener());
            connecting.id().close();

            if (TestDevice.get().connectsByHand()) {
                CmSide responded = pair.dial(CmConnectionParameters.DEFAULT);
                CmEvent request = pair.serverEvents().awaitRequest(pair.listener());
                CmSide server = pair.answer(request);
                server.accept(request);
                responded.await(CmEventType.CONNECT_RESPONSE);
                responded.id().close();
                server.await(CmEventType.REJECTED);
            }

            pair.connect();
            pair.server().id().close();
            pair.client().await(CmEventType.DISCONNECTED);
            pair.client().id().close();

            pair.connect();
            pair.client().deliver(pair.server(), MESSAGE);
        }
    }

    @FunctionalInterface
    private interface Call {
        void run() throws Exception;
    }
}
