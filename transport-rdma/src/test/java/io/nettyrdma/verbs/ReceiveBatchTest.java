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

import java.util.Arrays;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class ReceiveBatchTest {

    private static final long ID = 0xfedcba9876543210L;
    private static final long LOCAL = 0x00007f0012345678L;
    private static final int LOCAL_KEY = 0xfedcba98;

    private final ReceiveBatch batch = new ReceiveBatch(3, 2);

    @Test
    void requestsOfDifferentLengthsFollowEachOther() {
        batch.receive(ID).sge(LOCAL, 1, 11)
                .receive(2).sge(LOCAL, 2, LOCAL_KEY).sge(LOCAL + 2, Integer.MAX_VALUE, 12)
                .receive(3).sge(LOCAL, 0, 13);
        assertThat(batch.size()).isEqualTo(3);
        byte[] expected = new WorkRequestBytes().receive(ID, 1).sge(LOCAL, 1, 11)
                .receive(2, 2).sge(LOCAL, 2, LOCAL_KEY).sge(LOCAL + 2, Integer.MAX_VALUE, 12)
                .receive(3, 1).sge(LOCAL, 0, 13).toArray();
        assertThat(batch.records.bytes(0, batch.records.size()))
                .isEqualTo(Arrays.copyOf(expected, 3 * (16 + 2 * 16)));
    }

    @Test
    void clearedBatchIsEmpty() {
        batch.receive(ID).sge(LOCAL, 1, 1).sge(LOCAL, 2, 2).receive(2).sge(LOCAL, 3, 3);
        batch.clear();
        assertThat(batch.size()).isZero();
        batch.receive(4).sge(LOCAL, 4, 4).receive(5).sge(LOCAL, 5, 5);
        assertThat(batch.records.bytes(0, 64)).isEqualTo(
                new WorkRequestBytes().receive(4, 1).sge(LOCAL, 4, 4).receive(5, 1).sge(LOCAL, 5, 5).toArray());
    }

    @Test
    void aReceiveNeedsMemory() {
        batch.receive(1);
        assertThatIllegalStateException().isThrownBy(batch::seal)
                .withMessage("a receive needs at least one SGE");
        assertThatIllegalStateException().isThrownBy(() -> batch.receive(2));
        assertThat(batch.size()).isEqualTo(1);
        assertThatIllegalArgumentException().isThrownBy(() -> batch.sge(0, 1, 1)).withMessageContaining("null");
        assertThatIllegalArgumentException().isThrownBy(() -> batch.sge(LOCAL, Integer.MIN_VALUE, 1))
                .withMessageContaining("-2147483648 bytes");
        assertThatIllegalStateException().isThrownBy(batch::seal);
        batch.sge(LOCAL, 1, 1).seal();
        assertThat(batch.records.u32(8)).isEqualTo(1);
    }

    @Test
    void sgeBeforeTheFirstReceiveIsRefused() {
        assertThatIllegalStateException().isThrownBy(() -> batch.sge(LOCAL, 1, 1))
                .withMessage("begin a work request before adding an SGE");
        batch.receive(1).sge(LOCAL, 1, 1).clear();
        assertThatIllegalStateException().isThrownBy(() -> batch.sge(LOCAL, 1, 1));
    }

    @Test
    void oneSgeTooManyIsRefused() {
        batch.receive(1).sge(LOCAL, 1, 1).sge(LOCAL, 2, 2);
        assertThatIllegalStateException().isThrownBy(() -> batch.sge(LOCAL, 3, 3))
                .withMessageContaining("room for 2 SGEs each");
        assertThat(batch.records.u32(8)).isEqualTo(2);
    }

    @Test
    void oneReceiveTooManyIsRefused() {
        for (int id = 0; id < 3; id++) {
            assertThat(batch.isFull()).isFalse();
            batch.receive(id).sge(LOCAL, 1, 1);
        }
        assertThat(batch.isFull()).isTrue();
        assertThatIllegalStateException().isThrownBy(() -> batch.receive(3)).withMessageContaining("3 work requests");
    }
}
