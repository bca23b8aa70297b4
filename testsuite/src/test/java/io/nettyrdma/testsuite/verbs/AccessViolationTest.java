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
import io.nettyrdma.testsuite.support.Peer;
import io.nettyrdma.testsuite.support.PeerMemory;
import io.nettyrdma.testsuite.support.RcPair;
import io.nettyrdma.testsuite.support.RcSettings;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.testsuite.support.TestMemory;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.QueuePairState;
import io.nettyrdma.verbs.WorkCompletionStatus;
import org.junit.jupiter.api.Tag;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import static io.nettyrdma.verbs.WorkCompletionStatus.*;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Memory without the needed access is not touched, at either end. The offender gets the exact status, both ends learn
 * that the connection is broken, and nothing else is affected.
 */
@Tag("device")
class AccessViolationTest {

    private static final int SIZE = 64;

    @EachVariant
    void sendFromMemoryWithAnUnknownLocalKey(ApiVariant variant) throws Exception {
        try (RcPair pair = new RcPair(variant)) {
            TestMemory source = pair.left().memory(SIZE);
            int key = closedKey(pair.left());
            pair.left().send(batch -> batch.send(1).sge(source.address(0), SIZE, key).signaled().send(2));
            assertLeftFailed(pair);
            assertFreshConnectionWorks(variant);
        }
    }

    @EachVariant
    void sendFromMemoryOfAnotherProtectionDomain(ApiVariant variant) throws Exception {
        try (RcPair pair = new RcPair(variant)) {
            TestMemory source = pair.left().foreignMemory(SIZE);
            int key = source.localKey();
            pair.left().send(batch -> batch.send(1).sge(source.address(0), SIZE, key).signaled().send(2));
            assertLeftFailed(pair);
        }
    }

    @EachVariant
    void sendFromBeyondTheEndOfARegion(ApiVariant variant) throws Exception {
        try (RcPair pair = new RcPair(variant)) {
            TestMemory source = pair.left().memory(SIZE);
            int key = source.region().localKey();
            pair.left().send(batch -> batch.send(1).sge(source.address(1), SIZE, key).signaled().send(2));
            assertLeftFailed(pair);
        }
    }

    @EachVariant
    void receiveIntoMemoryWithAnUnknownLocalKey(ApiVariant variant) throws Exception {
        try (RcPair pair = new RcPair(variant)) {
            PeerMemory sink = pair.right().memory(SIZE);
            int key = closedKey(pair.right());
            pair.right().receive(List.of(new Peer.Receive(7, List.of(new Peer.Sge(sink.address(0), SIZE, key)))));
            TestMemory source = pair.left().memory(SIZE);
            pair.left().send(batch -> batch.send(1).sge(source.region(), 0, SIZE).signaled().send(2));
            assertSendsFailed(pair, REMOTE_OPERATION_ERROR);
            assertFailed(pair.right().receives().await(1), or(Deviation.SIW_STATUSES, GENERAL_ERROR,
                    or(Deviation.RXE_STATUSES, LOCAL_QUEUE_PAIR_OPERATION_ERROR, LOCAL_PROTECTION_ERROR)));
            assertInError(pair.left());
            assertInError(pair.right());
        }
    }

    @EachVariant
    void receiveThatIsTooSmall(ApiVariant variant) throws Exception {
        try (RcPair pair = new RcPair(variant)) {
            PeerMemory sink = pair.right().memory(2 * SIZE);
            pair.right().receive(7, sink, 0, SIZE);
            TestMemory source = pair.left().memory(SIZE + 1).put(0, ones(SIZE + 1));
            pair.left().send(batch -> batch.send(1).sge(source.region(), 0, SIZE + 1).signaled().send(2));
            assertSendsFailed(pair, or(Deviation.RXE_STATUSES, REMOTE_OPERATION_ERROR,
                    REMOTE_INVALID_REQUEST));
            assertFailed(pair.right().receives().await(1), or(Deviation.RXE_STATUSES,
                    LOCAL_QUEUE_PAIR_OPERATION_ERROR, LOCAL_LENGTH_ERROR));
            assertThat(sink.get(SIZE, SIZE)).as("what lies behind the receive").containsOnly(0);
            assertInError(pair.left());
            assertInError(pair.right());
        }
    }

    @EachVariant
    void writeWithAnUnknownRemoteKey(ApiVariant variant) throws Exception {
        try (RcPair pair = new RcPair(variant)) {
            PeerMemory target = pair.right().memory(SIZE);
            int key = closedKey(pair.right());
            assertWriteFails(pair, target, target.address(0), key, REMOTE_ACCESS_ERROR);
            assertFreshConnectionWorks(variant);
        }
    }

    @EachVariant
    void writePastTheEnd(ApiVariant variant) throws Exception {
        try (RcPair pair = new RcPair(variant)) {
            PeerMemory target = pair.right().memory(2 * SIZE - 1);
            assertWriteFails(pair, target, target.address(SIZE), target.remoteKey(), REMOTE_ACCESS_ERROR);
        }
    }

    @EachVariant
    void writeBeforeTheBeginning(ApiVariant variant) throws Exception {
        try (RcPair pair = new RcPair(variant)) {
            PeerMemory target = pair.right().memory(SIZE);
            assertWriteFails(pair, target, target.address(-1), target.remoteKey(), REMOTE_ACCESS_ERROR);
        }
    }

    @EachVariant
    void writeToARegionWithoutRemoteWrite(ApiVariant variant) throws Exception {
        try (RcPair pair = new RcPair(variant)) {
            PeerMemory target = pair.right().memory(SIZE, MemoryAccess.LOCAL_WRITE, MemoryAccess.REMOTE_READ);
            assertWriteFails(pair, target, target.address(0), target.remoteKey(), REMOTE_ACCESS_ERROR);
        }
    }

    /** The specification calls it an invalid request; some devices report an access error. */
    @EachVariant
    void writeThroughAQueuePairWithoutRemoteWrite(ApiVariant variant) throws Exception {
        Deviation.SIW_IGNORES_ACCESS_OF_QUEUE_PAIRS.assumeNotHere();
        RcSettings settings = RcSettings.of(variant);
        try (RcPair pair = new RcPair(settings, settings.withAccess(MemoryAccess.REMOTE_READ))) {
            PeerMemory target = pair.right().memory(SIZE);
            assertWriteFails(pair, target, target.address(0), target.remoteKey(), REMOTE_INVALID_REQUEST,
                    REMOTE_ACCESS_ERROR);
        }
    }

    @EachVariant
    void writeToARegionOfAnotherProtectionDomain(ApiVariant variant) throws Exception {
        try (RcPair pair = new RcPair(variant)) {
            PeerMemory target = pair.right().foreignMemory(SIZE);
            assertWriteFails(pair, target, target.address(0), target.remoteKey(), REMOTE_ACCESS_ERROR);
        }
    }

    @EachVariant
    void readFromARegionWithoutRemoteRead(ApiVariant variant) throws Exception {
        Deviation.SIW_IGNORES_REMOTE_READ_ACCESS.assumeNotHere();
        SoftHca.assumeItLeavesPostedMemoryAlone();
        try (RcPair pair = new RcPair(variant)) {
            TestMemory sink = pair.left().memory(SIZE);
            PeerMemory source = pair.right().memory(SIZE, MemoryAccess.LOCAL_WRITE, MemoryAccess.REMOTE_WRITE)
                    .put(0, ones(SIZE));
            PeerMemory mailbox = pair.right().memory(SIZE);
            pair.right().receive(7, mailbox, 0, SIZE);
            pair.left().send(batch -> batch.read(1, source.address(0), source.remoteKey())
                    .sge(sink.region(), 0, SIZE).signaled().send(2));
            assertFailed(pair.left().sends().await(2), REMOTE_ACCESS_ERROR);
            assertFlushed(pair);
            assertThat(sink.get(0, SIZE)).containsOnly(0);
        }
    }

    /** Tries to write {@link #SIZE} ones to {@code address}; {@code target} must not change. */
    private static void assertWriteFails(RcPair pair, PeerMemory target, long address, int key,
                                         WorkCompletionStatus... expected) throws Exception {
        TestMemory source = pair.left().memory(SIZE).put(0, ones(SIZE));
        PeerMemory mailbox = pair.right().memory(SIZE);
        pair.right().receive(7, mailbox, 0, SIZE);
        pair.left().send(batch -> batch.write(1, address, key).sge(source.region(), 0, SIZE).signaled().send(2));
        assertSendsFailed(pair, expected);
        assertFlushed(pair);
        assertThat(target.get(0, target.size())).containsOnly(0);
    }

    /** The peer's refusal is reported here, or the write has completed already and only the connection ends. */
    private static void assertSendsFailed(RcPair pair, WorkCompletionStatus... expected) throws Exception {
        if (TestDevice.get().completesWhenTaken()) {
            assertThat(pair.left().sends().awaitSuccess().id()).isEqualTo(1);
        } else {
            assertFailed(pair.left().sends().await(2), expected);
        }
    }

    /** Asserts that the peer's receive was flushed. */
    private static void assertFlushed(RcPair pair) throws Exception {
        Completed receive = pair.right().receives().await();
        assertThat(receive.id()).isEqualTo(7);
        assertThat(receive.status()).isEqualTo(FLUSHED);
        assertInError(pair.left());
        assertInError(pair.right());
    }

    /** Nothing reached the peer, which notices nothing, or only the end of the connection. */
    private static void assertLeftFailed(RcPair pair) throws Exception {
        int completions = Deviation.SIW_FLUSHES_ONLY_SIGNALED_SENDS.isHere() ? 1 : 2;
        assertFailed(pair.left().sends().await(completions), or(Deviation.SIW_STATUSES,
                LOCAL_QUEUE_PAIR_OPERATION_ERROR, or(Deviation.RXE_STATUSES, LOCAL_QUEUE_PAIR_OPERATION_ERROR,
                        or(Deviation.RXE_STATUSES, FLUSHED, LOCAL_PROTECTION_ERROR))));
        if (!Deviation.SIW_STAYS_READY_AFTER_LOCAL_FAILURES.isHere()) {
            assertInError(pair.left());
        }
        if (TestDevice.get().endsWithItsQueuePair()) {
            assertInError(pair.right());
        } else {
            assertThat(pair.right().state()).isEqualTo(QueuePairState.RTS);
        }
    }

    /** The first has one of the statuses, those behind it were flushed. */
    private static void assertFailed(List<Completed> completed, WorkCompletionStatus... first) {
        assertThat(completed).extracting(Completed::id).isSorted();
        assertThat(completed.get(0).status()).isIn((Object[]) first);
        assertThat(completed.subList(1, completed.size())).allMatch(each -> each.status() == FLUSHED);
    }

    private static WorkCompletionStatus[] or(Deviation deviation, WorkCompletionStatus then,
                                             WorkCompletionStatus... standard) {
        return Stream.concat(Stream.of(standard), deviation.isHere() ? Stream.of(then) : Stream.empty())
                .toArray(WorkCompletionStatus[]::new);
    }

    private static void assertInError(Peer side) throws Exception {
        Deadline.standard().until("the error state of " + side,
                () -> side.state() == QueuePairState.ERR);
    }

    private static void assertFreshConnectionWorks(ApiVariant variant) throws Exception {
        try (RcPair pair = new RcPair(variant)) {
            PeerMemory sink = pair.right().memory(SIZE);
            pair.right().receive(1, sink, 0, SIZE);
            TestMemory source = pair.left().memory(SIZE).put(0, ones(SIZE));
            pair.left().send(batch -> batch.send(1).sge(source.region(), 0, SIZE).signaled());
            pair.right().receives().awaitSuccess();
            sink.assertHolds(0, ones(SIZE));
        }
    }

    /** The key, local and remote, of a region that has been deregistered. */
    private static int closedKey(Peer owner) throws Exception {
        PeerMemory memory = owner.memory(SIZE);
        int key = memory.remoteKey();
        memory.close();
        return key;
    }

    private static byte[] ones(int length) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) 1);
        return bytes;
    }
}
