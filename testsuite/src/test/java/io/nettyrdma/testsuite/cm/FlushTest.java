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

import io.nettyrdma.cm.CmEventType;
import io.nettyrdma.testsuite.support.CmPair;
import io.nettyrdma.testsuite.support.CmSide;
import io.nettyrdma.testsuite.support.Completed;
import io.nettyrdma.testsuite.support.Completions;
import io.nettyrdma.testsuite.support.Deviation;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.testsuite.support.TestMemory;
import io.nettyrdma.verbs.PostException;
import io.nettyrdma.verbs.WorkCompletionStatus;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.stream.LongStream;

import static io.nettyrdma.verbs.WorkCompletionStatus.FLUSHED;
import static io.nettyrdma.verbs.WorkCompletionStatus.SUCCESS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The end of a connection completes every work request of both sides, exactly once and in order. */
@Tag("device")
class FlushTest {

    private static final int REQUESTS = 32;

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void unusedReceivesAreFlushed(boolean clientHangsUp) throws Exception {
        try (CmPair pair = CmPair.connected(TestDevice.get().ipv4())) {
            postReceives(pair.client());
            postReceives(pair.server());
            disconnect(pair, clientHangsUp);
            assertAllFlushed(pair.client().endpoint().receives());
            assertAllFlushed(pair.server().endpoint().receives());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void unreceivedSendsAreFlushed(boolean clientHangsUp) throws Exception {
        TestDevice.get().assumeWaitsForReceives();
        try (CmPair pair = CmPair.connected(TestDevice.get().ipv4())) {
            postSends(pair.client());
            postSends(pair.server());
            disconnect(pair, clientHangsUp);
            assertAllFlushed(pair.client().endpoint().sends());
            assertAllFlushed(pair.server().endpoint().sends());
        }
    }

    /** Under load some have completed and the rest is flushed: none twice, none never. */
    @Test
    void requestsUnderLoadAreCompletedOrFlushed() throws Exception {
        try (CmPair pair = CmPair.connected(TestDevice.get().ipv4())) {
            postReceives(pair.client());
            postReceives(pair.server());
            postSends(pair.client());
            // On iWARP the accepting side may send only after the first message of the other side has arrived.
            pair.server().endpoint().receives().awaitSuccess();
            postSends(pair.server());
            pair.client().queuePair().disconnect();
            pair.server().await(CmEventType.DISCONNECTED);
            pair.server().queuePair().disconnect();
            pair.client().await(CmEventType.DISCONNECTED);
            assertDoneThenFlushed(pair.client().endpoint().sends(), 0);
            assertDoneThenFlushed(pair.client().endpoint().receives(), 0);
            assertDoneThenFlushed(pair.server().endpoint().sends(), 0);
            assertDoneThenFlushed(pair.server().endpoint().receives(), 1);
        }
    }

    /**
     * A program that posts need not know whether the connection has ended; only on iWARP the post fails. Receives are
     * not tested: Soft-RoCE never flushes them, because nothing notifies it.
     */
    @Test
    void sendsPostedAfterTheEndAreFlushed() throws Exception {
        Deviation.SIW_KEEPS_LATE_POSTS.assumeNotHere();
        try (CmPair pair = CmPair.connected(TestDevice.get().ipv4())) {
            disconnect(pair, true);
            for (CmSide side : List.of(pair.client(), pair.server())) {
                if (TestDevice.get().endsWithItsQueuePair()) {
                    assertThatThrownBy(() -> postSends(side)).isInstanceOfSatisfying(PostException.class, refused ->
                            assertThat(refused.isNotConnected()).isTrue());
                    side.endpoint().sends().assertNoMore();
                    continue;
                }
                postSends(side);
                assertAllFlushed(side.endpoint().sends());
            }
        }
    }

    private static void disconnect(CmPair pair, boolean clientHangsUp) throws Exception {
        CmSide first = clientHangsUp ? pair.client() : pair.server();
        CmSide second = clientHangsUp ? pair.server() : pair.client();
        first.queuePair().disconnect();
        second.await(CmEventType.DISCONNECTED);
        second.queuePair().disconnect();
        first.await(CmEventType.DISCONNECTED);
    }

    private static void postReceives(CmSide side) throws Exception {
        TestMemory memory = side.endpoint().memory(REQUESTS);
        side.endpoint().receive(batch -> {
            for (int i = 0; i < REQUESTS; i++) {
                batch.receive(i).sge(memory.region(), i, 1);
            }
        });
    }

    private static void postSends(CmSide side) throws Exception {
        TestMemory memory = side.endpoint().memory(REQUESTS);
        side.endpoint().send(batch -> {
            for (int i = 0; i < REQUESTS; i++) {
                batch.send(i).sge(memory.region(), i, 1).signaled();
            }
        });
    }

    private static void assertAllFlushed(Completions completions) throws Exception {
        assertThat(completions.await(REQUESTS)).allMatch(each -> each.status() == FLUSHED)
                .extracting(Completed::id).containsExactlyElementsOf(LongStream.range(0, REQUESTS).boxed().toList());
        completions.assertNoMore();
    }

    /** @param taken completions that were awaited before. */
    private static void assertDoneThenFlushed(Completions completions, int taken) throws Exception {
        List<Completed> rest = completions.await(REQUESTS - taken);
        assertThat(rest).extracting(Completed::id)
                .containsExactlyElementsOf(LongStream.range(taken, REQUESTS).boxed().toList());
        List<WorkCompletionStatus> statuses = rest.stream().map(Completed::status).toList();
        int done = (int) statuses.stream().takeWhile(SUCCESS::equals).count();
        assertThat(statuses.subList(done, statuses.size())).allMatch(FLUSHED::equals);
        completions.assertNoMore();
    }
}
