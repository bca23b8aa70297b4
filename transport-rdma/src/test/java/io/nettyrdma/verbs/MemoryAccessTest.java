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
package io.nettyrdma.verbs;

import org.junit.jupiter.api.Test;

import static io.nettyrdma.verbs.MemoryAccess.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class MemoryAccessTest {

    /** {@code enum ibv_access_flags}. */
    @Test
    void flagsMatchVerbs() {
        assertThat(MemoryAccess.flags()).isZero();
        assertThat(MemoryAccess.flags(LOCAL_WRITE)).isEqualTo(1);
        assertThat(MemoryAccess.flags(REMOTE_WRITE)).isEqualTo(2);
        assertThat(MemoryAccess.flags(REMOTE_READ)).isEqualTo(4);
        assertThat(MemoryAccess.flags(REMOTE_ATOMIC)).isEqualTo(8);
        assertThat(MemoryAccess.flags(RELAXED_ORDERING)).isEqualTo(1 << 20);
        assertThat(MemoryAccess.flags(MemoryAccess.values())).isEqualTo(1 << 20 | 15);
    }

    @Test
    void flagIsFoundInACombination() {
        for (MemoryAccess each : MemoryAccess.values()) {
            assertThat(each.isIn(MemoryAccess.flags(MemoryAccess.values()))).isTrue();
            assertThat(each.isIn(~MemoryAccess.flags(each))).isFalse();
        }
    }

    @Test
    void remoteWriteRequiresLocalWrite() {
        assertRefused(REMOTE_WRITE);
        assertRefused(REMOTE_ATOMIC);
        assertRefused(REMOTE_READ, REMOTE_WRITE, RELAXED_ORDERING);
        assertThat(MemoryAccess.regionFlags(REMOTE_WRITE, LOCAL_WRITE)).isEqualTo(3);
        assertThat(MemoryAccess.regionFlags(REMOTE_ATOMIC, LOCAL_WRITE)).isEqualTo(9);
    }

    @Test
    void remoteReadRequiresNoLocalWrite() {
        assertThat(MemoryAccess.regionFlags()).isZero();
        assertThat(MemoryAccess.regionFlags(REMOTE_READ)).isEqualTo(4);
    }

    private static void assertRefused(MemoryAccess... access) {
        assertThatIllegalArgumentException().isThrownBy(() -> MemoryAccess.regionFlags(access))
                .withMessageContaining("require LOCAL_WRITE");
    }
}
