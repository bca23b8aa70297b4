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

import static org.assertj.core.api.Assertions.assertThat;

class YieldPolicyTest {

    private static final long ALONE = 4_999;
    private static final long SHARED = 5_000;
    private static final long MOST_SHARED = 999_999;
    private static final long COMPUTED = 1_000_000;
    private static final long FIRST_DISPLACED = 5_000_000;
    private static final long LAST_DISPLACED = 80_000_000;
    private static final long CROWDED = 100_000_000;
    private static final long SPIN = 80;

    private long now = Long.MAX_VALUE - 10_000;
    private boolean isCrowded;
    private final YieldPolicy policy = new YieldPolicy(() -> isCrowded);

    /** Returns what of it is no part of the spin. */
    private long yields(long nanos) {
        long before = now;
        now += nanos;
        return policy.yielded(before, now);
    }

    private boolean isDisplaced() {
        boolean displaced = !policy.isDueBeforeSelect(now);
        assertThat(policy.spin(SPIN, now)).isEqualTo(displaced ? SPIN / 8 : SPIN);
        return displaced;
    }

    @Test
    void loopAloneYieldsBeforeSelects() {
        assertThat(policy.isDueAtLook()).isFalse();
        assertThat(isDisplaced()).isFalse();
        assertThat(yields(ALONE)).isZero();
        assertThat(policy.isDueAtLook()).isFalse();
        assertThat(isDisplaced()).isFalse();
    }

    @Test
    void loopAmongPollingThreadsYieldsAtEachClockReading() {
        assertThat(yields(SHARED)).isEqualTo(SHARED);
        assertThat(policy.isDueAtLook()).isTrue();
        assertThat(yields(MOST_SHARED)).isEqualTo(MOST_SHARED);
        assertThat(policy.isDueAtLook()).isTrue();
        assertThat(isDisplaced()).isFalse();
        yields(ALONE);
        assertThat(policy.isDueAtLook()).isFalse();
    }

    @Test
    void loopAmongMoreLoopsThanProcessorsDoesNotSpinForAWhile() {
        isCrowded = true;
        yields(ALONE);
        assertThat(policy.spin(SPIN, now)).isEqualTo(SPIN);
        assertThat(yields(SHARED)).isEqualTo(SHARED);
        now += CROWDED - 1;
        assertThat(policy.spin(SPIN, now)).isZero();
        now++;
        assertThat(policy.spin(SPIN, now)).isEqualTo(SPIN);
        assertThat(policy.isDueAtLook()).isTrue();
        yields(SHARED);
        assertThat(policy.spin(SPIN, now)).isZero();
    }

    @Test
    void crowdedLoopThatGetsItsProcessorBackAtOnceSpins() {
        isCrowded = true;
        yields(COMPUTED);
        assertThat(policy.spin(SPIN, now)).isZero();
        now += CROWDED;
        yields(ALONE);
        assertThat(policy.isDueAtLook()).isFalse();
        assertThat(policy.spin(SPIN, now)).isEqualTo(SPIN);
    }

    @Test
    void oneLongYieldDoesNotStopYields() {
        assertThat(yields(COMPUTED)).isZero();
        assertThat(policy.isDueAtLook()).isTrue();
        assertThat(isDisplaced()).isFalse();
        for (int i = 0; i < 4; i++) {
            yields(SHARED);
        }
        yields(COMPUTED);
        assertThat(isDisplaced()).isFalse();
    }

    @Test
    void longYieldsStopYieldsForAPause() {
        yields(COMPUTED);
        yields(SHARED);
        yields(ALONE);
        assertThat(isDisplaced()).isFalse();
        yields(COMPUTED);
        // Two others have passed since the first.
        assertThat(isDisplaced()).isFalse();
        yields(COMPUTED);
        assertThat(isDisplaced()).isTrue();
        assertThat(policy.isDueAtLook()).isFalse();
        now += FIRST_DISPLACED - 1;
        assertThat(isDisplaced()).isTrue();
        now++;
        assertThat(isDisplaced()).isFalse();
        assertThat(policy.isDueAtLook()).isFalse();
    }

    @Test
    void pauseDoublesWhileYieldsStayLong() {
        yields(COMPUTED);
        for (long expected = FIRST_DISPLACED; expected < 4 * LAST_DISPLACED; expected *= 2) {
            yields(COMPUTED);
            now += Math.min(expected, LAST_DISPLACED) - 1;
            assertThat(isDisplaced()).isTrue();
            now++;
            assertThat(isDisplaced()).isFalse();
        }
    }

    /** First the counted long yields are dropped, then the pause is the first one again. */
    @Test
    void shortYieldResetsThePause() {
        for (int i = 0; i < 5; i++) {
            yields(COMPUTED);
            now += LAST_DISPLACED;
        }
        for (int i = 0; i < 5; i++) {
            yields(ALONE);
        }
        yields(COMPUTED);
        yields(COMPUTED);
        now += FIRST_DISPLACED - 1;
        assertThat(isDisplaced()).isTrue();
        now++;
        assertThat(isDisplaced()).isFalse();
    }
}
