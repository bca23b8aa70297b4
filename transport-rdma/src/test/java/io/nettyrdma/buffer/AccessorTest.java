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
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.Arrays;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** Numbers of every kind, at every alignment, compared with a byte array. */
class AccessorTest {

    private static final int CAPACITY = 40;
    private static final int ALIGNMENTS = 16;
    private static final long[] SIGNIFICANT = {
        0, 1, -1, 0x80, 0x7f, 0x8000, 0x7fff, 0x80_0000, 0x7f_ffff, 0x8000_0000L, 0x7fff_ffff,
        Long.MIN_VALUE, Long.MAX_VALUE, 0x0102_0304_0506_0708L, 0xfffe_fdfc_fbfa_f9f8L
    };

    @RegisterExtension
    final TestBuffers buffers = new TestBuffers();

    static Stream<Arguments> each() {
        return Stream.of(Shape.values())
                .flatMap(shape -> Stream.of(Accessor.values()).map(accessor -> Arguments.of(shape, accessor)));
    }

    @ParameterizedTest
    @MethodSource("each")
    void getReturnsTheValueOfTheBytes(Shape shape, Accessor accessor) {
        byte[] bytes = new byte[CAPACITY];
        ByteBuf buffer = shape.make(buffers, CAPACITY);
        for (int alignment = 0; alignment < ALIGNMENTS; alignment++) {
            for (long value : values()) {
                accessor.set(bytes, alignment, value, shape.order());
                buffer.setBytes(0, bytes);
                assertThat(accessor.get(buffer, alignment)).as("0x%x at %d", value, alignment)
                        .isEqualTo(accessor.get(bytes, alignment, shape.order()));
            }
        }
        assertThat(buffer.readerIndex()).isZero();
        assertThat(buffer.writerIndex()).isZero();
    }

    @ParameterizedTest
    @MethodSource("each")
    void setChangesOnlyItsOwnBytes(Shape shape, Accessor accessor) {
        byte[] bytes = buffers.randomBytes(CAPACITY);
        ByteBuf buffer = shape.make(buffers, bytes);
        for (int alignment = 0; alignment < ALIGNMENTS; alignment++) {
            for (long value : values()) {
                accessor.set(bytes, alignment, value, shape.order());
                assertThat(accessor.set(buffer, alignment, value)).isSameAs(buffer);
                assertThat(TestBuffers.content(buffer)).as("0x%x at %d", value, alignment).isEqualTo(bytes);
            }
        }
        assertThat(buffer.readerIndex()).isZero();
        assertThat(buffer.writerIndex()).isZero();
    }

    @ParameterizedTest
    @MethodSource("each")
    void readAdvancesTheReaderIndex(Shape shape, Accessor accessor) {
        byte[] bytes = buffers.randomBytes(CAPACITY);
        ByteBuf buffer = shape.make(buffers, bytes);
        for (int alignment = 0; alignment < ALIGNMENTS; alignment++) {
            buffer.setIndex(alignment, CAPACITY);
            for (int at = alignment; at <= CAPACITY - accessor.width; at += accessor.width) {
                assertThat(buffer.readerIndex()).isEqualTo(at);
                assertThat(accessor.read(buffer)).as("at %d", at)
                        .isEqualTo(accessor.get(bytes, at, shape.order()));
            }
            assertThat(buffer.readableBytes()).isLessThan(accessor.width);
            assertThat(buffer.writerIndex()).isEqualTo(CAPACITY);
        }
        assertThat(TestBuffers.content(buffer)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @MethodSource("each")
    void writeAdvancesTheWriterIndex(Shape shape, Accessor accessor) {
        byte[] bytes = buffers.randomBytes(CAPACITY);
        ByteBuf buffer = shape.make(buffers, bytes);
        for (int alignment = 0; alignment < ALIGNMENTS; alignment++) {
            buffer.setIndex(0, alignment);
            for (int at = alignment; at <= CAPACITY - accessor.width; at += accessor.width) {
                long value = buffers.random().nextLong();
                accessor.set(bytes, at, value, shape.order());
                assertThat(accessor.write(buffer, value)).isSameAs(buffer);
                assertThat(buffer.writerIndex()).isEqualTo(at + accessor.width);
                assertThat(TestBuffers.content(buffer)).as("0x%x at %d", value, at).isEqualTo(bytes);
            }
            assertThat(buffer.readerIndex()).isZero();
        }
    }

    /** Boundary values, and a few random ones. */
    private long[] values() {
        long[] values = Arrays.copyOf(SIGNIFICANT, SIGNIFICANT.length + 5);
        for (int i = SIGNIFICANT.length; i < values.length; i++) {
            values[i] = buffers.random().nextLong();
        }
        return values;
    }
}
