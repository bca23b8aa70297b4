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
import io.nettyrdma.testsuite.support.PeerMemory;
import io.nettyrdma.testsuite.support.RcPair;
import io.nettyrdma.testsuite.support.Seeds;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.testsuite.support.TestMemory;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.WorkCompletionOpcode;
import org.junit.jupiter.api.Tag;

import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** RDMA writes and reads, without the peer's program. */
@Tag("device")
class OneSidedTest {

    private static final int SIZE = 20_000;
    private static final int BEFORE = 1234;

    @EachVariant
    void writeChangesExactlyItsRange(ApiVariant variant) throws Exception {
        byte[] message = randomBytes();
        byte[] around = new byte[BEFORE + SIZE + 500];
        try (RcPair pair = new RcPair(variant)) {
            // Our own device only reads the source, which needs no access flag at all.
            TestMemory source = pair.left().memory(SIZE, new MemoryAccess[0]).put(0, message);
            PeerMemory target = pair.right().memory(around.length);
            PeerMemory mailbox = pair.right().memory(1);
            pair.right().receive(1, mailbox, 0, 1);

            // Only the receive that follows shows that the bytes of a write have arrived.
            pair.left().send(batch -> batch
                    .write(2, target.address(BEFORE), target.remoteKey()).sge(source.region(), 0, SIZE).signaled()
                    .send(3).sge(source.region(), 0, 1).signaled());
            pair.right().receives().awaitSuccess();

            System.arraycopy(message, 0, around, BEFORE, SIZE);
            target.assertHolds(0, around);
            Completed written = pair.left().sends().awaitSuccess();
            assertThat(written.id()).isEqualTo(2);
            assertThat(written.opcode()).isEqualTo(WorkCompletionOpcode.RDMA_WRITE);
            assertThat(pair.left().sends().awaitSuccess().id()).isEqualTo(3);
        }
    }

    @EachVariant
    void readFillsExactlyItsRange(ApiVariant variant) throws Exception {
        byte[] message = randomBytes();
        byte[] around = new byte[BEFORE + SIZE + 500];
        try (RcPair pair = new RcPair(variant)) {
            PeerMemory source = pair.right().memory(SIZE, MemoryAccess.REMOTE_READ).put(0, message);
            TestMemory target = pair.left().memory(around.length, TestDevice.get().readSinkAccess());

            pair.left().send(batch -> batch
                    .read(4, source.address(0), source.remoteKey()).sge(target.region(), BEFORE, SIZE).signaled());

            Completed read = pair.left().sends().awaitSuccess();
            assertThat(read.id()).isEqualTo(4);
            assertThat(read.opcode()).isEqualTo(WorkCompletionOpcode.RDMA_READ);
            System.arraycopy(message, 0, around, BEFORE, SIZE);
            target.assertHolds(0, around);
        }
    }

    @EachVariant
    void writeWithImmediateUsesAReceiveButNotItsMemory(ApiVariant variant) throws Exception {
        SoftHca.assumeItLeavesPostedMemoryAlone();
        assumeTrue(TestDevice.get().capabilities().immediate(), "no immediate data");
        byte[] message = randomBytes();
        byte[] untouched = { 5, 5, 5, 5 };
        try (RcPair pair = new RcPair(variant)) {
            TestMemory source = pair.left().memory(SIZE).put(0, message);
            PeerMemory target = pair.right().memory(SIZE);
            PeerMemory mailbox = pair.right().memory(4).put(0, untouched);
            pair.right().receive(77, mailbox, 0, 4);

            pair.left().send(batch -> batch.writeWithImmediate(5, target.address(0), target.remoteKey(), 42)
                    .sge(source.region(), 0, SIZE).signaled());

            Completed received = pair.right().receives().awaitSuccess();
            assertThat(received.id()).isEqualTo(77);
            assertThat(received.opcode()).isEqualTo(WorkCompletionOpcode.RECEIVE_RDMA_WITH_IMMEDIATE);
            assertThat(received.bytes()).isEqualTo(SIZE);
            assertThat(received.immediate()).isEqualTo(42);
            target.assertHolds(0, message);
            mailbox.assertHolds(0, untouched);
            assertThat(pair.left().sends().awaitSuccess().opcode()).isEqualTo(WorkCompletionOpcode.RDMA_WRITE);
        }
    }

    /** The send's source is the destination of the read before it. Without the fence it could overtake the read. */
    @EachVariant
    void fencedSendWaitsForTheReadBeforeIt(ApiVariant variant) throws Exception {
        byte[] message = randomBytes();
        try (RcPair pair = new RcPair(variant)) {
            PeerMemory source = pair.right().memory(SIZE).put(0, message);
            TestMemory relay = pair.left().memory(SIZE);
            PeerMemory target = pair.right().memory(SIZE);
            pair.right().receive(1, target, 0, SIZE);

            pair.left().send(batch -> batch
                    .read(2, source.address(0), source.remoteKey()).sge(relay.region(), 0, SIZE)
                    .send(3).sge(relay.region(), 0, SIZE).fence().signaled());

            pair.right().receives().awaitSuccess();
            target.assertHolds(0, message);
            assertThat(pair.left().sends().awaitSuccess().id()).isEqualTo(3);
        }
    }

    private static byte[] randomBytes() {
        Random random = Seeds.newRandom();
        byte[] bytes = new byte[SIZE];
        random.nextBytes(bytes);
        return bytes;
    }
}
