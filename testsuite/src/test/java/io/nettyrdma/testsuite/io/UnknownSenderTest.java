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
package io.nettyrdma.testsuite.io;

import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.nettyrdma.io.LoopDevice;
import io.nettyrdma.io.PollMode;
import io.nettyrdma.io.RdmaIoEvent;
import io.nettyrdma.io.RdmaIoHandle;
import io.nettyrdma.io.RdmaIoHandlerConfig;
import io.nettyrdma.io.RdmaIoRegistration;
import io.nettyrdma.testsuite.support.ApiVariant;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.Endpoint;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.testsuite.support.TestMemory;
import io.nettyrdma.testsuite.support.Transitions;
import io.nettyrdma.verbs.AddressHandle;
import io.nettyrdma.verbs.Gid;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.QueuePair;
import io.nettyrdma.verbs.QueuePairConfig;
import io.nettyrdma.verbs.QueuePairType;
import io.nettyrdma.verbs.ReceiveBatch;
import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.WorkRequestId;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The completion queues of a loop name the sender, the first one and those that are added. */
@Tag("device")
class UnknownSenderTest {

    private static final int QUEUE_KEY = 0x1234567;
    private static final int DEPTH = 16;
    private static final int FIRST_QUEUE = 4 * DEPTH;
    /** One more than the first queue has room for, with sends and receives. */
    private static final int QUEUE_PAIRS = 3;

    @Test
    void unknownSenderHasItsGidOnEveryQueue() throws Exception {
        assumeTrue(TestDevice.get().capabilities().senderGids(), "completions have no GIDs");
        RdmaIoHandlerConfig config = RdmaIoHandlerConfig.DEFAULT.withMode(PollMode.EVENT)
                .withCompletionQueue(FIRST_QUEUE, DEPTH);
        QueuePairConfig srd = new QueuePairConfig(QueuePairType.SRD, DEPTH).withSignalAll(true);
        try (TestLoops loops = new TestLoops(1, config); Endpoint sender = new Endpoint(ApiVariant.preferred(), srd)) {
            sender.activateDatagrams(QUEUE_KEY);
            AddressHandle there = sender.own(sender.domain()
                    .createAddressHandle(TestDevice.get().wayTo(TestDevice.get().gid(), 0)));
            TestMemory source = sender.memory(1, MemoryAccess.LOCAL_WRITE);
            IoEventLoop loop = loops.next();
            Receiver receiver = new Receiver();
            IoRegistration registration = TestLoops.await(loop.register(receiver));
            TestLoops.run(loop, () -> receiver.open(registration.attachment(), srd));
            assertThat(receiver.queues).isGreaterThan(1);
            sender.send(batch -> receiver.pairs.forEach(pair -> batch.send(1).to(there, pair.number(), QUEUE_KEY)
                    .sge(source.region(), 0, 1).signaled()));
            sender.sends().awaitSuccess(QUEUE_PAIRS);
            Deadline.standard().until("all messages", () -> receiver.senders.size() == QUEUE_PAIRS);
            assertThat(receiver.senders).containsOnly(TestDevice.get().gid());
            registration.cancel();
        }
    }

    /** Has queue pairs that receive one message each. */
    private static final class Receiver implements RdmaIoHandle {

        final List<QueuePair> pairs = new ArrayList<>();
        final List<Gid> senders = new CopyOnWriteArrayList<>();
        volatile int queues;
        private RdmaIoRegistration registration;
        private LoopDevice device;
        private TestMemory sink;

        void open(RdmaIoRegistration given, QueuePairConfig config) {
            registration = given;
            try {
                device = registration.loop().device(TestDevice.get().device().name());
                sink = TestMemory.register(device.protectionDomain(), QUEUE_PAIRS, MemoryAccess.LOCAL_WRITE);
                for (int i = 0; i < QUEUE_PAIRS; i++) {
                    QueuePair pair = device.createQueuePair(registration, config);
                    pairs.add(pair);
                    Transitions.activateDatagrams(pair, QUEUE_KEY);
                    pair.post(new ReceiveBatch(1, 1).receive(WorkRequestId.of(registration.workRequestIds(),
                            WorkRequestId.Kind.RECEIVE, i)).sge(sink.region(), i, 1));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            queues = device.completionQueues();
        }

        @Override
        public void handle(IoRegistration given, IoEvent given2) {
            RdmaIoEvent event = (RdmaIoEvent) given2;
            if (event.kind() == RdmaIoEvent.Kind.COMPLETION) {
                senders.add(event.completion().sourceGid());
            }
        }

        @Override
        public int outstandingWork() {
            return pairs.size() - senders.size();
        }

        @Override
        public void unregistered() {
            try {
                for (QueuePair pair : pairs) {
                    device.closeQueuePair(pair);
                }
                sink.close();
            } catch (VerbsException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() {
            registration.cancel();
        }
    }
}
