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
package io.nettyrdma.memory;

import io.nettyrdma.support.Seed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Random;
import java.util.TreeSet;

import static org.assertj.core.api.Assertions.assertThat;

class NumberSetTest {

    @RegisterExtension
    final Seed seed = new Seed();

    private final NumberSet set = new NumberSet();

    @Test
    void newSetIsEmpty() {
        assertThat(set.lowest()).isEqualTo(NumberSet.NONE);
        assertThat(set.highest()).isEqualTo(NumberSet.NONE);
        set.remove(1_000_000);
        assertThat(set.lowest()).isEqualTo(NumberSet.NONE);
    }

    /** For each height of the tree. */
    @ParameterizedTest
    @ValueSource(ints = { 0, 63, 64, 4095, 4096, 262_143, 262_144, 5_000_000 })
    void setContainsNumbersFromAddToRemove(int number) {
        set.add(number);
        set.add(number);
        assertThat(set.lowest()).isEqualTo(number);
        assertThat(set.highest()).isEqualTo(number);
        set.remove(number);
        assertThat(set.lowest()).isEqualTo(NumberSet.NONE);
        set.add(7);
        assertThat(set.lowest()).isEqualTo(7);
    }

    @ParameterizedTest
    @ValueSource(ints = { 10, 100, 5_000, 300_000 })
    void lowestAndHighestOfManyAreFound(int bound) {
        Random random = seed.newRandom();
        TreeSet<Integer> model = new TreeSet<>();
        for (int i = 0; i < 20_000; i++) {
            int number = random.nextInt(bound);
            if (random.nextBoolean()) {
                set.add(number);
                model.add(number);
            } else {
                set.remove(number);
                model.remove(number);
            }
            assertThat(set.lowest()).isEqualTo(model.isEmpty() ? NumberSet.NONE : model.first());
            assertThat(set.highest()).isEqualTo(model.isEmpty() ? NumberSet.NONE : model.last());
        }
    }
}
