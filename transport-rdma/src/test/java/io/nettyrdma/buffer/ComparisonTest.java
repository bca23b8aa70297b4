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
import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.ByteBufOutputStream;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.util.Arrays;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/** Readable bytes determine a buffer: equal, ordered, hashed and printed as a heap buffer with the same bytes. */
class ComparisonTest {

    private static final int CAPACITY = 60;

    @RegisterExtension
    final TestBuffers buffers = new TestBuffers();

    @ParameterizedTest
    @EnumSource
    void equalsAndHashCodeMatchAHeapBuffer(Shape shape) {
        byte[] bytes = buffers.randomBytes(CAPACITY);
        ByteBuf buffer = shape.make(buffers, bytes);
        for (int length = 0; length <= 40; length++) {
            buffer.setIndex(length % 9, length % 9 + length);
            byte[] readable = TestBuffers.readable(buffer);
            ByteBuf same = Unpooled.wrappedBuffer(readable);
            assertThat(buffer.equals(same)).as("%d bytes", length).isTrue();
            assertThat(same.equals(buffer)).as("%d bytes", length).isTrue();
            assertThat(buffer.hashCode()).as("%d bytes", length).isEqualTo(same.hashCode());
            assertThat(buffer.compareTo(same)).isZero();
            assertThat(ByteBufUtil.equals(buffer, same)).isTrue();
            for (int i = 0; i < length; i++) {
                byte[] other = readable.clone();
                other[i] ^= 1 << i % 8;
                assertThat(buffer.equals(Unpooled.wrappedBuffer(other))).as("other at %d", i).isFalse();
                assertThat(Unpooled.wrappedBuffer(other).equals(buffer)).as("other at %d", i).isFalse();
            }
            assertThat(buffer.equals(Unpooled.wrappedBuffer(Arrays.copyOf(readable, length + 1)))).isFalse();
        }
        assertThat(buffer.equals(null)).isFalse();
        assertThat(buffer.equals(new Object())).isFalse();
        assertThat(buffer.equals(buffer)).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void comparisonIsByUnsignedBytes(Shape shape) {
        byte[] bytes = buffers.randomBytes(CAPACITY);
        ByteBuf buffer = shape.make(buffers, bytes);
        for (int i = 0; i < 500; i++) {
            int from = buffers.random().nextInt(20);
            buffer.setIndex(from, from + buffers.random().nextInt(30));
            byte[] other = TestBuffers.readable(buffer);
            other = Arrays.copyOf(other, buffers.random().nextInt(other.length + 5));
            if (other.length > 0 && i % 3 != 0) {
                other[buffers.random().nextInt(other.length)] = (byte) buffers.random().nextInt();
            }
            int expected = Integer.signum(Arrays.compareUnsigned(TestBuffers.readable(buffer), other));
            ByteBuf heap = Unpooled.wrappedBuffer(other);
            assertThat(Integer.signum(buffer.compareTo(heap))).isEqualTo(expected);
            assertThat(Integer.signum(heap.compareTo(buffer))).isEqualTo(-expected);
            assertThat(Integer.signum(ByteBufUtil.compare(buffer, heap))).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @EnumSource
    void partsCanBeCompared(Shape shape) {
        byte[] bytes = buffers.randomBytes(CAPACITY);
        ByteBuf buffer = shape.make(buffers, bytes).writerIndex(CAPACITY);
        ByteBuf heap = Unpooled.wrappedBuffer(bytes);
        assertThat(ByteBufUtil.equals(buffer, 3, heap, 3, 50)).isTrue();
        assertThat(ByteBufUtil.equals(buffer, 3, heap, 4, 50)).isFalse();
        buffer.setByte(20, bytes[20] + 1);
        assertThat(ByteBufUtil.equals(buffer, 3, heap, 3, 17)).isTrue();
        assertThat(ByteBufUtil.equals(buffer, 3, heap, 3, 18)).isFalse();
        assertThat(ByteBufUtil.equals(buffer, 21, heap, 21, 39)).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void hexDumpShowsTheBytes(Shape shape) {
        byte[] bytes = buffers.randomBytes(CAPACITY);
        ByteBuf buffer = shape.make(buffers, bytes).setIndex(4, 50);
        byte[] readable = TestBuffers.readable(buffer);
        StringBuilder hex = new StringBuilder();
        for (byte each : readable) {
            hex.append(String.format("%02x", each));
        }
        assertThat(ByteBufUtil.hexDump(buffer)).isEqualTo(hex.toString());
        assertThat(ByteBufUtil.prettyHexDump(buffer))
                .isEqualTo(ByteBufUtil.prettyHexDump(Unpooled.wrappedBuffer(readable)));
        assertThat(ByteBufUtil.getBytes(buffer)).isEqualTo(readable);
        assertThat(buffer.toString()).contains("ridx: 4", "widx: 50", "cap: " + CAPACITY);
    }

    @ParameterizedTest
    @EnumSource
    void textIsRecognized(Shape shape) {
        ByteBuf buffer = shape.make(buffers, CAPACITY);
        buffer.writeCharSequence("K\u00f6ln", UTF_8);
        assertThat(ByteBufUtil.isText(buffer, UTF_8)).isTrue();
        assertThat(ByteBufUtil.isText(buffer, US_ASCII)).isFalse();
        assertThat(ByteBufUtil.isText(buffer.setByte(1, 0xff), UTF_8)).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void byteBufStreamsRoundTrip(Shape shape) throws IOException {
        ByteBuf buffer = shape.make(buffers, CAPACITY);
        try (ByteBufOutputStream out = new ByteBufOutputStream(buffer)) {
            out.writeLong(0x0102030405060708L);
            out.writeBytes("text");
            out.write(new byte[] { 1, 2, 3 }, 1, 2);
            assertThat(out.writtenBytes()).isEqualTo(buffer.readableBytes());
        }
        try (ByteBufInputStream in = new ByteBufInputStream(buffer)) {
            assertThat(in.readLong()).isEqualTo(0x0102030405060708L);
            assertThat(in.readNBytes(4)).asString(US_ASCII).isEqualTo("text");
            assertThat(in.readAllBytes()).containsExactly(2, 3);
            assertThat(in.read()).isEqualTo(-1);
        }
    }
}
