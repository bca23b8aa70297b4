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
import io.nettyrdma.testsuite.support.RcSettings;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.testsuite.support.TestMemory;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.WorkCompletionOpcode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The values are asymmetric, so that a wrong byte order anywhere changes them. */
@Tag("device")
class AtomicsTest {

    private static final long OLD = 0x0102_0304_0506_0708L;
    private static final long NEW = 0x1112_1314_1516_1718L;
    /** The offset of the operand, which is not the first word of its memory. */
    private static final int WORD = 16;

    @BeforeEach
    void needsAtomics() {
        assumeTrue(TestDevice.get().capabilities().atomics(), "no atomics");
    }

    @EachVariant
    void compareAndSwapReplacesTheExpectedValue(ApiVariant variant) throws Exception {
        try (RcPair pair = connect(variant)) {
            TestMemory answer = pair.left().memory(8);
            PeerMemory target = target(pair, OLD);
            pair.left().send(batch -> batch.compareAndSwap(1, target.address(WORD), target.remoteKey(), OLD, NEW)
                    .sge(answer.region(), 0, 8).signaled());
            Completed swapped = pair.left().sends().awaitSuccess();
            assertThat(swapped.opcode()).isEqualTo(WorkCompletionOpcode.COMPARE_AND_SWAP);
            assertThat(answer.bytes().getLong(0)).isEqualTo(OLD);
            assertTarget(target, NEW);
        }
    }

    @EachVariant
    void compareAndSwapKeepsAnUnexpectedValue(ApiVariant variant) throws Exception {
        try (RcPair pair = connect(variant)) {
            TestMemory answer = pair.left().memory(8);
            PeerMemory target = target(pair, OLD);
            pair.left().send(batch -> batch
                    .compareAndSwap(1, target.address(WORD), target.remoteKey(), Long.reverseBytes(OLD), NEW)
                    .sge(answer.region(), 0, 8).signaled());
            pair.left().sends().awaitSuccess();
            assertThat(answer.bytes().getLong(0)).isEqualTo(OLD);
            assertTarget(target, OLD);
        }
    }

    @EachVariant
    void fetchAndAddCarriesThroughAllBytes(ApiVariant variant) throws Exception {
        try (RcPair pair = connect(variant)) {
            TestMemory answer = pair.left().memory(8);
            PeerMemory target = target(pair, 0x0000_00ff_ffff_ffffL);
            pair.left().send(batch -> batch.fetchAndAdd(1, target.address(WORD), target.remoteKey(), 0x0a00_0000_0001L)
                    .sge(answer.region(), 0, 8).signaled());
            Completed added = pair.left().sends().awaitSuccess();
            assertThat(added.opcode()).isEqualTo(WorkCompletionOpcode.FETCH_AND_ADD);
            assertThat(answer.bytes().getLong(0)).isEqualTo(0x0000_00ff_ffff_ffffL);
            assertTarget(target, 0x0b00_0000_0000L);
        }
    }

    @EachVariant
    void everyAddOfABatchCounts(ApiVariant variant) throws Exception {
        int count = 16;
        try (RcPair pair = connect(variant)) {
            TestMemory answers = pair.left().memory(8 * count);
            PeerMemory target = target(pair, 0);
            pair.left().send(batch -> {
                for (int i = 0; i < count; i++) {
                    batch.fetchAndAdd(i, target.address(WORD), target.remoteKey(), 3)
                            .sge(answers.region(), 8L * i, 8).signaled();
                }
            });
            pair.left().sends().awaitSuccess(count);
            for (int i = 0; i < count; i++) {
                assertThat(answers.bytes().getLong(8 * i)).isEqualTo(3 * i);
            }
            assertTarget(target, 3 * count);
        }
    }

    private static RcPair connect(ApiVariant variant) throws Exception {
        return new RcPair(RcSettings.of(variant).withAccess(MemoryAccess.REMOTE_ATOMIC));
    }

    private static PeerMemory target(RcPair pair, long value) throws Exception {
        PeerMemory target = pair.right().memory(3 * WORD, MemoryAccess.LOCAL_WRITE, MemoryAccess.REMOTE_ATOMIC);
        target.putLong(WORD, value);
        return target;
    }

    private static void assertTarget(PeerMemory target, long expected) {
        assertThat(target.getLong(WORD - 8)).isZero();
        assertThat(target.getLong(WORD)).isEqualTo(expected);
        assertThat(target.getLong(WORD + 8)).isZero();
    }
}
