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

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CmEventTypeTest {

    @Test
    void numbersMatchRdmaCore() {
        assertThat(CmEventType.of(0)).isEqualTo(CmEventType.ADDR_RESOLVED);
        assertThat(CmEventType.of(4)).isEqualTo(CmEventType.CONNECT_REQUEST);
        assertThat(CmEventType.of(9)).isEqualTo(CmEventType.ESTABLISHED);
        assertThat(CmEventType.of(15)).isEqualTo(CmEventType.TIMEWAIT_EXIT);
    }

    @Test
    void futureNumberIsUnknown() {
        for (int number : new int[] { -1, 16, 17, 32, Integer.MAX_VALUE, Integer.MIN_VALUE }) {
            assertThat(CmEventType.of(number)).isEqualTo(CmEventType.UNKNOWN);
        }
        assertThat(CmEventType.UNKNOWN.isFailure()).isFalse();
    }
}
