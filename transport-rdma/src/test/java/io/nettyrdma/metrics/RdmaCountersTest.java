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
package io.nettyrdma.metrics;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RdmaCountersTest {

    @Test
    void countersAreIndependent() {
        RdmaCounters counters = new RdmaCounters();
        for (RdmaCounter counter : RdmaCounter.values()) {
            counters.add(counter, counter.ordinal() + 1);
            counters.increment(counter);
        }
        for (RdmaCounter counter : RdmaCounter.values()) {
            assertThat(counters.get(counter)).as("%s", counter).isEqualTo(counter.ordinal() + 2);
        }
        assertThat(counters.snapshot()).hasSize(RdmaCounter.values().length)
                .containsEntry(RdmaCounter.PROTOCOL_VIOLATIONS, RdmaCounter.PROTOCOL_VIOLATIONS.ordinal() + 2L);
        assertThat(counters).hasToString(counters.snapshot().toString());
    }
}
