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

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class WorkRequestNumberTest {

    @ParameterizedTest
    @ValueSource(ints = { 0, 1, 12345, Integer.MAX_VALUE })
    void aReceiveIsKnownByItsSlot(int slot) {
        int number = WorkRequestNumber.ofReceive(slot);
        assertThat(WorkRequestNumber.isReceive(number)).isTrue();
        assertThat(WorkRequestNumber.slot(number)).isEqualTo(slot);
    }

    /** Frames are counted on for ever; what the device gets of the count is never taken for a receive. */
    @ParameterizedTest
    @ValueSource(ints = { 0, 1, Integer.MAX_VALUE, Integer.MIN_VALUE, -1 })
    void aSendIsNoReceiveHoweverManyThereWere(int frame) {
        int number = WorkRequestNumber.ofSend(frame);
        assertThat(WorkRequestNumber.isReceive(number)).isFalse();
        assertThat(number).isEqualTo(frame & Integer.MAX_VALUE);
    }
}
