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

import io.netty.buffer.ByteBuf;
import io.nettyrdma.jni.MemoryNative;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A device finds the buffer's content at the buffer's address. */
class MemoryAddressTest {

    @RegisterExtension
    final TestBuffers buffers = new TestBuffers();

    private static void assertThere(ByteBuf buffer, byte[] expected) {
        assertThat(buffer.hasMemoryAddress()).isTrue();
        ByteBuffer there = MemoryNative.view(buffer.memoryAddress(), expected.length);
        byte[] got = new byte[expected.length];
        there.get(got);
        assertThat(got).as("%s at 0x%x", buffer, buffer.memoryAddress()).isEqualTo(expected);
        there.put(0, ++expected[0]);
        assertThat(buffer.getByte(0)).isEqualTo(expected[0]);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "COMPOSITE")
    void memoryAddressIsThatOfTheFirstByte(Shape shape) {
        for (int length : new int[] { 1, 100, 5000, TestAllocator.CHUNK + 1 }) {
            byte[] bytes = buffers.randomBytes(length);
            ByteBuf buffer = shape.make(buffers, bytes);
            assertThere(buffer, bytes);
            buffer.setIndex(length / 2, length);
            assertThere(buffer, bytes);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 64, 200, 5000, TestAllocator.CHUNK + 1 })
    void memoryAddressChangesWhenTheBytesMove(int newCapacity) {
        ByteBuf buffer = buffers.direct(1000);
        ByteBuf duplicate = buffer.duplicate();
        byte[] bytes = buffers.randomBytes(newCapacity);
        buffer.capacity(newCapacity).setBytes(0, bytes);
        assertThere(buffer, bytes);
        assertThere(duplicate, bytes);
    }

    @Test
    void compositeOfSeveralBuffersHasNoAddress() {
        ByteBuf composite = Shape.COMPOSITE.make(buffers, 100);
        assertThat(composite.hasMemoryAddress()).isFalse();
        assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(composite::memoryAddress);
    }
}
