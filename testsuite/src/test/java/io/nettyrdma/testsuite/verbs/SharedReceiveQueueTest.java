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
package io.nettyrdma.testsuite.verbs;

import io.nettyrdma.testsuite.support.ApiVariant;
import io.nettyrdma.testsuite.support.Closer;
import io.nettyrdma.testsuite.support.Completed;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.Deviation;
import io.nettyrdma.testsuite.support.EachVariant;
import io.nettyrdma.testsuite.support.Endpoint;
import io.nettyrdma.testsuite.support.FdWaiter;
import io.nettyrdma.testsuite.support.Peer;
import io.nettyrdma.testsuite.support.PeerMemory;
import io.nettyrdma.testsuite.support.RcPair;
import io.nettyrdma.testsuite.support.RcSettings;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.testsuite.support.TestMemory;
import io.nettyrdma.verbs.AsyncEvent;
import io.nettyrdma.verbs.AsyncEventType;
import io.nettyrdma.verbs.AsyncEvents;
import io.nettyrdma.verbs.ProtectionDomain;
import io.nettyrdma.verbs.ReceiveBatch;
import io.nettyrdma.verbs.SharedReceiveQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Two clients, two server queue pairs, one shared receive queue. */
@Tag("device")
class SharedReceiveQueueTest {

    private static final int RECEIVES = 16;

    @BeforeEach
    void needsSharedReceives() {
        assumeTrue(TestDevice.get().capabilities().sharedReceiveQueue(), "no shared receive queue");
    }

    @EachVariant
    void queuePairsShareTheReceives(ApiVariant variant) throws Exception {
        try (Server server = new Server(variant)) {
            server.post(RECEIVES);
            List<Long> ids = new ArrayList<>();
            for (int i = 0; i < RECEIVES; i++) {
                int which = i % 2;
                byte[] message = { (byte) (50 + i) };
                server.deliver(which, message);
                Completed received = server.sides[which].receives().awaitSuccess();
                assertThat(received.queuePair()).isEqualTo(server.sides[which].queuePair().number());
                server.memory.assertHolds((int) received.id(), message);
                ids.add(received.id());
            }
            assertThat(ids).doesNotHaveDuplicates();
        }
    }

    @EachVariant
    void limitIsReportedOncePerArming(ApiVariant variant) throws Exception {
        Deviation.SIW_ANSWERS_NO_QUERY_OF_SHARED_QUEUES.assumeNotHere();
        AsyncEvents events = TestDevice.get().device().asyncEvents();
        try (Server server = new Server(variant); FdWaiter waiter = new FdWaiter(events.fd())) {
            events.poll(stale -> { });
            server.post(RECEIVES);
            for (int round = 0; round < 2; round++) {
                server.shared.armLimit(RECEIVES / 2);
                assertThat(server.shared.limit()).isEqualTo(RECEIVES / 2);
                // Exactly as many are left as the limit, and not one fewer.
                server.consume(RECEIVES / 2);
                assertThat(limitEvents(events, server.shared)).isZero();

                server.consume(1);
                Deadline deadline = Deadline.standard();
                int seen = 0;
                while (seen == 0) {
                    waiter.await(deadline, "the limit event of " + server.shared);
                    seen = limitEvents(events, server.shared);
                }
                assertThat(seen).isEqualTo(1);
                assertThat(server.shared.limit()).isZero();

                server.consume(RECEIVES / 2 - 1);
                server.post(RECEIVES);
                assertThat(limitEvents(events, server.shared)).isZero();
            }
        }
    }

    private static int limitEvents(AsyncEvents events, SharedReceiveQueue shared) throws IOException {
        List<AsyncEvent> seen = new ArrayList<>();
        events.poll(seen::add);
        seen.removeIf(event -> event.source() != shared);
        assertThat(seen).allMatch(
                event -> event.type() == AsyncEventType.SHARED_RECEIVE_QUEUE_LIMIT_REACHED && event.port() == 0);
        return seen.size();
    }

    private static final class Server implements AutoCloseable {

        final SharedReceiveQueue shared;
        final TestMemory memory;
        final Endpoint[] sides = new Endpoint[2];
        private final Peer[] clients = new Peer[2];
        private final PeerMemory[] sources = new PeerMemory[2];
        private final Closer closer = new Closer();

        Server(ApiVariant variant) throws Exception {
            RcSettings settings = RcSettings.of(variant);
            try {
                ProtectionDomain domain = closer.add(TestDevice.get().device().createProtectionDomain());
                memory = closer.add(TestMemory.register(domain, RECEIVES, TestMemory.ALL_ACCESS));
                shared = closer.add(domain.createSharedReceiveQueue(RECEIVES, 1));
                for (int i = 0; i < 2; i++) {
                    clients[i] = closer.add(Peer.create(settings));
                    sources[i] = clients[i].memory(1);
                    sides[i] = closer.add(new Endpoint(variant, settings.queues(), domain, shared));
                    assertThat(sides[i].queuePair().hasSharedReceiveQueue()).isTrue();
                    RcPair.connect(clients[i], settings, sides[i], settings);
                }
            } catch (Throwable e) {
                closer.closeAfter(e);
                throw e;
            }
        }

        /** Posts receives of one byte each. The id is the byte's position. */
        void post(int count) throws Exception {
            ReceiveBatch batch = new ReceiveBatch(count, 1);
            for (int i = 0; i < count; i++) {
                batch.receive(i).sge(memory.region(), i, 1);
            }
            shared.post(batch);
        }

        void deliver(int which, byte[] message) throws Exception {
            sources[which].put(0, message);
            clients[which].send(1, sources[which], 0, 1);
            clients[which].sends().awaitSuccess();
        }

        void consume(int count) throws Exception {
            for (int i = 0; i < count; i++) {
                deliver(i % 2, new byte[1]);
                sides[i % 2].receives().awaitSuccess();
            }
        }

        @Override
        public void close() throws IOException {
            closer.close();
        }
    }
}
