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

import io.nettyrdma.jni.NativeMemory;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class PortAttributesTest {

    private final NativeMemory record = new NativeMemory(40);

    @Test
    void mtusAreNumberedFrom256() {
        int[] bytes = { 256, 512, 1024, 2048, 4096 };
        for (int i = 0; i < bytes.length; i++) {
            assertThat(PortAttributes.mtuNumber(bytes[i])).isEqualTo(i + 1);
            assertThat(PortAttributes.mtuBytes(i + 1)).isEqualTo(bytes[i]);
        }
    }

    /** Values that a port may report while it is down. */
    @Test
    void missingMtuIsZeroBytes() {
        assertThat(PortAttributes.mtuBytes(0)).isZero();
    }

    @Test
    void otherMtusAreRefused() {
        for (int bytes : new int[] { 0, -256, 128, 1500, 8192 }) {
            assertThatIllegalArgumentException().isThrownBy(() -> PortAttributes.mtuNumber(bytes))
                    .withMessage("an MTU must be 256, 512, 1024, 2048 or 4096 bytes, not " + bytes);
        }
    }

    @Test
    void everyFieldIsReadFromItsOffset() {
        record.putU32(0, 4).putU32(4, 5).putU32(8, 3).putU32(12, 256).putU32(16, 128).putU32(20, 0x80000000)
                .putU32(24, 0xabcd).putU32(28, 2);
        assertThat(PortAttributes.read(record)).isEqualTo(new PortAttributes(PortAttributes.State.ACTIVE,
                PortAttributes.LinkLayer.ETHERNET, 4096, 1024, 256, 128, 1L << 31, 0xabcd));
    }

    /** {@code enum ibv_port_state} and {@code IBV_LINK_LAYER_*}. */
    @Test
    void statesAndLinkLayersAreNumbered() {
        assertThat(PortAttributes.State.values()).extracting(Enum::name)
                .containsExactly("NOP", "DOWN", "INIT", "ARMED", "ACTIVE", "ACTIVE_DEFER");
        for (PortAttributes.State state : PortAttributes.State.values()) {
            record.putU32(0, state.ordinal());
            assertThat(PortAttributes.read(record).state()).isEqualTo(state);
        }
        for (PortAttributes.LinkLayer layer : PortAttributes.LinkLayer.values()) {
            record.putU32(28, layer.ordinal());
            assertThat(PortAttributes.read(record).linkLayer()).isEqualTo(layer);
        }
        record.putU32(28, 3);
        assertThat(PortAttributes.read(record).linkLayer()).isEqualTo(PortAttributes.LinkLayer.UNSPECIFIED);
    }
}
