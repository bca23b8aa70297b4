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

import java.util.Arrays;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A buffer and its expected state. Each holds one reference.
 *
 * <pre>
 *   whole, or duplicate   index 0              capacity
 *   memory                | 0 1 2 3 4 5 6 7 ... |
 *   slice                     | index 0 ... capacity, which stays |
 *                             ^ offset
 * </pre>
 */
final class ModelBuffer {

    /** Of larger buffers usually only a part is compared. */
    private static final int LARGE = 64 << 10;
    private static final int NOT_A_SLICE = -1;

    /** The bytes that a buffer and its views share. */
    private static final class Memory {
        final int maxCapacity;
        byte[] bytes;
        int references;

        Memory(byte[] bytes, int maxCapacity) {
            this.bytes = bytes;
            this.maxCapacity = maxCapacity;
        }
    }

    final ByteBuf buffer;
    int reader;
    int writer;
    private final Memory memory;
    private final int offset;
    private final int sliceLength;

    private ModelBuffer(ByteBuf buffer, Memory memory, int offset, int sliceLength) {
        this.buffer = buffer;
        this.memory = memory;
        this.offset = offset;
        this.sliceLength = sliceLength;
        reader = buffer.readerIndex();
        writer = buffer.writerIndex();
        memory.references++;
    }

    /** Wraps a new buffer, whose content is taken as expected. */
    static ModelBuffer of(ByteBuf buffer) {
        return new ModelBuffer(buffer, new Memory(TestBuffers.content(buffer), buffer.maxCapacity()), 0, NOT_A_SLICE);
    }

    ModelBuffer duplicate(ByteBuf duplicate) {
        return new ModelBuffer(duplicate, memory, offset, sliceLength);
    }

    ModelBuffer slice(ByteBuf slice, int index, int length) {
        return new ModelBuffer(slice, memory, offset + index, length);
    }

    int capacity() {
        return isSlice() ? sliceLength : memory.bytes.length;
    }

    int maxCapacity() {
        return isSlice() ? sliceLength : memory.maxCapacity;
    }

    boolean isSlice() {
        return sliceLength != NOT_A_SLICE;
    }

    /** Whether other buffers share its memory. */
    boolean isShared() {
        return memory.references > 1;
    }

    boolean isView() {
        return buffer.unwrap() != null;
    }

    /** All bytes of the memory; index 0 is at {@link #offset}. */
    byte[] bytes() {
        return memory.bytes;
    }

    int offset() {
        return offset;
    }

    byte[] copy(int index, int length) {
        return Arrays.copyOfRange(memory.bytes, offset + index, offset + index + length);
    }

    void put(int index, byte[] from) {
        System.arraycopy(from, 0, memory.bytes, offset + index, from.length);
    }

    void put(int index, ModelBuffer from, int fromIndex, int length) {
        System.arraycopy(from.memory.bytes, from.offset + fromIndex, memory.bytes, offset + index, length);
    }

    /**
     * Takes over the buffer's new capacity. Old content that fits must still be there; new bytes can be anything.
     *
     * @param unwritten the index at which something was written at the same time.
     */
    void adoptCapacity(int unwritten) {
        byte[] before = memory.bytes;
        memory.bytes = TestBuffers.content(buffer);
        int kept = Math.min(unwritten, Math.min(before.length, memory.bytes.length));
        assertSame(memory.bytes, before, kept, "kept with another capacity");
        writer = Math.min(writer, memory.bytes.length);
        reader = Math.min(reader, writer);
    }

    /** Returns whether it was the last that shares its memory. */
    boolean release() {
        buffer.release();
        return --memory.references == 0;
    }

    /** Compares everything, or only what is quick to compare. */
    void check(boolean all) {
        if (buffer.readerIndex() != reader || buffer.writerIndex() != writer || buffer.capacity() != capacity()) {
            assertThat(buffer.toString()).isEqualTo("indexes %d and %d, capacity %d", reader, writer, capacity());
        }
        int count = all ? capacity() : Math.min(capacity(), LARGE);
        byte[] got = new byte[count];
        buffer.getBytes(0, got);
        assertSame(got, offset == 0 ? memory.bytes : copy(0, count), count, "content");
    }

    private static void assertSame(byte[] got, byte[] expected, int count, String what) {
        int mismatch = Arrays.mismatch(got, 0, count, expected, 0, count);
        if (mismatch >= 0) {
            assertThat(got[mismatch]).as("%s, byte %d", what, mismatch).isEqualTo(expected[mismatch]);
        }
    }
}
