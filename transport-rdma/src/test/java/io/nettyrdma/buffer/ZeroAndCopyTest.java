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
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.Arrays;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** Zeroing, and copies with their own memory. */
class ZeroAndCopyTest {

    private static final int CAPACITY = 300;

    @RegisterExtension
    final TestBuffers buffers = new TestBuffers();

    @ParameterizedTest
    @EnumSource
    void setZeroChangesOnlyTheRequestedBytes(Shape shape) {
        byte[] bytes = buffers.randomBytes(CAPACITY);
        ByteBuf buffer = shape.make(buffers, bytes);
        for (int index = 0; index < 16; index++) {
            for (int length : new int[] { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 63, 64, 65, CAPACITY - 16 }) {
                byte[] expected = bytes.clone();
                Arrays.fill(expected, index, index + length, (byte) 0);
                assertThat(buffer.setZero(index, length)).isSameAs(buffer);
                assertThat(TestBuffers.content(buffer)).as("%d at %d", length, index).isEqualTo(expected);
                assertThat(buffer.writerIndex()).isZero();

                buffer.setBytes(0, bytes).writerIndex(index);
                assertThat(buffer.writeZero(length)).isSameAs(buffer);
                assertThat(TestBuffers.content(buffer)).as("%d at %d", length, index).isEqualTo(expected);
                assertThat(buffer.writerIndex()).isEqualTo(index + length);
                buffer.setBytes(0, bytes).clear();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void setZeroOutsideTheBufferIsRefused(Shape shape) {
        byte[] bytes = buffers.randomBytes(CAPACITY);
        ByteBuf buffer = shape.make(buffers, bytes);
        int[][] outside = { { -1, 1 }, { CAPACITY, 1 }, { 0, CAPACITY + 1 }, { 1, Integer.MAX_VALUE }, { 5, -1 } };
        for (int[] range : outside) {
            assertThatExceptionOfType(IndexOutOfBoundsException.class).as("%d from %d", range[1], range[0])
                    .isThrownBy(() -> buffer.setZero(range[0], range[1]));
        }
        assertThatIllegalArgumentException().isThrownBy(() -> buffer.writeZero(-1));
        assertThat(TestBuffers.content(buffer)).isEqualTo(bytes);
        assertThat(buffer.writerIndex()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void copyHasTheReadableBytesAndItsOwnMemory(Shape shape) {
        byte[] bytes = buffers.randomBytes(CAPACITY);
        ByteBuf buffer = shape.make(buffers, bytes).setIndex(10, 250);
        ByteBuf copy = buffers.keep(buffer.copy());
        byte[] expected = Arrays.copyOfRange(bytes, 10, 250);
        assertThat(copy.readerIndex()).isZero();
        assertThat(copy.writerIndex()).isEqualTo(240);
        assertThat(TestBuffers.readable(copy)).isEqualTo(expected);
        assertThat(copy.alloc()).isSameAs(TestAllocator.get());
        assertThat(copy.isDirect()).isTrue();

        buffer.setZero(0, CAPACITY);
        assertThat(TestBuffers.readable(copy)).isEqualTo(expected);
        buffer.setBytes(0, bytes);
        copy.setZero(0, copy.capacity());
        assertThat(TestBuffers.content(buffer)).isEqualTo(bytes);
        assertThat(buffer.readerIndex()).isEqualTo(10);
        assertThat(buffer.writerIndex()).isEqualTo(250);
    }

    @ParameterizedTest
    @EnumSource
    void copyOfARangeIgnoresTheIndexes(Shape shape) {
        byte[] bytes = buffers.randomBytes(CAPACITY);
        ByteBuf buffer = shape.make(buffers, bytes);
        for (int length : new int[] { 0, 1, 64, CAPACITY - 7 }) {
            ByteBuf copy = buffers.keep(buffer.copy(7, length));
            assertThat(TestBuffers.readable(copy)).isEqualTo(Arrays.copyOfRange(bytes, 7, 7 + length));
        }
        int[][] outside = { { -1, 1 }, { CAPACITY, 1 }, { 0, CAPACITY + 1 }, { 1, Integer.MAX_VALUE }, { 5, -1 } };
        for (int[] range : outside) {
            assertThatExceptionOfType(IndexOutOfBoundsException.class).as("%d from %d", range[1], range[0])
                    .isThrownBy(() -> buffer.copy(range[0], range[1]));
        }
    }

    @ParameterizedTest
    @EnumSource
    void readBytesCopiesAndAdvancesTheReaderIndex(Shape shape) {
        byte[] bytes = buffers.randomBytes(CAPACITY);
        ByteBuf buffer = shape.make(buffers, bytes).setIndex(5, CAPACITY);
        ByteBuf copy = buffers.keep(buffer.readBytes(100));
        assertThat(buffer.readerIndex()).isEqualTo(105);
        assertThat(copy.alloc()).isSameAs(TestAllocator.get());
        buffer.setZero(0, CAPACITY);
        assertThat(TestBuffers.readable(copy)).isEqualTo(Arrays.copyOfRange(bytes, 5, 105));
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> buffer.readBytes(CAPACITY));
        assertThatIllegalArgumentException().isThrownBy(() -> buffer.readBytes(-1));
        assertThat(buffer.readBytes(0).isReadable()).isFalse();
        assertThat(buffer.readerIndex()).isEqualTo(105);
    }
}
