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
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.util.ByteProcessor;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Searches for bytes, forwards and backwards, compared with a loop over an array. */
class SearchTest {

    private static final int CAPACITY = 70;
    private static final int VALUES = 20;

    @RegisterExtension
    final TestBuffers buffers = new TestBuffers();

    /** Few distinct values, so that searches succeed; half of them negative. */
    private byte[] fewValues(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (buffers.random().nextInt(VALUES) - VALUES / 2);
        }
        return bytes;
    }

    /** Searches from {@code from} to before {@code to}, backwards if {@code to} is less. */
    private static int find(byte[] bytes, int from, int to, byte value) {
        if (from <= to) {
            for (int i = from; i < to; i++) {
                if (bytes[i] == value) {
                    return i;
                }
            }
        } else {
            for (int i = from - 1; i >= to; i--) {
                if (bytes[i] == value) {
                    return i;
                }
            }
        }
        return -1;
    }

    @ParameterizedTest
    @EnumSource
    void indexOfFindsTheNextOrThePrevious(Shape shape) {
        byte[] bytes = fewValues(CAPACITY);
        ByteBuf buffer = shape.make(buffers, bytes).setIndex(3, 60);
        for (int from = 0; from <= CAPACITY; from++) {
            for (int to = 0; to <= CAPACITY; to++) {
                byte value = bytes[buffers.random().nextInt(CAPACITY)];
                int expected = find(bytes, from, to, value);
                if (buffer.indexOf(from, to, value) != expected) {
                    assertThat(buffer.indexOf(from, to, value)).as("%d from %d to %d", value, from, to)
                            .isEqualTo(expected);
                }
            }
        }
        assertThat(buffer.indexOf(0, CAPACITY, (byte) 99)).isEqualTo(-1);
        assertThat(buffer.indexOf(CAPACITY, 0, (byte) 99)).isEqualTo(-1);
        assertThat(buffer.readerIndex()).isEqualTo(3);
        assertThat(buffer.writerIndex()).isEqualTo(60);
    }

    @ParameterizedTest
    @EnumSource
    void bytesBeforeCountsFromItsStart(Shape shape) {
        byte[] bytes = fewValues(CAPACITY);
        ByteBuf buffer = shape.make(buffers, bytes);
        for (int reader = 0; reader <= CAPACITY; reader += 7) {
            for (int length = 0; length <= CAPACITY - reader; length++) {
                buffer.setIndex(reader, reader + length);
                byte value = bytes[buffers.random().nextInt(CAPACITY)];
                int found = find(bytes, reader, reader + length, value);
                int expected = found < 0 ? -1 : found - reader;
                assertThat(buffer.bytesBefore(value)).isEqualTo(expected);
                assertThat(buffer.bytesBefore(length, value)).isEqualTo(expected);
                assertThat(buffer.bytesBefore(reader, length, value)).isEqualTo(expected);
            }
        }
        buffer.setIndex(10, 20);
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> buffer.bytesBefore(11, (byte) 99));
    }

    @ParameterizedTest
    @EnumSource
    void forEachSeesEachByteInOrder(Shape shape) {
        byte[] bytes = fewValues(CAPACITY);
        ByteBuf buffer = shape.make(buffers, bytes).setIndex(5, 65);
        List<Byte> expected = new ArrayList<>();
        for (int i = 5; i < 65; i++) {
            expected.add(bytes[i]);
        }
        List<Byte> seen = new ArrayList<>();
        assertThat(buffer.forEachByte(seen::add)).isEqualTo(-1);
        assertThat(seen).isEqualTo(expected);
        seen.clear();
        assertThat(buffer.forEachByte(10, 40, seen::add)).isEqualTo(-1);
        assertThat(seen).isEqualTo(expected.subList(5, 45));

        Collections.reverse(expected);
        seen.clear();
        assertThat(buffer.forEachByteDesc(seen::add)).isEqualTo(-1);
        assertThat(seen).isEqualTo(expected);
        seen.clear();
        assertThat(buffer.forEachByteDesc(10, 40, seen::add)).isEqualTo(-1);
        assertThat(seen).isEqualTo(expected.subList(15, 55));
        assertThat(buffer.readerIndex()).isEqualTo(5);
    }

    @ParameterizedTest
    @EnumSource
    void forEachByteStopsWhenTheProcessorReturnsFalse(Shape shape) {
        byte[] bytes = "GET /index.html HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(US_ASCII);
        ByteBuf buffer = shape.make(buffers, bytes).writerIndex(bytes.length);
        assertThat(buffer.forEachByte(ByteProcessor.FIND_CRLF)).isEqualTo(24);
        assertThat(buffer.forEachByte(ByteProcessor.FIND_LF)).isEqualTo(25);
        assertThat(buffer.forEachByte(25, 3, ByteProcessor.FIND_NON_CRLF)).isEqualTo(26);
        assertThat(buffer.forEachByte(4, 20, ByteProcessor.FIND_LINEAR_WHITESPACE)).isEqualTo(15);
        assertThat(buffer.forEachByteDesc(ByteProcessor.FIND_NON_CRLF)).isEqualTo(32);
        assertThat(buffer.forEachByteDesc(0, 24, ByteProcessor.FIND_LINEAR_WHITESPACE)).isEqualTo(15);
        assertThat(buffer.forEachByte(ByteProcessor.FIND_NUL)).isEqualTo(-1);
        assertThat(buffer.forEachByte(bytes.length, 0, ByteProcessor.FIND_LF)).isEqualTo(-1);
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> buffer.forEachByte(value -> {
            throw new IllegalStateException("enough");
        }));
        for (int[] outside : new int[][] { { -1, 1 }, { bytes.length, 1 }, { 0, Integer.MAX_VALUE }, { 2, -1 } }) {
            assertThatExceptionOfType(IndexOutOfBoundsException.class)
                    .isThrownBy(() -> buffer.forEachByte(outside[0], outside[1], ByteProcessor.FIND_LF));
            assertThatExceptionOfType(IndexOutOfBoundsException.class)
                    .isThrownBy(() -> buffer.forEachByteDesc(outside[0], outside[1], ByteProcessor.FIND_LF));
        }
    }

    @ParameterizedTest
    @EnumSource
    void sequencesAreFound(Shape shape) {
        byte[] bytes = fewValues(CAPACITY);
        ByteBuf haystack = shape.make(buffers, bytes).writerIndex(CAPACITY);
        for (int start = 0; start < CAPACITY - 5; start++) {
            byte[] needle = Arrays.copyOfRange(bytes, start, start + 5);
            int found = ByteBufUtil.indexOf(Unpooled.wrappedBuffer(needle), haystack);
            assertThat(found).isBetween(0, start);
            assertThat(Arrays.copyOfRange(bytes, found, found + 5)).isEqualTo(needle);
            ByteBuf ours = haystack.slice(start, 5);
            assertThat(ByteBufUtil.indexOf(ours, Unpooled.wrappedBuffer(bytes))).isEqualTo(found);
        }
        byte[] absent = { 98, 99, 100 };
        assertThat(ByteBufUtil.indexOf(Unpooled.wrappedBuffer(absent), haystack)).isEqualTo(-1);
    }
}
