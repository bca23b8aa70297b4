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
package io.nettyrdma.stream;

import io.nettyrdma.stream.Keepalive.Step;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** The clock is the test's, and may be about to wrap around. */
class KeepaliveTest {

    private static final long IDLE = 100;
    private static final long TIMEOUT = 300;

    @ParameterizedTest
    @ValueSource(longs = { 0, -50, Long.MAX_VALUE - 150, Long.MIN_VALUE, Long.MAX_VALUE })
    void aSilentPeerIsAskedOnceAndIsDeadThen(long start) {
        Keepalive keepalive = new Keepalive(IDLE, TIMEOUT, start);
        assertThat(keepalive.check(start + IDLE - 1)).isEqualTo(Step.QUIET);
        assertThat(keepalive.nextCheck(start + IDLE - 1)).isEqualTo(1);
        assertThat(keepalive.check(start + IDLE)).isEqualTo(Step.ASK);
        assertThat(keepalive.nextCheck(start + IDLE)).isEqualTo(TIMEOUT - IDLE);
        assertThat(keepalive.check(start + IDLE + 1)).isEqualTo(Step.QUIET);
        assertThat(keepalive.check(start + TIMEOUT - 1)).isEqualTo(Step.QUIET);
        assertThat(keepalive.check(start + TIMEOUT)).isEqualTo(Step.DEAD);
        assertThat(keepalive.check(start + TIMEOUT + 1)).isEqualTo(Step.DEAD);
    }

    @ParameterizedTest
    @ValueSource(longs = { 0, Long.MAX_VALUE - 150 })
    void whoWasHeardIsAskedAnew(long start) {
        Keepalive keepalive = new Keepalive(IDLE, TIMEOUT, start);
        assertThat(keepalive.check(start + IDLE)).isEqualTo(Step.ASK);
        keepalive.heard();
        // That it was heard is noticed here, and dated now.
        assertThat(keepalive.check(start + 250)).isEqualTo(Step.QUIET);
        assertThat(keepalive.nextCheck(start + 250)).isEqualTo(IDLE);
        assertThat(keepalive.check(start + 349)).isEqualTo(Step.QUIET);
        assertThat(keepalive.check(start + 350)).isEqualTo(Step.ASK);
        assertThat(keepalive.check(start + 549)).isEqualTo(Step.QUIET);
        assertThat(keepalive.check(start + 550)).isEqualTo(Step.DEAD);
    }

    @Test
    void aCheckThatComesLateStillHearsThePeer() {
        Keepalive keepalive = new Keepalive(IDLE, TIMEOUT, 0);
        keepalive.heard();
        assertThat(keepalive.check(10 * TIMEOUT)).isEqualTo(Step.QUIET);
    }

    @Test
    void theNextCheckIsNeverNow() {
        Keepalive keepalive = new Keepalive(IDLE, TIMEOUT, 0);
        assertThat(keepalive.nextCheck(0)).isEqualTo(IDLE);
        assertThat(keepalive.nextCheck(IDLE)).isEqualTo(1);
        assertThat(keepalive.nextCheck(10 * TIMEOUT)).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({ "0, 1", "-1, 1", "1, 1", "2, 1", "1, 0" })
    void bothTimesArePositiveAndTheSecondIsLonger(long idle, long timeout) {
        assertThatIllegalArgumentException().isThrownBy(() -> new Keepalive(idle, timeout, 0))
                .withMessageContaining("asked after " + idle + " ns and dead after " + timeout + " ns");
    }
}
