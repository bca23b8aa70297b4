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

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ReceiveSizesTest {

    private static final int WINDOW = 16;
    private static final int HEADER = 16;

    private ReceiveSizes sizes = new ReceiveSizes(SizeRule.TRAFFIC, 1040, 8208, 65552);

    private void arrive(int frames, int payload) {
        for (int i = 0; i < frames; i++) {
            sizes.arrived(payload);
        }
    }

    private int decide() {
        int wanted = sizes.wanted(WINDOW);
        if (wanted != sizes.size()) {
            sizes.changed(wanted);
        }
        return sizes.bytes();
    }

    @Test
    void aQuarterOfAWindowOfFullFramesMakesThemLarger() {
        arrive(3, 1024);
        assertThat(decide()).isEqualTo(1040);
        arrive(1, 1024);
        assertThat(decide()).isEqualTo(8208);
        arrive(4, 8192);
        assertThat(decide()).isEqualTo(65552);
        arrive(100, 65536);
        assertThat(decide()).isEqualTo(65552);
    }

    @Test
    void fewFullFramesAmongManyDoNot() {
        for (int i = 0; i < 100; i++) {
            arrive(1, 1024);
            arrive(WINDOW, 100);
            assertThat(decide()).isEqualTo(1040);
        }
    }

    @Test
    void framesThatAreNearlyFullCount() {
        arrive(4, 1040 / 4 * 3 - HEADER - 1);
        assertThat(decide()).isEqualTo(1040);
        arrive(16, 1040 / 4 * 3 - HEADER);
        assertThat(decide()).isEqualTo(8208);
    }

    @Test
    void eightWindowsOfSmallFramesMakeThemSmaller() {
        sizes.changed(2);
        arrive(8 * WINDOW, 8192);
        assertThat(decide()).isEqualTo(65552);
        arrive(1, 8192);
        assertThat(decide()).isEqualTo(8208);
        arrive(8 * WINDOW + 1, 1024);
        assertThat(decide()).isEqualTo(1040);
        arrive(1000, 1);
        assertThat(decide()).isEqualTo(1040);
    }

    @Test
    void aLongFrameKeepsThemLarge() {
        sizes.changed(2);
        for (int i = 0; i < 10; i++) {
            arrive(8 * WINDOW, 64);
            arrive(1, 8193);
            assertThat(decide()).isEqualTo(65552);
        }
    }

    @Test
    void oneSizeStays() {
        ReceiveSizes one = new ReceiveSizes(SizeRule.TRAFFIC, 1040);
        for (int i = 0; i < 1000; i++) {
            one.arrived(i % 2 * 1024);
            assertThat(one.wanted(WINDOW)).isZero();
        }
    }

    /** Otherwise messages of exactly 1 KiB would change the size all the time. */
    @Test
    void growthsThatNoLongerFrameFollowsBecomeRare() {
        int changes = 0;
        for (int i = 0; i < 100_000; i++) {
            arrive(1, 1024);
            int before = sizes.bytes();
            changes += decide() == before ? 0 : 1;
        }
        assertThat(changes).isLessThan(2 * (8 + 100_000 / (8 * WINDOW + (WINDOW / 4 << 8))));
    }

    @Test
    void aLongerFrameMakesGrowthEasyAgain() {
        assertGrowsAfter(4);
        shrink();
        assertGrowsAfter(8);
        shrink();
        assertGrowsAfter(16);
        arrive(1, 1025);
        shrink();
        assertGrowsAfter(8);
    }

    private void assertGrowsAfter(int frames) {
        arrive(frames - 1, 1024);
        assertThat(decide()).isEqualTo(1040);
        arrive(1, 1024);
        assertThat(decide()).isEqualTo(8208);
    }

    private void shrink() {
        arrive(8 * WINDOW + 1, 1024);
        assertThat(decide()).isEqualTo(1040);
    }

    @Test
    void silenceForgetsUselessGrowths() {
        arrive(4, 1024);
        decide();
        arrive(8 * WINDOW + 1, 1024);
        assertThat(decide()).isEqualTo(1040);
        sizes.restart();
        arrive(4, 1024);
        assertThat(decide()).isEqualTo(8208);
    }
}
