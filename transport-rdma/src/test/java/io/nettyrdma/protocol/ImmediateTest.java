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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ImmediateTest {

    @ParameterizedTest
    @ValueSource(ints = { 0, 1, Integer.MAX_VALUE })
    void valueRoundTrips(int value) throws Exception {
        assertThat(Immediate.ofApplication(value)).isNegative();
        assertThat(Immediate.value(Immediate.ofApplication(value))).isEqualTo(value);
    }

    @Test
    void reservedImmediateIsAViolation() {
        assertThatExceptionOfType(ProtocolException.class).isThrownBy(() -> Immediate.value(7))
                .withMessageContaining("0x7");
    }
}
