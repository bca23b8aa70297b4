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
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteOrder;
import java.util.Arrays;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** Writable bytes: those that exist, those that are added, and those that cannot be. */
class WritableTest {

    /** What the second form of {@code ensureWritable} returns. */
    private static final int ENOUGH = 0;
    private static final int NOT_ENOUGH_AND_UNCHANGED = 1;
    private static final int MADE = 2;
    private static final int NOT_ENOUGH_AND_GROWN = 3;

    @RegisterExtension
    final TestBuffers buffers = new TestBuffers();

    private static void assertRefused(Runnable call) {
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(call::run);
    }

    @ParameterizedTest
    @EnumSource
    void ensureWritableWithEnoughRoomChangesNothing(Shape shape) {
        ByteBuf buffer = shape.make(buffers, 100).setIndex(0, 40);
        for (int wanted : new int[] { 0, 1, 59, 60 }) {
            assertThat(buffer.ensureWritable(wanted)).isSameAs(buffer);
            assertThat(buffer.ensureWritable(wanted, false)).isEqualTo(ENOUGH);
            assertThat(buffer.ensureWritable(wanted, true)).isEqualTo(ENOUGH);
        }
        assertThat(buffer.capacity()).isEqualTo(100);
        assertThat(buffer.writerIndex()).isEqualTo(40);
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 28, 29, 100, 1000, 70_000, TestAllocator.CHUNK })
    void ensureWritableGrowsTheCapacity(int wanted) {
        byte[] bytes = buffers.randomBytes(100);
        ByteBuf first = buffers.direct(100).writeBytes(bytes);
        ByteBuf second = buffers.direct(100).writeBytes(bytes);
        assertThat(first.ensureWritable(wanted)).isSameAs(first);
        assertThat(second.ensureWritable(wanted, false)).isEqualTo(MADE);
        for (ByteBuf buffer : new ByteBuf[] { first, second }) {
            assertThat(buffer.writableBytes()).isGreaterThanOrEqualTo(wanted);
            assertThat(TestBuffers.readable(buffer)).isEqualTo(bytes);
            long address = buffer.memoryAddress();
            buffer.writeZero(wanted);
            assertThat(buffer.memoryAddress()).as("the room was there").isEqualTo(address);
            assertThat(TestBuffers.readable(buffer)).startsWith(bytes).hasSize(100 + wanted);
        }
    }

    @Test
    void ensureWritableBeyondMaxCapacityIsRefused() {
        ByteBuf buffer = buffers.direct(100, 150).setIndex(0, 90);
        assertRefused(() -> buffer.ensureWritable(61));
        assertRefused(() -> buffer.ensureWritable(Integer.MAX_VALUE));
        assertThat(buffer.ensureWritable(61, false)).isEqualTo(NOT_ENOUGH_AND_UNCHANGED);
        assertThat(buffer.ensureWritable(Integer.MAX_VALUE, false)).isEqualTo(NOT_ENOUGH_AND_UNCHANGED);
        assertThat(buffer.capacity()).isEqualTo(100);
        assertThat(buffer.maxWritableBytes()).isEqualTo(60);

        assertThat(buffer.ensureWritable(61, true)).isEqualTo(NOT_ENOUGH_AND_GROWN);
        assertThat(buffer.capacity()).isEqualTo(150);
        assertThat(buffer.ensureWritable(61, true)).isEqualTo(NOT_ENOUGH_AND_UNCHANGED);
        assertThat(buffer.ensureWritable(60).capacity()).isEqualTo(150);
        assertThat(buffer.writerIndex()).isEqualTo(90);
    }

    @Test
    void ensureWritableUpToMaxCapacityGrows() {
        ByteBuf buffer = buffers.direct(64, 1000).setIndex(0, 64);
        assertThat(buffer.ensureWritable(936, false)).isEqualTo(MADE);
        assertThat(buffer.capacity()).isEqualTo(1000);
        assertThat(buffer.writeZero(936).isWritable()).isFalse();
        assertRefused(() -> buffer.writeByte(0));
    }

    @ParameterizedTest
    @EnumSource
    void negativeSizeIsRefused(Shape shape) {
        ByteBuf buffer = shape.make(buffers, 100);
        assertThatIllegalArgumentException().isThrownBy(() -> buffer.ensureWritable(-1));
        assertThatIllegalArgumentException().isThrownBy(() -> buffer.ensureWritable(-1, true));
        assertThatIllegalArgumentException().isThrownBy(() -> buffer.ensureWritable(Integer.MIN_VALUE, false));
    }

    /** 2^31 - 1 bytes after those written are more than an index can express. */
    @ParameterizedTest
    @EnumSource
    void overflowingSizeIsRefused(Shape shape) {
        ByteBuf buffer = shape.make(buffers, 100).setIndex(0, 1);
        assertRefused(() -> buffer.ensureWritable(Integer.MAX_VALUE));
        assertThat(buffer.ensureWritable(Integer.MAX_VALUE, false)).isEqualTo(NOT_ENOUGH_AND_UNCHANGED);
        assertThat(buffer.capacity()).isEqualTo(100);
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 64, 65, 100, 1000, 5000, 70_000 })
    void maxFastWritableBytesNeedNoMove(int capacity) {
        ByteBuf buffer = buffers.direct(capacity).writeZero(capacity / 2);
        int fast = buffer.maxFastWritableBytes();
        assertThat(fast).isBetween(buffer.writableBytes(), buffer.maxWritableBytes());
        long address = buffer.memoryAddress();
        buffer.writeZero(fast);
        assertThat(buffer.memoryAddress()).isEqualTo(address);
        ByteBuf bounded = buffers.direct(capacity, capacity).writeZero(capacity / 2);
        assertThat(bounded.maxFastWritableBytes()).isEqualTo(bounded.writableBytes());
    }

    /** Any write may move the buffer. */
    @Test
    void writesGrowTheBuffer() {
        for (Accessor accessor : Accessor.values()) {
            ByteBuf buffer = buffers.direct(1);
            byte[] bytes = new byte[3000];
            for (int at = 0; at <= bytes.length - accessor.width; at += accessor.width) {
                long value = buffers.random().nextLong();
                accessor.set(bytes, at, value, ByteOrder.BIG_ENDIAN);
                accessor.write(buffer, value);
            }
            int written = bytes.length / accessor.width * accessor.width;
            assertThat(TestBuffers.readable(buffer)).as("%s", accessor)
                    .isEqualTo(Arrays.copyOf(bytes, written));
        }
    }
}
