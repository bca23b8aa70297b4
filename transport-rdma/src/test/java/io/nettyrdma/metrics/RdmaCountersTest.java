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

    private final RdmaCounters counters = new RdmaCounters();

    @Test
    void countersAndGaugesAreSeparate() {
        counters.add(RdmaCounter.BYTES_RECEIVED, 64);
        counters.increment(RdmaCounter.BYTES_RECEIVED);
        counters.add(RdmaGauge.CONNECTIONS_OPEN, 2);
        counters.add(RdmaGauge.CONNECTIONS_OPEN, -1);
        assertThat(counters.snapshot()).hasSize(RdmaCounter.values().length)
                .allSatisfy((counter, value) -> assertThat(value)
                        .isEqualTo(counter == RdmaCounter.BYTES_RECEIVED ? 65 : 0));
        assertThat(counters.gauges()).hasSize(RdmaGauge.values().length)
                .allSatisfy((gauge, value) -> assertThat(value)
                        .isEqualTo(gauge == RdmaGauge.CONNECTIONS_OPEN ? 1 : 0));
    }

    @Test
    void copiedBytesAreThoseThatAreStagedAndThoseInline() {
        counters.add(RdmaCounter.BYTES_STAGED, 5);
        counters.add(RdmaCounter.BYTES_INLINE, 64);
        assertThat(counters.get(RdmaCounter.BYTES_COPIED_OUT)).isEqualTo(69);
        assertThat(counters.snapshot()).containsEntry(RdmaCounter.BYTES_COPIED_OUT, 69L);
    }

    @Test
    void presentSleepCounts() {
        counters.sleeps(System.nanoTime() - 1_000_000);
        assertThat(counters.get(RdmaCounter.NANOS_ASLEEP)).isGreaterThanOrEqualTo(1_000_000);
    }

    @Test
    void timeAsleepDoesNotGoBackWhenASleepEnds() {
        counters.sleeps(System.nanoTime() - 1_000_000);
        long asleep = counters.get(RdmaCounter.NANOS_ASLEEP);
        counters.wakes();
        counters.slept(1);
        assertThat(counters.get(RdmaCounter.NANOS_ASLEEP)).isEqualTo(asleep);
        counters.slept(asleep);
        assertThat(counters.get(RdmaCounter.NANOS_ASLEEP)).isEqualTo(asleep + 1);
    }

    @Test
    void receivesAreCountedByTheirRoom() {
        assertThat(RdmaGauge.ofReceives(1 << 10)).isEqualTo(RdmaGauge.RECEIVES_UP_TO_1_KIB);
        assertThat(RdmaGauge.ofReceives((1 << 10) + 1)).isEqualTo(RdmaGauge.RECEIVES_UP_TO_8_KIB);
        assertThat(RdmaGauge.ofReceives(64 << 10)).isEqualTo(RdmaGauge.RECEIVES_UP_TO_64_KIB);
        assertThat(RdmaGauge.ofReceives((64 << 10) + 1)).isEqualTo(RdmaGauge.RECEIVES_LARGER);
    }
}
