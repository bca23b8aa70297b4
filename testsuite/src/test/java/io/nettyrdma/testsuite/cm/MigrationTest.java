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
import io.nettyrdma.testsuite.support.ApiVariant;
import io.nettyrdma.testsuite.support.CmEvents;
import io.nettyrdma.testsuite.support.CmPair;
import io.nettyrdma.testsuite.support.CmSide;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.RcSettings;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Ids move from the channel of an accepting thread to that of a working thread, and their events with them. */
@Tag("device")
class MigrationTest {

    private static final byte[] MESSAGE = "moved".getBytes();

    @Test
    void migratedIdReportsToItsNewChannel() throws Exception {
        try (CmPair pair = new CmPair(TestDevice.get().ipv4()); CmEvents worker = new CmEvents()) {
            CmSide client = pair.dial(CmConnectionParameters.DEFAULT);
            CmEvent request = pair.serverEvents().awaitRequest(pair.listener());
            CmId id = worker.own(request.newId());
            assertThat(id.channel()).isSameAs(pair.serverEvents().channel());
            id.migrate(worker.channel());
            assertThat(id.channel()).isSameAs(worker.channel());
            try (CmSide server = new CmSide(worker, id, RcSettings.of(ApiVariant.preferred()))) {
                server.accept(request);
                client.establish();
                server.awaitEstablished();
                client.deliver(server, MESSAGE);
                client.queuePair().disconnect();
                server.await(CmEventType.DISCONNECTED);
                server.queuePair().disconnect();
                client.await(CmEventType.DISCONNECTED);
                pair.serverEvents().assertNoMore();
            }
        }
    }

    /**
     * Events that wait in the kernel move too. The kernel does not wake waiters on the new channel, so it must be
     * polled once (see {@link CmId#migrate}).
     */
    @Test
    void pendingEventMovesWithItsId() throws Exception {
        try (CmPair pair = CmPair.connected(TestDevice.get().ipv4()); CmEvents worker = new CmEvents()) {
            pair.client().queuePair().disconnect();
            pair.serverEvents().awaitReadable();
            CmId id = worker.own(pair.server().id());
            id.migrate(worker.channel());
            List<CmEvent> moved = new ArrayList<>();
            assertThat(worker.channel().poll(moved::add)).isEqualTo(1);
            assertThat(moved.get(0).type()).isEqualTo(CmEventType.DISCONNECTED);
            assertThat(moved.get(0).id()).isSameAs(id);
            pair.serverEvents().assertNoMore();
        }
    }

    @Test
    void oldChannelCanBeClosed() throws Exception {
        try (CmEvents worker = new CmEvents()) {
            CmId id;
            try (CmEvents old = new CmEvents()) {
                id = worker.own(CmId.create(old.channel(), CmPortSpace.TCP));
                assertThatIllegalStateException().isThrownBy(() -> old.channel().close())
                        .withMessageContaining(id.toString());
                id.migrate(worker.channel());
                // Migrating to the same channel changes nothing.
                id.migrate(worker.channel());
            }
            assertThatIllegalStateException().isThrownBy(() -> worker.channel().close())
                    .withMessageContaining(id.toString());
            id.bind(new InetSocketAddress(TestDevice.get().ipv4(), 0));
            CmId client = worker.create(CmPortSpace.TCP);
            client.resolveAddress(null, id.localAddress(), Deadline.scaledMillis(1000));
            worker.await(client, CmEventType.ADDR_RESOLVED);
        }
    }

    @Test
    void listenerMigrates() throws Exception {
        try (CmPair pair = new CmPair(TestDevice.get().ipv4()); CmEvents worker = new CmEvents()) {
            worker.own(pair.listener()).migrate(worker.channel());
            pair.dial(CmConnectionParameters.DEFAULT);
            CmEvent request = worker.awaitRequest(pair.listener());
            assertThat(request.newId().channel()).isSameAs(worker.channel());
            pair.serverEvents().assertNoMore();
        }
    }

    @Test
    void closedChannelRefusesAnId() throws Exception {
        try (CmEvents events = new CmEvents()) {
            CmId id = events.create(CmPortSpace.TCP);
            CmEvents closed = new CmEvents();
            closed.close();
            assertThatIllegalStateException().isThrownBy(() -> id.migrate(closed.channel()))
                    .withMessageContaining(closed.channel().toString()).withMessageContaining("closed");
            assertThat(id.channel()).isSameAs(events.channel());
        }
    }
}
