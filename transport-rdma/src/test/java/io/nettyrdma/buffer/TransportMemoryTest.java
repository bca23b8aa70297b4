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
package io.nettyrdma.buffer;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class TransportMemoryTest {

    private static final int MOST = 800;

    private final TransportMemory memory = new TransportMemory(MOST);

    @Test
    void optionalMemoryIsRefusedBeforeRequiredMemory() {
        assertThat(memory.takeIfPlenty(299)).isTrue();
        assertThat(memory.takeIfPlenty(50)).as("begins below three eighths").isTrue();
        assertThat(memory.takeIfPlenty(1)).isFalse();
        memory.takeRequired(50);
        memory.takeRequired(100);
        assertThat(memory.bytes()).isEqualTo(499);
        assertThatExceptionOfType(OutOfRegisteredMemoryError.class).isThrownBy(() -> memory.takeRequired(10))
                .withMessageContainingAll("no 10 bytes", "have 499 of the 800 bytes", "the other half",
                        "INITIAL_WINDOW", "-Dio.nettyrdma.allocator.maxRegisteredBytes");
        assertThat(memory.bytes()).as("what was refused is not counted").isEqualTo(499);
    }

    @Test
    void returnedMemoryCanBeTakenAgain() {
        memory.takeRequired(400);
        assertThatExceptionOfType(OutOfRegisteredMemoryError.class).isThrownBy(() -> memory.takeRequired(1));
        memory.give(1);
        memory.takeRequired(1);
        memory.give(101);
        assertThat(memory.takeIfPlenty(1)).isTrue();
        assertThat(memory.takeIfPlenty(1)).isFalse();
        memory.give(300);
        assertThat(memory.bytes()).isZero();
    }

    /** However small the limit is, one connection gets its slabs. */
    @Test
    void firstAllocationMayExceedTheLimit() {
        memory.takeRequired(MOST);
        assertThat(memory.takeIfPlenty(1)).isFalse();
    }
}
