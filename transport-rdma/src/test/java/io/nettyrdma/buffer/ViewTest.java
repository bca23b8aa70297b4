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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.ByteOrder;
import java.nio.ReadOnlyBufferException;
import java.util.Arrays;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Slices and duplicates: the same memory with other indexes. */
class ViewTest {

    private static final int CAPACITY = 100;

    @RegisterExtension
    final TestBuffers buffers = new TestBuffers();

    @ParameterizedTest
    @EnumSource
    void sliceShowsAPartOfTheBuffer(Shape shape) {
        byte[] bytes = buffers.randomBytes(CAPACITY);
        ByteBuf buffer = shape.make(buffers, bytes);
        ByteBuf slice = buffer.slice(13, 50);
        assertThat(slice.capacity()).isEqualTo(50);
        assertThat(slice.maxCapacity()).isEqualTo(50);
        assertThat(slice.readerIndex()).isZero();
        assertThat(slice.writerIndex()).isEqualTo(50);
        assertThat(slice.isWritable()).isFalse();
        assertThat(TestBuffers.readable(slice)).isEqualTo(Arrays.copyOfRange(bytes, 13, 63));
        assertThat(slice.alloc()).isSameAs(TestAllocator.get());
        assertThat(slice.isDirect()).isTrue();
        assertThat(slice.unwrap()).isNotNull();
        assertSameMemory(buffer, slice, 13);

        slice.setByte(0, bytes[13] + 1).setByte(49, bytes[62] + 1);
        bytes[13]++;
        bytes[62]++;
        assertThat(TestBuffers.content(buffer)).isEqualTo(bytes);
        buffer.setZero(20, 10);
        Arrays.fill(bytes, 20, 30, (byte) 0);
        assertThat(TestBuffers.content(slice)).isEqualTo(Arrays.copyOfRange(bytes, 13, 63));
    }

    @ParameterizedTest
    @EnumSource
    void sliceWithoutIndexesHasTheReadableBytes(Shape shape) {
        byte[] bytes = buffers.randomBytes(CAPACITY);
        ByteBuf buffer = shape.make(buffers, bytes).setIndex(7, 77);
        ByteBuf slice = buffer.slice();
        assertThat(TestBuffers.content(slice)).isEqualTo(Arrays.copyOfRange(bytes, 7, 77));
        slice.readerIndex(30);
        assertThat(buffer.readerIndex()).isEqualTo(7);
        assertSameMemory(buffer, slice, 7);
        assertThat(buffer.setIndex(5, 5).slice().capacity()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void slicesOfSlices(Shape shape) {
        byte[] bytes = buffers.randomBytes(CAPACITY);
        ByteBuf buffer = shape.make(buffers, bytes);
        ByteBuf view = buffer;
        int start = 0;
        for (int depth = 1; depth <= 6; depth++) {
            int skip = depth % 3;
            int end = view.capacity() - 4;
            view = depth % 2 == 1 ? view.slice(skip, end - skip) : view.duplicate().setIndex(skip, end).slice();
            start += skip;
            assertThat(TestBuffers.content(view)).as("%d deep", depth)
                    .isEqualTo(Arrays.copyOfRange(bytes, start, start + view.capacity()));
            assertSameMemory(buffer, view, start);
            assertOutside(view, view.capacity());
        }
    }

    private static void assertOutside(ByteBuf view, int capacity) {
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> view.getByte(capacity));
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> view.setLong(capacity - 7, 1));
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> view.getByte(-1));
    }

    @ParameterizedTest
    @EnumSource
    void sliceOutsideTheBufferIsRefused(Shape shape) {
        ByteBuf buffer = shape.make(buffers, CAPACITY).writerIndex(50);
        int[][] outside = {
            { -1, 1 }, { CAPACITY + 1, 0 }, { 0, CAPACITY + 1 }, { 1, Integer.MAX_VALUE }, { Integer.MAX_VALUE, 1 }
        };
        for (int[] range : outside) {
            assertThatExceptionOfType(IndexOutOfBoundsException.class).as("%d from %d", range[1], range[0])
                    .isThrownBy(() -> buffer.slice(range[0], range[1]));
            assertThatExceptionOfType(IndexOutOfBoundsException.class).as("%d from %d", range[1], range[0])
                    .isThrownBy(() -> buffer.retainedSlice(range[0], range[1]));
        }
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> buffer.readSlice(51));
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> buffer.readRetainedSlice(51));
        assertThatIllegalArgumentException().isThrownBy(() -> buffer.readSlice(-1));
        assertThatThrownBy(() -> buffer.slice(5, -1))
                .isInstanceOfAny(IndexOutOfBoundsException.class, IllegalArgumentException.class);
        assertThat(buffer.readerIndex()).isZero();
        assertThat(buffer.slice(CAPACITY, 0).capacity()).isZero();
        assertThat(buffer.refCnt()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void duplicateHasIndependentIndexes(Shape shape) {
        byte[] bytes = buffers.randomBytes(CAPACITY);
        ByteBuf buffer = shape.make(buffers, bytes).setIndex(3, 90);
        ByteBuf duplicate = buffer.duplicate();
        assertThat(duplicate.readerIndex()).isEqualTo(3);
        assertThat(duplicate.writerIndex()).isEqualTo(90);
        assertThat(duplicate.capacity()).isEqualTo(CAPACITY);
        assertThat(duplicate.maxCapacity()).isEqualTo(buffer.maxCapacity());
        assertThat(duplicate.alloc()).isSameAs(TestAllocator.get());
        assertThat(TestBuffers.content(duplicate)).isEqualTo(bytes);
        assertSameMemory(buffer, duplicate, 0);

        duplicate.setIndex(10, 20).writeByte(1);
        bytes[20] = 1;
        assertThat(buffer.readerIndex()).isEqualTo(3);
        assertThat(buffer.writerIndex()).isEqualTo(90);
        assertThat(TestBuffers.content(buffer)).isEqualTo(bytes);
        buffer.setByte(21, 2);
        assertThat(duplicate.getByte(21)).isEqualTo((byte) 2);
    }

    @ParameterizedTest
    @EnumSource
    void readSliceAdvancesTheReaderIndex(Shape shape) {
        byte[] bytes = buffers.randomBytes(CAPACITY);
        ByteBuf buffer = shape.make(buffers, bytes).writerIndex(CAPACITY);
        ByteBuf first = buffer.readSlice(30);
        ByteBuf second = buffers.keep(buffer.readRetainedSlice(40));
        assertThat(buffer.readerIndex()).isEqualTo(70);
        assertThat(TestBuffers.readable(first)).isEqualTo(Arrays.copyOfRange(bytes, 0, 30));
        assertThat(TestBuffers.readable(second)).isEqualTo(Arrays.copyOfRange(bytes, 30, 70));
        assertThat(TestBuffers.readable(buffer)).isEqualTo(Arrays.copyOfRange(bytes, 70, CAPACITY));
        assertSameMemory(buffer, second, 30);
    }

    @ParameterizedTest
    @EnumSource
    void readOnlyViewRefusesWrites(Shape shape) {
        byte[] bytes = buffers.randomBytes(CAPACITY);
        ByteBuf buffer = shape.make(buffers, bytes).setIndex(5, 95);
        ByteBuf readOnly = buffer.asReadOnly();
        assertThat(readOnly.isReadOnly()).isTrue();
        assertThat(buffer.isReadOnly()).isFalse();
        assertThat(readOnly.asReadOnly().isReadOnly()).isTrue();
        assertThat(readOnly.isWritable()).isFalse();
        assertThat(readOnly.ensureWritable(1, true)).isEqualTo(1);
        for (ByteBuf each : new ByteBuf[] { readOnly, readOnly.duplicate(), readOnly.slice(0, CAPACITY) }) {
            for (Accessor accessor : Accessor.values()) {
                assertReadOnly(() -> accessor.set(each, 0, 1));
                assertThat(accessor.get(each, 9)).isEqualTo(accessor.get(bytes, 9, shape.order()));
            }
            assertReadOnly(() -> each.setBytes(0, new byte[1]));
            assertReadOnly(() -> each.setZero(0, 1));
            assertReadOnly(() -> each.capacity(1));
            assertReadOnly(() -> each.nioBuffer(0, 1).put(0, (byte) 1));
        }
        assertReadOnly(() -> readOnly.writeByte(1));
        assertReadOnly(() -> readOnly.ensureWritable(1));
        assertReadOnly(readOnly::discardReadBytes);
        assertThat(readOnly.hasArray()).isFalse();
        assertThat(TestBuffers.content(buffer)).isEqualTo(bytes);

        buffer.setByte(50, ++bytes[50]);
        assertThat(TestBuffers.content(readOnly)).isEqualTo(bytes);
        assertThat(readOnly.readByte()).isEqualTo(bytes[5]);
        assertThat(buffer.readerIndex()).isEqualTo(5);
    }

    private static void assertReadOnly(Runnable call) {
        assertThatExceptionOfType(ReadOnlyBufferException.class).isThrownBy(call::run);
    }

    @Test
    @SuppressWarnings("deprecation")
    void otherByteOrderIsAView() {
        ByteBuf buffer = buffers.direct(8).writeLong(0x0102030405060708L);
        assertThat(buffer.order()).isSameAs(ByteOrder.BIG_ENDIAN);
        assertThat(buffer.order(ByteOrder.BIG_ENDIAN)).isSameAs(buffer);
        ByteBuf swapped = buffer.order(ByteOrder.LITTLE_ENDIAN);
        assertThat(swapped.order()).isSameAs(ByteOrder.LITTLE_ENDIAN);
        assertThat(swapped.order(ByteOrder.BIG_ENDIAN)).isSameAs(buffer);
        assertThat(swapped.memoryAddress()).isEqualTo(buffer.memoryAddress());
        assertThat(swapped.nioBuffer(0, 4).order()).isSameAs(ByteOrder.LITTLE_ENDIAN);
        assertThat(swapped.slice(0, 4).getInt(0)).isEqualTo(0x04030201);
        assertThat(swapped.readShort()).isEqualTo((short) 0x0201);
        assertThat(buffer.readShort()).as("the indexes are shared").isEqualTo((short) 0x0304);
    }

    @Test
    void bufferWrapsNoOther() {
        ByteBuf buffer = buffers.direct(8);
        assertThat(buffer.unwrap()).isNull();
        assertThat(buffer.slice().unwrap()).isSameAs(buffer);
        assertThat(buffer.duplicate().unwrap()).isSameAs(buffer);
        assertThat(buffer.asReadOnly().unwrap()).isSameAs(buffer);
        assertThat(buffer.duplicate().slice().duplicate().unwrap().unwrap()).isIn(buffer, null);
        ByteBuf aware = buffers.leakAware(8, 8);
        assertThat(aware.unwrap()).as("what the leak detector wraps").isNotNull();
        assertThat(aware.unwrap().unwrap()).isNull();
    }

    /** Two buffers of the same length, whose addresses, if any, differ as their indexes do. */
    private static void assertSameMemory(ByteBuf whole, ByteBuf part, int index) {
        assertThat(part.hasMemoryAddress()).isEqualTo(whole.hasMemoryAddress());
        if (whole.hasMemoryAddress()) {
            assertThat(part.memoryAddress()).isEqualTo(whole.memoryAddress() + index);
        }
    }
}
