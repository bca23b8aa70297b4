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
package io.nettyrdma.io;

import org.junit.jupiter.api.Test;

import java.time.Duration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

class RdmaIoHandlerConfigTest {

    private static final RdmaIoHandlerConfig DEFAULT = RdmaIoHandlerConfig.DEFAULT;

    @Test
    void settingsChangeIndependently() {
        RdmaIoHandlerConfig other = DEFAULT.withMode(PollMode.BUSY).withSpin(Duration.ofNanos(1))
                .withSelect(2, Duration.ofNanos(3)).withCompletionQueue(4, 5).withSlabBytes(6);
        assertThat(other.mode()).isEqualTo(PollMode.BUSY);
        assertThat(other.spin()).isEqualTo(Duration.ofNanos(1));
        assertThat(other.pollsPerSelect()).isEqualTo(2);
        assertThat(other.selectInterval()).isEqualTo(Duration.ofNanos(3));
        assertThat(other.completionQueueEntries()).isEqualTo(4);
        assertThat(other.completionBatch()).isEqualTo(5);
        assertThat(other.slabBytes()).isEqualTo(6);
        assertThat(other).hasToString("BUSY, spin PT0.000000001S, select after 2 polls or PT0.000000003S, completion "
                + "queues of 4, 5 at a time, slabs of 6 bytes");
        assertDiffersIn(DEFAULT.withMode(PollMode.BUSY), "mode");
        assertDiffersIn(DEFAULT.withSpin(Duration.ofNanos(1)), "spin");
        assertDiffersIn(DEFAULT.withSelect(2, Duration.ofNanos(3)), "pollsPerSelect", "selectInterval");
        assertDiffersIn(DEFAULT.withCompletionQueue(4, 5), "completionQueueEntries", "completionBatch");
        assertDiffersIn(DEFAULT.withSlabBytes(6), "slabBytes");
    }

    private static void assertDiffersIn(RdmaIoHandlerConfig changed, String... fields) {
        assertThat(changed).usingRecursiveComparison().ignoringFields(fields).isEqualTo(DEFAULT);
        for (String field : fields) {
            assertThat(changed).usingRecursiveComparison().comparingOnlyFields(field).isNotEqualTo(DEFAULT);
        }
    }

    @Test
    void invalidValuesAreRefused() {
        assertThatNullPointerException().isThrownBy(() -> DEFAULT.withMode(null)).withMessage("mode");
        assertThatIllegalArgumentException().isThrownBy(() -> DEFAULT.withSpin(Duration.ofNanos(-1)))
                .withMessageContaining("spin").withMessageContaining("-0.000000001S");
        assertThatIllegalArgumentException().isThrownBy(() -> DEFAULT.withSpin(Duration.ofSeconds(Long.MAX_VALUE)))
                .withMessageContaining("spin");
        assertThatIllegalArgumentException().isThrownBy(() -> DEFAULT.withSelect(0, Duration.ZERO))
                .withMessage("pollsPerSelect is 0, not within 1 to 2147483647");
        assertThatIllegalArgumentException().isThrownBy(() -> DEFAULT.withCompletionQueue(0, 1))
                .withMessageContaining("completionQueueEntries");
        assertThatIllegalArgumentException().isThrownBy(() -> DEFAULT.withCompletionQueue(1, 0))
                .withMessageContaining("completionBatch");
        assertThatIllegalArgumentException().isThrownBy(() -> DEFAULT.withSlabBytes(-1))
                .withMessageContaining("slabBytes");
    }
}
