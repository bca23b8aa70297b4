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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The sizes that a test forces, whatever arrives. */
class SizeRuleTest {

    private static final int WINDOW = 16;

    @ParameterizedTest
    @CsvSource({
            "alternate, 8208 65552 1040 8208",
            "smallest, 1040 1040 1040 1040",
            "middle, 8208 8208 8208 8208",
            "largest, 65552 65552 65552 65552",
    })
    void theRuleChoosesWhateverArrives(String rule, String expected) {
        assertThat(afterEachOfFourBatches(rule, 1, 1040, 8208, 65552)).isEqualTo(expected);
        assertThat(afterEachOfFourBatches(rule, 100, 1040, 8208, 65552)).isEqualTo(expected);
    }

    /** Devices with short queues, and connections with other options, have fewer sizes. */
    @ParameterizedTest
    @CsvSource({
            "alternate, 8208 1040 8208 1040",
            "smallest, 1040 1040 1040 1040",
            "middle, 8208 8208 8208 8208",
            "largest, 8208 8208 8208 8208",
    })
    void twoSizesAreEnough(String rule, String expected) {
        assertThat(afterEachOfFourBatches(rule, 100, 1040, 8208)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({ "traffic", "alternate", "smallest", "middle", "largest" })
    void oneSizeStays(String rule) {
        assertThat(afterEachOfFourBatches(rule, 100, 1040)).isEqualTo("1040 1040 1040 1040");
    }

    /** The sizes after batches of as many frames of 1 KiB. */
    private static String afterEachOfFourBatches(String rule, int frames, int... bytes) {
        ReceiveSizes sizes = new ReceiveSizes(SizeRule.parse(rule), bytes);
        List<String> after = new ArrayList<>();
        for (int batch = 0; batch < 4; batch++) {
            for (int i = 0; i < frames; i++) {
                sizes.arrived(1024);
            }
            int wanted = sizes.wanted(WINDOW);
            if (wanted != sizes.size()) {
                sizes.changed(wanted);
            }
            after.add(String.valueOf(sizes.bytes()));
        }
        return String.join(" ", after);
    }

    @Test
    void anotherValueIsRefusedWithThoseThatExist() {
        assertThatThrownBy(() -> SizeRule.parse("alternating")).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("-Dio.nettyrdma.receiveSizes=alternating is none of traffic, alternate, smallest, middle, "
                        + "largest");
        assertThatThrownBy(() -> SizeRule.parse("")).isInstanceOf(IllegalArgumentException.class);
    }
}
