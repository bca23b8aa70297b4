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

import java.nio.ByteBuffer;
import java.util.Arrays;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The buffer as a Java NIO buffer. */
class NioBufferTest {

    private static final int CAPACITY = 100;

    @RegisterExtension
    final TestBuffers buffers = new TestBuffers();

    @ParameterizedTest
    @EnumSource
    void nioBufferShowsExactlyTheRequestedBytes(Shape shape) {
        byte[] bytes = buffers.randomBytes(CAPACITY);
        ByteBuf buffer = shape.make(buffers, bytes).setIndex(20, 70);
        assertShows(buffer.nioBuffer(), Arrays.copyOfRange(bytes, 20, 70), shape);
        assertShows(buffer.nioBuffer(10, 80), Arrays.copyOfRange(bytes, 10, 90), shape);
        assertShows(buffer.nioBuffer(0, CAPACITY), bytes, shape);
        assertShows(buffer.nioBuffer(CAPACITY, 0), new byte[0], shape);
        assertThat(buffer.readerIndex()).isEqualTo(20);
        assertThat(buffer.writerIndex()).isEqualTo(70);
    }

    private static void assertShows(ByteBuffer shown, byte[] expected, Shape shape) {
        assertThat(shown.position()).isZero();
        assertThat(shown.limit()).isEqualTo(expected.length);
        assertThat(shown.capacity()).as("what is outside cannot be reached").isEqualTo(expected.length);
        assertThat(shown.order()).isSameAs(shape.order());
        assertThat(bytes(shown)).isEqualTo(expected);
        if (shape.isContiguous()) {
            assertThat(shown.isDirect()).isTrue();
            assertThat(shown.isReadOnly()).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "COMPOSITE")
    void nioBufferSharesTheMemory(Shape shape) {
        byte[] bytes = buffers.randomBytes(CAPACITY);
        ByteBuf buffer = shape.make(buffers, bytes);
        ByteBuffer shown = buffer.nioBuffer(7, 50);
        shown.put(0, ++bytes[7]).put(49, ++bytes[56]);
        assertThat(TestBuffers.content(buffer)).isEqualTo(bytes);
        buffer.setByte(30, ++bytes[30]);
        assertThat(shown.get(23)).isEqualTo(bytes[30]);

        ByteBuffer internal = buffer.internalNioBuffer(7, 50);
        assertThat(internal.remaining()).isEqualTo(50);
        internal.put(internal.position(), ++bytes[7]);
        assertThat(TestBuffers.content(buffer)).isEqualTo(bytes);
        assertThat(shown.get(0)).isEqualTo(bytes[7]);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "COMPOSITE")
    void nioBuffersHaveIndependentPositions(Shape shape) {
        byte[] bytes = buffers.randomBytes(CAPACITY);
        ByteBuf buffer = shape.make(buffers, bytes).writerIndex(CAPACITY);
        ByteBuffer first = buffer.nioBuffer();
        ByteBuffer second = buffer.nioBuffer();
        ByteBuffer part = buffer.nioBuffer(3, 9);
        first.position(50);
        second.limit(4);
        ByteBuffer internal = buffer.internalNioBuffer(1, 2);
        assertThat(first.remaining()).isEqualTo(50);
        assertThat(second.remaining()).isEqualTo(4);
        assertThat(part.remaining()).isEqualTo(9);
        assertThat(internal.remaining()).isEqualTo(2);
        // The buffer's own use of its internal byte buffer must not be visible outside.
        buffer.getBytes(10, new byte[20]);
        buffer.setBytes(10, ByteBuffer.wrap(bytes, 10, 20));
        buffer.readBytes(new byte[5]);
        assertThat(bytes(first)).isEqualTo(Arrays.copyOfRange(bytes, 50, CAPACITY));
        assertThat(bytes(second)).isEqualTo(Arrays.copyOf(bytes, 4));
        assertThat(bytes(part)).isEqualTo(Arrays.copyOfRange(bytes, 3, 12));
    }

    @ParameterizedTest
    @EnumSource
    void nioBuffersTogetherHaveAllBytes(Shape shape) {
        byte[] bytes = buffers.randomBytes(CAPACITY);
        ByteBuf buffer = shape.make(buffers, bytes).setIndex(1, 99);
        assertThat(buffer.nioBufferCount()).isEqualTo(shape.isContiguous() ? 1 : 3);
        assertThat(joined(buffer.nioBuffers())).isEqualTo(Arrays.copyOfRange(bytes, 1, 99));
        assertThat(joined(buffer.nioBuffers(20, 60))).isEqualTo(Arrays.copyOfRange(bytes, 20, 80));
        assertThat(joined(buffer.nioBuffers(50, 0))).isEmpty();
        if (shape.isContiguous()) {
            assertThat(buffer.nioBuffers()).hasSize(1);
            buffer.nioBuffers(20, 60)[0].put(0, ++bytes[20]);
            assertThat(buffer.getByte(20)).isEqualTo(bytes[20]);
        }
    }

    @ParameterizedTest
    @EnumSource
    void nioBufferOutsideTheBufferIsRefused(Shape shape) {
        ByteBuf buffer = shape.make(buffers, CAPACITY);
        int[][] outside = {
            { -1, 1 }, { CAPACITY + 1, 0 }, { 0, CAPACITY + 1 }, { 1, Integer.MAX_VALUE }, { 5, -1 }
        };
        for (int[] range : outside) {
            assertRefused(range, () -> buffer.nioBuffer(range[0], range[1]));
            assertRefused(range, () -> buffer.nioBuffers(range[0], range[1]));
            if (shape.isContiguous()) {
                assertRefused(range, () -> buffer.internalNioBuffer(range[0], range[1]));
            }
        }
    }

    private static void assertRefused(int[] range, Runnable call) {
        assertThatExceptionOfType(IndexOutOfBoundsException.class).as("%d from %d", range[1], range[0])
                .isThrownBy(call::run);
    }

    @ParameterizedTest
    @EnumSource
    void nioBufferOfReadOnlyBufferIsReadOnly(Shape shape) {
        byte[] bytes = buffers.randomBytes(CAPACITY);
        ByteBuf buffer = shape.make(buffers, bytes).setIndex(2, 98).asReadOnly();
        for (ByteBuf each : new ByteBuf[] { buffer, buffer.slice(), buffer.duplicate() }) {
            assertThat(each.nioBuffer().isReadOnly()).isTrue();
            assertThat(each.nioBuffer(1, 5).isReadOnly()).isTrue();
            assertThat(each.nioBuffers()).allMatch(ByteBuffer::isReadOnly);
            assertThat(each.nioBuffers(1, 5)).allMatch(ByteBuffer::isReadOnly);
            assertThat(bytes(each.nioBuffer())).isEqualTo(Arrays.copyOfRange(bytes, 2, 98));
        }
    }

    private static byte[] joined(ByteBuffer... parts) {
        int length = Arrays.stream(parts).mapToInt(ByteBuffer::remaining).sum();
        ByteBuffer whole = ByteBuffer.allocate(length);
        Arrays.stream(parts).forEach(whole::put);
        return whole.array();
    }

    private static byte[] bytes(ByteBuffer remaining) {
        byte[] bytes = new byte[remaining.remaining()];
        remaining.duplicate().get(bytes);
        return bytes;
    }
}
