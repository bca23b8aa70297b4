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
import io.nettyrdma.testsuite.support.Deviation;
import io.nettyrdma.testsuite.support.EachVariant;
import io.nettyrdma.testsuite.support.PeerMemory;
import io.nettyrdma.testsuite.support.RcPair;
import io.nettyrdma.testsuite.support.RcSettings;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.testsuite.support.TestMemory;
import io.nettyrdma.verbs.PostException;
import io.nettyrdma.verbs.WorkCompletionStatus;
import org.junit.jupiter.api.Tag;

import java.util.List;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Each work request posted to a queue pair completes exactly once, whatever happens to the queue pair. */
@Tag("device")
class FlushTest {

    private static final int COUNT = 10;

    @EachVariant
    void theErrorStateFlushesEverythingOnce(ApiVariant variant) throws Exception {
        try (RcPair pair = new RcPair(variant)) {
            post(pair, 100, 200);
            pair.left().queuePair().toError();
            assertSendsFlushed(pair, 100);
            assertFlushed(pair.left().receives().await(COUNT), 200);

            // Nothing can complete once the queue pair is destroyed, so this would detect a second flush.
            pair.left().queuePair().close();
            pair.left().sends().assertNoMore();
            pair.left().receives().assertNoMore();
        }
    }

    /** Sends only: Soft-RoCE never notices a receive posted in the error state, and iWARP accepts neither. */
    @EachVariant
    void sendsPostedInTheErrorStateAreFlushed(ApiVariant variant) throws Exception {
        Deviation.SIW_KEEPS_LATE_POSTS.assumeNotHere();
        try (RcPair pair = new RcPair(variant)) {
            pair.left().queuePair().toError();
            if (TestDevice.get().endsWithItsQueuePair()) {
                assertThatThrownBy(() -> postSends(pair, 300)).isInstanceOfSatisfying(PostException.class, refused ->
                        assertThat(refused.isNotConnected()).isTrue());
                pair.left().sends().assertNoMore();
                return;
            }
            postSends(pair, 300);
            assertFlushed(pair.left().sends().await(COUNT), 300);
        }
    }

    @EachVariant
    void queuePairConnectsAgainAfterAReset(ApiVariant variant) throws Exception {
        Deviation.SIW_CONNECTS_QUEUE_PAIRS_ONCE.assumeNotHere();
        RcSettings settings = RcSettings.of(variant);
        try (RcPair pair = new RcPair(settings)) {
            post(pair, 500, 600);
            pair.left().queuePair().toError();
            assertSendsFlushed(pair, 500);
            assertFlushed(pair.left().receives().await(COUNT), 600);
            pair.left().reset();
            pair.right().reset();
            RcPair.connect(pair.left(), settings, pair.right(), settings);

            PeerMemory mailbox = pair.right().memory(1);
            pair.right().receive(1, mailbox, 0, 1);
            pair.left().send(batch -> batch.send(2).signaled());
            assertThat(pair.right().receives().awaitSuccess().id()).isEqualTo(1);
            assertThat(pair.left().sends().awaitSuccess().id()).isEqualTo(2);
        }
    }

    /** Posts sends for which the peer never posts receives, so some devices delay them; and unused receives. */
    private static void post(RcPair pair, long firstSend, long firstReceive) throws Exception {
        TestMemory memory = pair.left().memory(COUNT);
        pair.left().receive(batch -> {
            for (int i = 0; i < COUNT; i++) {
                batch.receive(firstReceive + i).sge(memory.region(), i, 1);
            }
        });
        if (TestDevice.get().waitsForReceives()) {
            postSends(pair, firstSend);
        }
    }

    private static void assertSendsFlushed(RcPair pair, long first) throws Exception {
        if (TestDevice.get().waitsForReceives()) {
            assertFlushed(pair.left().sends().await(COUNT), first);
        }
    }

    private static void postSends(RcPair pair, long firstSend) throws Exception {
        pair.left().send(batch -> {
            for (int i = 0; i < COUNT; i++) {
                batch.send(firstSend + i);
                if (i % 2 == 0) {
                    batch.signaled();
                }
            }
        });
    }

    private static void assertFlushed(List<Completed> completed, long first) {
        assertThat(completed).extracting(Completed::id)
                .containsExactlyElementsOf(LongStream.range(first, first + COUNT).boxed().toList());
        assertThat(completed).allMatch(each -> each.status() == WorkCompletionStatus.FLUSHED);
    }
}
