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

/** Batch sizes, and requests that a queue refuses before the device sees them. */
class WorkBatchTest {

    private static final long LOCAL = 4096;

    @Test
    void aBatchHoldsAtLeastOneRequestOfOneSge() {
        assertNoBatch(0, 1, "0 of 1");
        assertNoBatch(1, 0, "1 of 0");
        assertNoBatch(-1, 1, "-1 of 1");
        assertNoBatch(1, Integer.MIN_VALUE, "1 of -2147483648");
        assertThat(new SendBatch(1, 1).records.size()).isEqualTo(48 + 16);
        assertThat(new ReceiveBatch(1, 1).records.size()).isEqualTo(16 + 16);
    }

    /** Each overflows an int at another step of the calculation. */
    @Test
    void batchBeyondAddressableMemoryIsRefused() {
        assertNoBatch(Integer.MAX_VALUE, 1, "2147483647 work requests of 1 SGEs");
        assertNoBatch(Integer.MAX_VALUE, Integer.MAX_VALUE, "2147483647 work requests of 2147483647 SGEs");
        assertNoBatch(1, Integer.MAX_VALUE, "1 work requests of 2147483647 SGEs");
        assertNoBatch(1, Integer.MAX_VALUE / 16, "1 work requests of 134217727 SGEs");
        assertNoBatch(2, Integer.MAX_VALUE / 16, "2 work requests of 134217727 SGEs");
        assertNoBatch(1 << 26, 1, "67108864 work requests of 1 SGEs");
    }

    @Test
    void anEmptyBatchIsRefused() throws VerbsException {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new SendBatch(1, 1).checkFor(new TestObject("queue"), null, 8, 8))
                .withMessage("the batch for queue is empty");
    }

    @Test
    void batchLargerThanTheQueueIsRefused() throws VerbsException {
        TestObject queue = new TestObject("queue");
        SendBatch batch = new SendBatch(3, 1).send(1).send(2).send(3);
        assertThatNoException().isThrownBy(() -> batch.checkFor(queue, null, 3, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> batch.checkFor(queue, null, 2, 1))
                .withMessage("the batch has 3 work requests, queue holds 2");
    }

    @Test
    void requestWithMoreSgesThanTheQueuePairIsRefused() throws VerbsException {
        TestObject queue = new TestObject("queue");
        SendBatch batch = new SendBatch(3, 3).send(1).sge(LOCAL, 1, 1)
                .send(2).sge(LOCAL, 1, 1).sge(LOCAL, 1, 1).send(3).sge(LOCAL, 1, 1);
        assertThatNoException().isThrownBy(() -> batch.checkFor(queue, null, 3, 2));
        assertThatIllegalArgumentException().isThrownBy(() -> batch.checkFor(queue, null, 3, 1))
                .withMessage("a work request has 2 SGEs, queue takes 1");
        batch.clear().send(4);
        assertThatNoException().isThrownBy(() -> batch.checkFor(queue, null, 3, 1));
    }

    private static void assertNoBatch(int capacity, int maxSge, String named) {
        assertThatIllegalArgumentException().isThrownBy(() -> new SendBatch(capacity, maxSge))
                .withMessageContaining(named);
        assertThatIllegalArgumentException().isThrownBy(() -> new ReceiveBatch(capacity, maxSge))
                .withMessageContaining(named);
    }
}
