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
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A buffer that grows or shrinks may move. Its views follow. */
class ViewAfterCapacityChangeTest {

    private static final int CAPACITY = 1000;

    @RegisterExtension
    final TestBuffers buffers = new TestBuffers();

    @ParameterizedTest
    @ValueSource(ints = { 64, 200, 999, 1001, 1025, 70_000, TestAllocator.CHUNK + 1 })
    void viewsFollowMovedMemory(int newCapacity) {
        byte[] bytes = buffers.randomBytes(CAPACITY);
        ByteBuf buffer = buffers.direct(CAPACITY).writeBytes(bytes);
        ByteBuf slice = buffer.slice(10, 50);
        ByteBuf sliceOfSlice = slice.slice(5, 20);
        ByteBuf duplicate = buffer.duplicate().setIndex(0, 0);
        ByteBuf readOnly = buffer.asReadOnly();
        buffer.capacity(newCapacity);

        for (ByteBuf view : new ByteBuf[] { duplicate, readOnly }) {
            assertThat(view.capacity()).isEqualTo(newCapacity);
            int kept = Math.min(newCapacity, CAPACITY);
            assertThat(Arrays.copyOf(TestBuffers.content(view), kept)).isEqualTo(Arrays.copyOf(bytes, kept));
        }
        assertThat(TestBuffers.content(slice)).isEqualTo(Arrays.copyOfRange(bytes, 10, 60));
        assertThat(TestBuffers.content(sliceOfSlice)).isEqualTo(Arrays.copyOfRange(bytes, 15, 35));
        assertThat(duplicate.memoryAddress()).isEqualTo(buffer.memoryAddress());
        assertThat(slice.memoryAddress()).isEqualTo(buffer.memoryAddress() + 10);
        assertThat(sliceOfSlice.memoryAddress()).isEqualTo(buffer.memoryAddress() + 15);

        sliceOfSlice.setInt(3, 0x01020304);
        assertThat(buffer.getInt(18)).isEqualTo(0x01020304);
        buffer.setLong(20, 0x0102030405060708L);
        assertThat(slice.getLong(10)).isEqualTo(0x0102030405060708L);
        assertThat(readOnly.getLong(20)).isEqualTo(0x0102030405060708L);
        assertThat(slice.internalNioBuffer(10, 8).getLong()).isEqualTo(0x0102030405060708L);
        assertThat(slice.nioBuffer(10, 8).getLong()).isEqualTo(0x0102030405060708L);
    }

    /** It is cached between calls; the previous one shows memory that now belongs to another buffer. */
    @ParameterizedTest
    @ValueSource(ints = { 64, 200, 1025, 70_000, TestAllocator.CHUNK + 1 })
    void internalNioBufferFollowsMovedMemory(int newCapacity) {
        byte[] bytes = buffers.randomBytes(newCapacity);
        ByteBuf buffer = buffers.direct(CAPACITY);
        buffer.internalNioBuffer(0, CAPACITY);
        buffer.capacity(newCapacity).clear().writeBytes(bytes);
        byte[] got = new byte[newCapacity];
        buffer.internalNioBuffer(0, newCapacity).get(got);
        assertThat(got).isEqualTo(bytes);
        buffer.internalNioBuffer(7, 1).put((byte) (bytes[7] + 1));
        assertThat(buffer.getByte(7)).isEqualTo((byte) (bytes[7] + 1));
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 64, 999, 1025, 70_000 })
    void aDuplicateChangesTheCapacityOfBoth(int newCapacity) {
        byte[] bytes = buffers.randomBytes(CAPACITY);
        ByteBuf buffer = buffers.direct(CAPACITY).writeBytes(bytes);
        ByteBuf duplicate = buffer.duplicate().clear();
        duplicate.capacity(newCapacity);
        assertThat(buffer.capacity()).isEqualTo(newCapacity);
        int kept = Math.min(newCapacity, CAPACITY);
        assertThat(buffer.writerIndex()).isEqualTo(kept);
        assertThat(TestBuffers.readable(buffer)).isEqualTo(Arrays.copyOf(bytes, kept));
        assertThat(duplicate.memoryAddress()).isEqualTo(buffer.memoryAddress());
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 49, 51, 5000 })
    void sliceKeepsItsCapacity(int newCapacity) {
        ByteBuf buffer = buffers.direct(CAPACITY);
        ByteBuf slice = buffer.slice(10, 50);
        assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> slice.capacity(newCapacity));
        assertThat(slice.capacity()).isEqualTo(50);
        assertThat(buffer.capacity()).isEqualTo(CAPACITY);
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> slice.writeByte(1));
    }

    /** Copies detect it. As everywhere in Netty, single numbers are checked against the slice only. */
    @ParameterizedTest
    @ValueSource(ints = { 0, 30, 59 })
    void accessBeyondAShrunkBufferIsRefused(int newCapacity) {
        ByteBuf buffer = buffers.direct(CAPACITY);
        ByteBuf slice = buffer.slice(10, 50);
        buffer.capacity(newCapacity);
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> slice.getBytes(0, new byte[50]));
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> slice.nioBuffer(0, 50));
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> slice.setBytes(0, new byte[50]));
    }
}
