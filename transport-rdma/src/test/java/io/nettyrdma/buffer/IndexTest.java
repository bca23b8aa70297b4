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

/** Reader and writer index, their marks, and operations that move them without looking at the bytes. */
class IndexTest {

    private static final int CAPACITY = 20;

    @RegisterExtension
    final TestBuffers buffers = new TestBuffers();

    private static void assertIndexes(ByteBuf buffer, int reader, int writer) {
        assertThat(buffer.readerIndex()).isEqualTo(reader);
        assertThat(buffer.writerIndex()).isEqualTo(writer);
        assertThat(buffer.readableBytes()).isEqualTo(writer - reader);
        assertThat(buffer.isReadable()).isEqualTo(writer > reader);
        assertThat(buffer.isReadable(writer - reader)).isTrue();
        assertThat(buffer.isReadable(writer - reader + 1)).isFalse();
        assertThat(buffer.writableBytes()).isEqualTo(CAPACITY - writer);
        assertThat(buffer.isWritable()).isEqualTo(writer < CAPACITY);
        assertThat(buffer.isWritable(CAPACITY - writer)).isTrue();
        assertThat(buffer.isWritable(CAPACITY - writer + 1)).isFalse();
        assertThat(buffer.maxWritableBytes()).isEqualTo(buffer.maxCapacity() - writer);
        assertThat(buffer.maxFastWritableBytes()).isBetween(CAPACITY - writer, buffer.maxWritableBytes());
    }

    private static void assertRefused(Runnable call) {
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(call::run);
    }

    @ParameterizedTest
    @EnumSource
    void indexesAreWhereTheyWereSet(Shape shape) {
        ByteBuf buffer = shape.make(buffers, CAPACITY);
        assertIndexes(buffer, 0, 0);
        for (int writer = 0; writer <= CAPACITY; writer++) {
            for (int reader = 0; reader <= writer; reader++) {
                assertThat(buffer.setIndex(reader, writer)).isSameAs(buffer);
                assertIndexes(buffer, reader, writer);
                buffer.clear();
                assertIndexes(buffer, 0, 0);
                assertThat(buffer.writerIndex(writer)).isSameAs(buffer);
                assertThat(buffer.readerIndex(reader)).isSameAs(buffer);
                assertIndexes(buffer, reader, writer);
            }
        }
        assertThat(buffer.capacity()).isEqualTo(CAPACITY);
    }

    @ParameterizedTest
    @EnumSource
    void invalidIndexesAreRefused(Shape shape) {
        ByteBuf buffer = shape.make(buffers, CAPACITY).setIndex(3, 10);
        assertRefused(() -> buffer.readerIndex(-1));
        assertRefused(() -> buffer.readerIndex(11));
        assertRefused(() -> buffer.writerIndex(2));
        assertRefused(() -> buffer.writerIndex(CAPACITY + 1));
        assertRefused(() -> buffer.writerIndex(-1));
        assertRefused(() -> buffer.setIndex(-1, 5));
        assertRefused(() -> buffer.setIndex(6, 5));
        assertRefused(() -> buffer.setIndex(0, CAPACITY + 1));
        assertRefused(() -> buffer.setIndex(Integer.MIN_VALUE, Integer.MAX_VALUE));
        assertIndexes(buffer, 3, 10);
    }

    @ParameterizedTest
    @EnumSource
    void resetReturnsToTheMark(Shape shape) {
        ByteBuf buffer = shape.make(buffers, CAPACITY);
        buffer.setIndex(4, 15).resetReaderIndex();
        assertIndexes(buffer, 0, 15);
        buffer.resetWriterIndex();
        assertIndexes(buffer, 0, 0);
        buffer.setIndex(4, 15).markReaderIndex().markWriterIndex().setIndex(6, 12);
        buffer.resetReaderIndex();
        assertIndexes(buffer, 4, 12);
        buffer.resetWriterIndex();
        assertIndexes(buffer, 4, 15);
        // A mark beyond the other index cannot be restored.
        buffer.setIndex(0, 3);
        assertRefused(buffer::resetReaderIndex);
        buffer.setIndex(17, 18);
        assertRefused(buffer::resetWriterIndex);
        assertIndexes(buffer, 17, 18);
    }

    @ParameterizedTest
    @EnumSource
    void skipBytesStopsAtTheWriterIndex(Shape shape) {
        ByteBuf buffer = shape.make(buffers, CAPACITY).setIndex(3, 10);
        assertThat(buffer.skipBytes(0)).isSameAs(buffer);
        buffer.skipBytes(4);
        assertIndexes(buffer, 7, 10);
        assertRefused(() -> buffer.skipBytes(4));
        assertRefused(() -> buffer.skipBytes(Integer.MAX_VALUE));
        assertThatIllegalArgumentException().isThrownBy(() -> buffer.skipBytes(-1));
        assertIndexes(buffer, 7, 10);
        buffer.skipBytes(3);
        assertIndexes(buffer, 10, 10);
    }

    @ParameterizedTest
    @EnumSource
    void discardReadBytesMovesReadableBytesToTheBeginning(Shape shape) {
        for (int reader = 0; reader <= CAPACITY; reader += 4) {
            for (int writer = reader; writer <= CAPACITY; writer += 4) {
                byte[] bytes = buffers.randomBytes(CAPACITY);
                ByteBuf buffer = shape.make(buffers, bytes).setIndex(reader, writer);
                byte[] readable = Arrays.copyOfRange(bytes, reader, writer);
                assertThat(buffer.discardReadBytes()).isSameAs(buffer);
                assertThat(buffer.readerIndex()).isZero();
                assertThat(TestBuffers.readable(buffer)).isEqualTo(readable);
                assertThat(buffer.discardReadBytes().readableBytes()).as("nothing to do").isEqualTo(readable.length);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void discardSomeReadBytesKeepsTheReadableBytes(Shape shape) {
        for (int reader = 0; reader <= CAPACITY; reader++) {
            byte[] bytes = buffers.randomBytes(CAPACITY);
            ByteBuf buffer = shape.make(buffers, bytes).setIndex(reader, CAPACITY);
            byte[] readable = Arrays.copyOfRange(bytes, reader, CAPACITY);
            assertThat(buffer.discardSomeReadBytes()).isSameAs(buffer);
            assertThat(buffer.readerIndex()).isBetween(0, Math.min(reader, CAPACITY / 2));
            assertThat(TestBuffers.readable(buffer)).isEqualTo(readable);
        }
    }

    /** A composite buffer discards by dropping whole components, and treats marks differently. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "COMPOSITE")
    void discardReadBytesMovesTheMarks(Shape shape) {
        ByteBuf buffer = shape.make(buffers, CAPACITY).setIndex(8, 16).markReaderIndex().markWriterIndex();
        buffer.readerIndex(6).discardReadBytes();
        assertIndexes(buffer, 0, 10);
        assertThat(buffer.resetReaderIndex().readerIndex()).isEqualTo(2);
        buffer.writerIndex(5);
        assertThat(buffer.resetWriterIndex().writerIndex()).isEqualTo(10);
    }
}
