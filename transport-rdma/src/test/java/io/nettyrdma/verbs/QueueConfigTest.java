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
package io.nettyrdma.verbs;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

/** The configuration of completion queues and queue pairs. */
class QueueConfigTest {

    private static final CompletionQueueConfig COMPLETIONS = new CompletionQueueConfig(128, 32, 3, true, false, false);
    private static final QueuePairConfig PAIR = new QueuePairConfig(QueuePairType.RC, 10, 20, 3, 4, 50, true, true, 0);

    @Test
    void completionQueueWithersChangeOneSettingEach() {
        assertThat(COMPLETIONS.withBatch(8)).isEqualTo(new CompletionQueueConfig(128, 8, 3, true, false, false));
        assertThat(COMPLETIONS.withVector(5)).isEqualTo(new CompletionQueueConfig(128, 32, 5, true, false, false));
        assertThat(COMPLETIONS.withExtended(false))
                .isEqualTo(new CompletionQueueConfig(128, 32, 3, false, false, false));
        assertThat(COMPLETIONS.withSingleThreaded(true))
                .isEqualTo(new CompletionQueueConfig(128, 32, 3, true, true, false));
        assertThat(COMPLETIONS.withSenderGids(true))
                .isEqualTo(new CompletionQueueConfig(128, 32, 3, true, false, true));
        assertThat(new CompletionQueueConfig(16)).isEqualTo(new CompletionQueueConfig(16, 64, 0, true, false, false));
    }

    @Test
    void completionQueueNeedsAtLeastOneEntryAndBatchOfOne() {
        for (int wrong : new int[] { 0, -1 }) {
            assertThatIllegalArgumentException().isThrownBy(() -> new CompletionQueueConfig(wrong))
                    .withMessage("entries must be positive, not " + wrong);
            assertThatIllegalArgumentException().isThrownBy(() -> COMPLETIONS.withBatch(wrong))
                    .withMessage("batch must be positive, not " + wrong);
        }
        assertThatIllegalArgumentException().isThrownBy(() -> COMPLETIONS.withVector(-1))
                .withMessage("vector -1 is negative");
    }

    /** 32 bytes each, and 16 for a GID: with one more their size exceeds an int. */
    @Test
    void oversizedCompletionBatchIsRefused() {
        assertThatNoException().isThrownBy(() -> COMPLETIONS.withBatch(CompletionQueueConfig.MAX_BATCH));
        assertThat(CompletionQueueConfig.MAX_BATCH).isEqualTo(Integer.MAX_VALUE / 48);
        for (int wrong : new int[] { Integer.MAX_VALUE / 48 + 1, 1 << 27, Integer.MAX_VALUE }) {
            assertThatIllegalArgumentException().isThrownBy(() -> COMPLETIONS.withBatch(wrong))
                    .withMessage("batch can be at most 44739242, not " + wrong);
        }
    }

    @Test
    void queuePairWithersChangeOneSettingEach() {
        assertThat(PAIR.withDepth(1, 2))
                .isEqualTo(new QueuePairConfig(QueuePairType.RC, 1, 2, 3, 4, 50, true, true, 0));
        assertThat(PAIR.withSge(1, 2))
                .isEqualTo(new QueuePairConfig(QueuePairType.RC, 10, 20, 1, 2, 50, true, true, 0));
        assertThat(PAIR.withInline(0))
                .isEqualTo(new QueuePairConfig(QueuePairType.RC, 10, 20, 3, 4, 0, true, true, 0));
        assertThat(PAIR.withSignalAll(false))
                .isEqualTo(new QueuePairConfig(QueuePairType.RC, 10, 20, 3, 4, 50, false, true, 0));
        assertThat(PAIR.withExtended(false))
                .isEqualTo(new QueuePairConfig(QueuePairType.RC, 10, 20, 3, 4, 50, true, false, 0));
        assertThat(PAIR.withServiceLevel(8))
                .isEqualTo(new QueuePairConfig(QueuePairType.RC, 10, 20, 3, 4, 50, true, true, 8));
        assertThat(new QueuePairConfig(QueuePairType.UD, 7))
                .isEqualTo(new QueuePairConfig(QueuePairType.UD, 7, 7, 1, 1, 0, false, true, 0));
    }

    @Test
    void negativeCapacitiesAreRefusedByName() {
        assertNegative("maxSends", () -> PAIR.withDepth(-1, 0));
        assertNegative("maxReceives", () -> PAIR.withDepth(0, -1));
        assertNegative("sendSge", () -> PAIR.withSge(-1, 0));
        assertNegative("receiveSge", () -> PAIR.withSge(0, -1));
        assertNegative("maxInline", () -> PAIR.withInline(-1));
    }

    /** A byte of the device's. */
    @Test
    void serviceLevelOutsideOneByteIsRefused() {
        for (int wrong : new int[] { -1, 256 }) {
            assertThatIllegalArgumentException().isThrownBy(() -> PAIR.withServiceLevel(wrong))
                    .withMessage("serviceLevel is " + wrong + ", not within 0 to 255");
        }
        assertThat(PAIR.withServiceLevel(255).serviceLevel()).isEqualTo(255);
    }

    /** A queue pair that only receives, or takes its receives from a shared queue, has none of the other kind. */
    @Test
    void aQueueMayBeEmpty() {
        assertThatNoException().isThrownBy(() -> PAIR.withDepth(0, 0).withSge(0, 0));
    }

    private static void assertNegative(String name, Runnable make) {
        assertThatIllegalArgumentException().isThrownBy(make::run).withMessage(name + " cannot be -1");
    }
}
