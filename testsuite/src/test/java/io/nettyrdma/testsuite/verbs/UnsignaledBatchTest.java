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
import io.nettyrdma.testsuite.support.EachVariant;
import io.nettyrdma.testsuite.support.Endpoint;
import io.nettyrdma.testsuite.support.Peer;
import io.nettyrdma.testsuite.support.PeerMemory;
import io.nettyrdma.testsuite.support.RcPair;
import io.nettyrdma.testsuite.support.RcSettings;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.testsuite.support.TestMemory;
import io.nettyrdma.verbs.PostException;
import io.nettyrdma.verbs.QueuePairConfig;
import io.nettyrdma.verbs.QueuePairType;
import io.nettyrdma.verbs.SendBatch;
import org.junit.jupiter.api.Tag;

import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/** Unsignaled sends keep their entries in the queue until a later signaled one completes. */
@Tag("device")
class UnsignaledBatchTest {

    private static final int DEPTH = 16;
    private static final int ENOMEM = 12;

    @EachVariant
    void oneSignaledSendFreesAllEntries(ApiVariant variant) throws Exception {
        int rounds = 40;
        try (RcPair pair = connect(variant, false)) {
            TestMemory counter = pair.left().memory(8);
            PeerMemory target = pair.right().memory(8);
            int depth = pair.left().queuePair().granted().maxSends();
            SendBatch batch = new SendBatch(depth, 1);
            for (int round = 1; round <= rounds; round++) {
                batch.clear();
                for (int i = 0; i < depth; i++) {
                    batch.write(i, target.address(0), target.remoteKey()).sge(counter.region(), 0, 8);
                }
                batch.signaled();
                counter.bytes().putLong(0, round);
                pair.left().queuePair().post(batch);
                assertThat(pair.left().sends().awaitSuccess().id()).isEqualTo(depth - 1);
                target.assertWritten(0, counter.get(0, Long.BYTES));
            }
            pair.left().sends().assertNoMore();
        }
    }

    @EachVariant
    void signalAllSignalsEverySend(ApiVariant variant) throws Exception {
        try (RcPair pair = connect(variant, true)) {
            PeerMemory memory = pair.right().memory(8);
            pair.left().send(batch -> batch.write(1, memory.address(0), memory.remoteKey())
                    .write(2, memory.address(0), memory.remoteKey()));
            assertThat(pair.left().sends().awaitSuccess(2)).extracting(Completed::id).containsExactly(1L, 2L);
        }
    }

    /**
     * The peer has no receive posted, so nothing leaves the queue while it is filled. Exactly what was reported as
     * posted arrives.
     */
    @EachVariant
    void fullQueueReportsTheNumberOfPostedRequests(ApiVariant variant) throws Exception {
        TestDevice.get().assumeWaitsForReceives();
        int stride = 3;
        try (RcPair pair = connect(variant, false)) {
            int granted = pair.left().queuePair().granted().maxSends();
            int most = 8 * granted;
            TestMemory numbers = numbers(pair.left(), most + stride);
            int posted = 0;
            PostException full = null;
            while (full == null) {
                assertThat(posted).as("posted to a queue of %d", granted).isLessThan(most);
                try {
                    int first = posted;
                    pair.left().send(batch -> {
                        for (int i = 0; i < stride; i++) {
                            batch.send(first + i).sge(numbers.region(), 4L * (first + i), 4);
                        }
                        batch.signaled();
                    });
                    posted += stride;
                } catch (PostException e) {
                    posted += e.posted();
                    full = e;
                }
            }
            assertThat(full.posted()).isBetween(0, stride - 1);
            assertThat(full.errno()).isEqualTo(ENOMEM);
            assertThat(full).hasMessageContaining("ibv_post_send").hasMessageContaining("queue pair 0x")
                    .hasMessageContaining(full.posted() + " of " + stride).hasMessageContaining("poll completions");
            // ibv_wr_complete posts a whole batch or nothing.
            assertThat(posted).isGreaterThan(granted - (variant.extendedPair() ? stride : 1));

            assertThat(receiveNumbers(pair.right(), posted)).isEqualTo(IntStream.range(0, posted).toArray());
            assertThat(pair.left().sends().awaitSuccess(posted / stride)).allMatch(each -> each.id() % stride == 2);

            int marker = most;
            pair.left().send(batch -> batch.send(marker).sge(numbers.region(), 4L * marker, 4).signaled());
            assertThat(receiveNumbers(pair.right(), 1)).containsExactly(marker);
            assertThat(pair.left().sends().awaitSuccess().id()).isEqualTo(marker);
            pair.left().sends().assertNoMore();
        }
    }

    private static RcPair connect(ApiVariant variant, boolean signalAll) throws Exception {
        QueuePairConfig queues = new QueuePairConfig(QueuePairType.RC, DEPTH).withSignalAll(signalAll);
        return new RcPair(RcSettings.of(variant).withQueues(queues));
    }

    /** Memory that holds 0, 1, 2, ... */
    private static TestMemory numbers(Endpoint owner, int count) throws Exception {
        TestMemory memory = owner.memory(count * Integer.BYTES);
        for (int i = 0; i < count; i++) {
            memory.bytes().putInt(i * Integer.BYTES, i);
        }
        return memory;
    }

    private static int[] receiveNumbers(Peer receiver, int count) throws Exception {
        PeerMemory memory = receiver.memory(Integer.BYTES);
        int[] numbers = new int[count];
        for (int i = 0; i < count; i++) {
            receiver.receive(i, memory, 0, Integer.BYTES);
            receiver.receives().awaitSuccess();
            numbers[i] = memory.getInt(0);
        }
        return numbers;
    }
}
