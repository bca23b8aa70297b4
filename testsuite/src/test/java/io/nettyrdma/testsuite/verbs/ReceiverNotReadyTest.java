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
import io.nettyrdma.testsuite.support.Completed;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.Deviation;
import io.nettyrdma.testsuite.support.EachVariant;
import io.nettyrdma.testsuite.support.PeerMemory;
import io.nettyrdma.testsuite.support.RcPair;
import io.nettyrdma.testsuite.support.RcSettings;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.testsuite.support.TestMemory;
import io.nettyrdma.verbs.QueuePairState;
import io.nettyrdma.verbs.WorkCompletionStatus;
import org.junit.jupiter.api.Tag;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** A message to a peer without a receive is retried as often as the sender is configured to. */
@Tag("device")
class ReceiverNotReadyTest {

    @EachVariant
    void aMessageWaitsForItsReceive(ApiVariant variant) throws Exception {
        TestDevice.get().assumeWaitsForReceives();
        try (RcPair pair = new RcPair(variant); RcPair clock = new RcPair(variant)) {
            TestMemory source = pair.left().memory(4).put(0, new byte[] { 1, 2, 3, 4 });
            PeerMemory sink = pair.right().memory(4);
            pair.left().send(batch -> batch.send(1).sge(source.region(), 0, 4).signaled());
            letTheDeviceWork(clock);
            pair.left().sends().assertNoMore();

            pair.right().receive(2, sink, 0, 4);
            pair.right().receives().awaitSuccess();
            pair.left().sends().awaitSuccess();
            sink.assertHolds(0, new byte[] { 1, 2, 3, 4 });
        }
    }

    @EachVariant
    void sendFailsAtOnceWithoutRetries(ApiVariant variant) throws Exception {
        assertGivesUp(RcSettings.of(variant).withRnrRetry(0));
    }

    @EachVariant
    void sendFailsAfterItsRetries(ApiVariant variant) throws Exception {
        assertGivesUp(RcSettings.of(variant).withRnrRetry(1));
    }

    private static void assertGivesUp(RcSettings settings) throws Exception {
        try (RcPair pair = new RcPair(settings)) {
            // Unsignaled: a failure completes all the same, and fails the requests behind it.
            pair.left().send(batch -> batch.send(1).send(2).send(3).signaled());
            if (TestDevice.get().completesWhenTaken()) {
                Completed last = pair.left().sends().await();
                // The connection may end before the device has taken the requests behind the first.
                if (last.status() == WorkCompletionStatus.SUCCESS) {
                    assertThat(last.id()).isEqualTo(3);
                }
                Deadline.standard().until("the end of the connection", () -> pair.right().state() == QueuePairState.ERR
                        && (pair.left().state() == QueuePairState.ERR
                                || Deviation.SIW_STAYS_READY_AFTER_LOCAL_FAILURES.isHere()));
                return;
            }
            List<Completed> completed = pair.left().sends().await(3);
            assertThat(completed).extracting(Completed::id).containsExactly(1L, 2L, 3L);
            assertThat(completed).extracting(Completed::status).containsExactly(
                    WorkCompletionStatus.RNR_RETRY_EXCEEDED, WorkCompletionStatus.FLUSHED,
                    WorkCompletionStatus.FLUSHED);
            assertThat(pair.left().queuePair().query().state()).isEqualTo(QueuePairState.ERR);

            // The receiver did nothing wrong, so its state is unchanged.
            assertThat(pair.right().state()).isEqualTo(QueuePairState.RTS);
            pair.right().receives().assertNoMore();
        }
    }

    /** Messages on another connection, there and back. By then the device has long tried the first one. */
    private static void letTheDeviceWork(RcPair clock) throws Exception {
        TestMemory left = clock.left().memory(1);
        PeerMemory right = clock.right().memory(1);
        for (int i = 0; i < 20; i++) {
            right.put(0, new byte[] { (byte) i });
            clock.left().receive(i, left, 0, 1);
            clock.right().receive(i, right, 0, 1);
            clock.left().send(batch -> batch.send(1).sge(left.region(), 0, 1).signaled());
            clock.right().receives().awaitSuccess();
            clock.right().send(1, right, 0, 1);
            clock.left().receives().awaitSuccess();
            clock.left().sends().awaitSuccess();
            clock.right().sends().awaitSuccess();
        }
    }
}
