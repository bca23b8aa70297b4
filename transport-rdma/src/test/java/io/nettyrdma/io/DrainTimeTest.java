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

class DrainTimeTest {

    private static final int MANY = DrainTime.TURNS * 1000;

    @Test
    void timeIsLeftUntilTheSecondIsOverHoweverManyTurns() {
        assertThat(DrainTime.isLeft(DrainTime.USUAL_NANOS - 1, MANY)).isTrue();
        assertThat(DrainTime.isLeft(DrainTime.USUAL_NANOS, MANY)).isFalse();
    }

    @Test
    void machineThatStoodStillLeavesTimeForTheTurns() {
        assertThat(DrainTime.isLeft(DrainTime.USUAL_NANOS * 3, DrainTime.TURNS - 1)).isTrue();
        assertThat(DrainTime.isLeft(DrainTime.USUAL_NANOS * 3, DrainTime.TURNS)).isFalse();
    }

    @Test
    void noTimeIsLeftAfterTenSecondsHoweverFewTurns() {
        assertThat(DrainTime.isLeft(DrainTime.LONGEST_NANOS - 1, 1)).isTrue();
        assertThat(DrainTime.isLeft(DrainTime.LONGEST_NANOS, 1)).isFalse();
    }
}
