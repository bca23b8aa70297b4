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
package io.nettyrdma.cm;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class CmQueuePairTest {

    /** Codes of {@code ibv_qp_attr.timeout}, of which 0 is infinite. */
    @ParameterizedTest
    @CsvSource({ "0, 20", "1, 1", "14, 14", "20, 20", "21, 20", "31, 20" })
    void thePeersAckTimeoutIsLimited(int requested, int granted) {
        assertThat(CmQueuePair.limited(requested)).isEqualTo(granted);
    }
}
