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
package io.nettyrdma.remote;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.nettyrdma.verbs.MemoryAccess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.EnumSet;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class RemoteMemoryTest {

    private static final String EXAMPLE = "0011223344556677" + "0000000100000000" + "89abcdef" + "03" + "000000";

    private final RemoteMemory memory = new RemoteMemory(0x0011223344556677L, 1L << 32, 0x89abcdef,
            Set.of(MemoryAccess.REMOTE_WRITE, MemoryAccess.REMOTE_READ));

    @Test
    void encodedFormMatchesThePage() {
        ByteBuf encoded = Unpooled.buffer();
        memory.encode(encoded);
        assertThat(encoded.readableBytes()).isEqualTo(RemoteMemory.SIZE);
        assertThat(ByteBufUtil.hexDump(encoded)).isEqualTo(EXAMPLE);
        assertThat(RemoteMemory.decode(encoded)).isEqualTo(memory).hasSameHashCodeAs(memory);
        assertThat(encoded.isReadable()).isFalse();
    }

    @Test
    void everyAccessHasABit() {
        for (MemoryAccess each : EnumSet.of(MemoryAccess.REMOTE_WRITE, MemoryAccess.REMOTE_READ,
                MemoryAccess.REMOTE_ATOMIC)) {
            ByteBuf encoded = Unpooled.buffer();
            new RemoteMemory(8, 8, 1, Set.of(each)).encode(encoded);
            RemoteMemory decoded = RemoteMemory.decode(encoded);
            for (MemoryAccess other : MemoryAccess.values()) {
                assertThat(decoded.allows(other)).as("%s of %s", other, each).isEqualTo(other == each);
            }
        }
    }

    /** Access 8, a reserved byte, and a negative length. */
    @ParameterizedTest
    @ValueSource(strings = {
            "0000000000000000" + "0000000000000001" + "00000000" + "08" + "000000",
            "0000000000000000" + "0000000000000001" + "00000000" + "01" + "000001",
            "0000000000000000" + "8000000000000000" + "00000000" + "01" + "000000"
    })
    void invalidEncodedMemoryIsRefused(String hex) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RemoteMemory.decode(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex))));
    }

    @Test
    void localAccessIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RemoteMemory(0, 1, 0, Set.of(MemoryAccess.LOCAL_WRITE)))
                .withMessageContaining("LOCAL_WRITE");
    }

    @Test
    void sliceIsWithinItsMemory() {
        RemoteMemory slice = memory.slice(16, 8);
        assertThat(slice.address()).isEqualTo(memory.address() + 16);
        assertThat(slice.length()).isEqualTo(8);
        assertThat(slice.key()).isEqualTo(memory.key());
        assertThatThrownBy(() -> slice.slice(1, 8)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> slice.slice(-1, 1)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void toStringHidesTheKey() {
        assertThat(memory).asString().doesNotContain("89abcdef").doesNotContain(String.valueOf(0x89abcdef));
    }
}
