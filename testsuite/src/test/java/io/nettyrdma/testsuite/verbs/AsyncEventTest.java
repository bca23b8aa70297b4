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
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.EachVariant;
import io.nettyrdma.testsuite.support.Endpoint;
import io.nettyrdma.testsuite.support.FdWaiter;
import io.nettyrdma.testsuite.support.Peer;
import io.nettyrdma.testsuite.support.PeerMemory;
import io.nettyrdma.testsuite.support.RcPair;
import io.nettyrdma.testsuite.support.RcSettings;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.AsyncEvent;
import io.nettyrdma.verbs.AsyncEventType;
import io.nettyrdma.verbs.AsyncEvents;
import io.nettyrdma.verbs.CompletionQueue;
import io.nettyrdma.verbs.RdmaDevice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Asynchronous events of a device. SharedReceiveQueueTest has the limit event of a shared receive queue. */
@Tag("device")
class AsyncEventTest {

    @Test
    void noEventIsReadWithoutAnyPending() throws Exception {
        try (RdmaDevice device = RdmaDevice.open(TestDevice.get().device().name());
             FdWaiter waiter = new FdWaiter(device.asyncEvents().fd())) {
            assertThat(waiter.isReadable()).isFalse();
            assertThat(device.asyncEvents().poll(event -> {
                throw new AssertionError(event);
            })).isZero();
        }
    }

    /** More signaled sends than the completion queue can hold, without polling. */
    @EachVariant
    void anOverrunCompletionQueueIsReported(ApiVariant variant) throws Exception {
        RcSettings settings = RcSettings.of(variant);
        AsyncEvents events = TestDevice.get().device().asyncEvents();
        try (Endpoint endpoint = new Endpoint(variant, settings.queues(), 1);
             Peer peer = Peer.create(settings);
             FdWaiter waiter = new FdWaiter(events.fd())) {
            CompletionQueue small = endpoint.sends().queue();
            int sends = small.capacity() + 1;
            assumeTrue(sends <= settings.queues().maxSends(), "a completion queue as small as a send queue");
            events.poll(stale -> { });
            RcPair.connect(endpoint, settings, peer, settings);
            PeerMemory mailbox = peer.memory(1);
            for (int i = 0; i < sends; i++) {
                peer.receive(i, mailbox, 0, 1);
            }
            endpoint.send(batch -> {
                for (int i = 0; i < sends; i++) {
                    batch.send(i).signaled();
                }
            });
            peer.receives().awaitSuccess(small.capacity());

            List<AsyncEvent> seen = new ArrayList<>();
            Deadline deadline = Deadline.standard();
            while (seen.isEmpty()) {
                waiter.await(deadline, "the event of the overrun");
                events.poll(seen::add);
                seen.removeIf(event -> event.source() != small);
            }
            assertThat(seen).extracting(AsyncEvent::type).containsOnly(AsyncEventType.COMPLETION_QUEUE_ERROR);
        }
    }
}
