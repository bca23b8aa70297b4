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
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** The test determines intervals and rounds. */
class KeepaliveTest {

    private static final int SILENCES = 3;

    private final Keepalive keepalive = new Keepalive(SILENCES, 0);
    private long rounds;

    @Test
    void silentPeerGetsOnePingAndIsDeadAfterwards() {
        assertThat(busyInterval()).isEqualTo(Step.ASK);
        keepalive.pingSent(rounds);
        assertThat(busyInterval()).isEqualTo(Step.QUIET);
        assertThat(busyInterval()).isEqualTo(Step.DEAD);
    }

    @Test
    void silenceAfterAnAnswerSendsAnotherPing() {
        assertThat(busyInterval()).isEqualTo(Step.ASK);
        keepalive.pingSent(rounds);
        assertThat(busyInterval()).isEqualTo(Step.QUIET);
        keepalive.onFrame();
        assertThat(busyInterval()).isEqualTo(Step.QUIET);
        assertThat(busyInterval()).isEqualTo(Step.ASK);
        keepalive.pingSent(rounds);
        assertThat(busyInterval()).isEqualTo(Step.QUIET);
        assertThat(busyInterval()).isEqualTo(Step.DEAD);
    }

    /** However many intervals have passed. */
    @Test
    void silentPeerGetsAPingAfterAPauseOfTheLoop() {
        for (int i = 0; i < 10; i++) {
            assertThat(keepalive.check(rounds)).as("nothing was handed out").isEqualTo(Step.QUIET);
        }
        assertThat(busyInterval()).isEqualTo(Step.ASK);
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 1 })
    void pausesOfTheLoopDoNotCount(int roundsInAnInterval) {
        assertThat(busyInterval()).isEqualTo(Step.ASK);
        keepalive.pingSent(rounds);
        assertThat(busyInterval()).isEqualTo(Step.QUIET);
        rounds += roundsInAnInterval;
        assertThat(keepalive.check(rounds)).as("the loop stood still").isEqualTo(Step.QUIET);
        assertThat(busyInterval()).isEqualTo(Step.DEAD);
    }

    /** A PING that waits for room has not been sent yet. */
    @Test
    void timeoutStartsWhenThePingIsPosted() {
        assertThat(busyInterval()).isEqualTo(Step.ASK);
        assertThat(keepalive.awaitsPing()).isTrue();
        assertThat(busyInterval()).isEqualTo(Step.QUIET);
        keepalive.pingSent(rounds);
        assertThat(keepalive.awaitsPing()).isFalse();
        assertThat(busyInterval()).isEqualTo(Step.QUIET);
        assertThat(busyInterval()).isEqualTo(Step.DEAD);
    }

    @Test
    void peerWithoutCreditsForPingIsDead() {
        assertThat(busyInterval()).isEqualTo(Step.ASK);
        assertThat(busyInterval()).isEqualTo(Step.QUIET);
        assertThat(busyInterval()).isEqualTo(Step.DEAD);
    }

    @Test
    void frameDuringPingKeepsPeerAlive() {
        assertThat(busyInterval()).isEqualTo(Step.ASK);
        keepalive.onFrame();
        assertThat(busyInterval()).isEqualTo(Step.QUIET);
        assertThat(keepalive.awaitsPing()).isFalse();
        assertThat(busyInterval()).isEqualTo(Step.ASK);
    }

    @Test
    void frameBeforeALateCheckKeepsPeerAlive() {
        keepalive.onFrame();
        assertThat(keepalive.check(rounds)).isEqualTo(Step.QUIET);
        assertThat(busyInterval()).isEqualTo(Step.ASK);
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 0, -1 })
    void peerHasOneIntervalToAnswer(int silences) {
        assertThatIllegalArgumentException().isThrownBy(() -> new Keepalive(silences, 0))
                .withMessageContaining("dead after " + silences);
    }

    /** An interval in which the loop repeatedly dispatches everything that arrives. */
    private Step busyInterval() {
        rounds += 1000;
        return keepalive.check(rounds);
    }
}
