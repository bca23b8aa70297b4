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
package io.nettyrdma.jni;

import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class NativeMemoryTest {

    private final NativeMemory memory = new NativeMemory(16);

    @Test
    void newMemoryIsZero() {
        assertThat(memory.size()).isEqualTo(16);
        assertThat(memory.bytes(0, 16)).isEqualTo(new byte[16]);
    }

    @Test
    void numbersHaveTheNativeByteOrder() {
        byte[] bytes = { 8, 7, 6, 5, 4, 3, 2, 1 };
        if (ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN) {
            bytes = new byte[] { 1, 2, 3, 4, 5, 6, 7, 8 };
        }
        assertThat(memory.putU64(0, 0x0102030405060708L).bytes(0, 8)).isEqualTo(bytes);
        assertThat(memory.u64(0)).isEqualTo(0x0102030405060708L);
    }

    @Test
    void smallNumbersAreUnsigned() {
        assertThat(memory.putU8(3, 0x80).u8(3)).isEqualTo(0x80);
        assertThat(memory.putU16(4, 0x8001).u16(4)).isEqualTo(0x8001);
    }

    @Test
    void allBitsOfLargeNumbersAreKept() {
        assertThat(memory.putU32(0, 0xfedcba98).u32(0)).isEqualTo(0xfedcba98);
        assertThat(memory.putU64(8, 0xfedcba9876543210L).u64(8)).isEqualTo(0xfedcba9876543210L);
    }

    @Test
    void putChangesOnlyItsOwnBytes() {
        memory.putBytes(0, new byte[] { -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1 });
        memory.putU8(0, 0).putU16(2, 0).putU32(8, 0);
        assertThat(memory.bytes(0, 16))
                .isEqualTo(new byte[] { 0, -1, 0, 0, -1, -1, -1, -1, 0, 0, 0, 0, -1, -1, -1, -1 });
    }

    @Test
    void stringsEndAtTheFirstZero() {
        memory.putBytes(2, "mlx5_0\0junk".getBytes(US_ASCII));
        assertThat(memory.string(2, 14)).isEqualTo("mlx5_0");
    }

    @Test
    void stringsEndWhereTheirFieldEnds() {
        memory.putBytes(0, "abcdefgh".getBytes(US_ASCII));
        assertThat(memory.string(0, 4)).isEqualTo("abcd");
        assertThat(memory.string(8, 4)).isEmpty();
    }

    @Test
    void accessOutsideIsRefused() {
        assertOutside(() -> memory.u8(16));
        assertOutside(() -> memory.u8(-1));
        assertOutside(() -> memory.u16(15));
        assertOutside(() -> memory.u32(13));
        assertOutside(() -> memory.u64(9));
        assertOutside(() -> memory.bytes(8, 9));
        assertOutside(() -> memory.string(16, 1));
        assertOutside(() -> memory.putU8(16, 0));
        assertOutside(() -> memory.putU16(15, 0));
        assertOutside(() -> memory.putU32(13, 0));
        assertOutside(() -> memory.putU64(9, 0));
        assertOutside(() -> memory.putBytes(15, new byte[2]));
    }

    @Test
    void memoriesDoNotOverlap() {
        NativeMemory other = new NativeMemory(16);
        assertThat(memory.address()).isPositive();
        assertThat(Math.abs(memory.address() - other.address())).isGreaterThanOrEqualTo(16);
    }

    /** Of all sizes, those that share a block and those that do not; each is filled as soon as it exists. */
    @Test
    void manyMemoriesAreZeroedAndDoNotOverlap() {
        List<NativeMemory> all = new ArrayList<>();
        for (int size = 1; size < 1200; size++) {
            NativeMemory added = new NativeMemory(size);
            byte[] filling = new byte[size];
            assertThat(added.bytes(0, size)).as("of %d bytes", size).isEqualTo(filling);
            Arrays.fill(filling, (byte) size);
            all.add(added.putBytes(0, filling));
        }
        for (NativeMemory each : all) {
            byte[] filling = new byte[each.size()];
            Arrays.fill(filling, (byte) each.size());
            assertThat(each.bytes(0, each.size())).isEqualTo(filling);
        }
    }

    /** Fields are read with natural alignment, so records must begin at a multiple of 8. */
    @Test
    void memoryIsAlignedForEveryRecord() {
        for (int size = 1; size < 64; size++) {
            assertThat(new NativeMemory(size).address() % 8).as("%d bytes", size).isZero();
        }
    }

    @Test
    void aBuffersAddressDoesNotCountItsPosition() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(8);
        long address = NativeMemory.address(buffer);
        buffer.position(5);
        assertThat(NativeMemory.address(buffer)).isEqualTo(address).isPositive();
        buffer.position(4);
        assertThat(NativeMemory.address(buffer.slice())).isEqualTo(address + 4);
    }

    @Test
    void aHeapBufferIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> NativeMemory.address(ByteBuffer.allocate(8)))
                .withMessageContaining("only access direct buffers").withMessageContaining("HeapByteBuffer");
    }

    private static void assertOutside(Runnable access) {
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(access::run);
    }
}
