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
package io.nettyrdma.protocol;

import io.nettyrdma.support.Seed;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/** A failure reports its seed; {@code -Dio.nettyrdma.test.seed} repeats it. */
class GrantedSizesTest {

    private static final int STEPS = 20_000;
    /** Sizes between which a sender can distinguish without a loss. */
    private static final int RUNS = 8;

    @RegisterExtension
    final Seed seed = new Seed();
    private final Random random = seed.newRandom();

    /** The model has the size of each receive. */
    @ParameterizedTest
    @ValueSource(ints = { 0, Integer.MAX_VALUE - STEPS, Integer.MIN_VALUE - 5, -STEPS, -1 })
    void sizesOfReceivesMatchAModel(int start) {
        GrantedSizes sizes = new GrantedSizes();
        List<Integer> model = new ArrayList<>();
        int used = 0;
        int receive = 1040;
        sizes.announced(start, receive);
        for (int step = 0; step < STEPS; step++) {
            if (random.nextInt(3) == 0 && runs(model, used) < RUNS) {
                receive = 64 << random.nextInt(4);
            }
            int more = random.nextInt(4);
            if (more > 0) {
                sizes.announced(start + model.size(), receive);
            }
            for (int i = 0; i < more; i++) {
                model.add(receive);
            }
            for (int count = random.nextInt(5); count > 0 && used < model.size(); count--) {
                assertThat(sizes.of(start + used + 1)).as("receive %d, %s", used, seed).isEqualTo(model.get(used));
                used++;
            }
        }
    }

    private static int runs(List<Integer> model, int used) {
        int runs = 1;
        // The run that was used last may not be dropped yet.
        for (int i = Math.max(1, used); i < model.size(); i++) {
            runs += model.get(i).equals(model.get(i - 1)) ? 0 : 1;
        }
        return runs;
    }

    /** However often the size changes, no frame is too long, and the newest size counts again soon. */
    @ParameterizedTest
    @ValueSource(ints = { 0, Integer.MAX_VALUE - 50, -50 })
    void sizesThatChangeTooOftenMakeFramesShorter(int start) {
        GrantedSizes sizes = new GrantedSizes();
        List<Integer> model = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            int receive = 64 + random.nextInt(1 << 16);
            sizes.announced(start + i, receive);
            model.add(receive);
        }
        for (int i = 0; i < 100; i++) {
            assertThat(sizes.of(start + i + 1)).as("receive %d, %s", i, seed).isPositive()
                    .isLessThanOrEqualTo(model.get(i));
        }
        sizes.announced(start + 100, 1 << 20);
        assertThat(sizes.of(start + 101)).isEqualTo(1 << 20);
    }
}
