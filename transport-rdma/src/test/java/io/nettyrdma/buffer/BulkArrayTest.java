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
import java.nio.ReadOnlyBufferException;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Copies between our buffers and Java's arrays and byte buffers. */
class BulkArrayTest {

    private static final int CAPACITY = 5000;
    private static final int INDEX = 3;
    private static final int[] LENGTHS = { 0, 1, 7, 64, 4097, CAPACITY - INDEX };

    @RegisterExtension
    final TestBuffers buffers = new TestBuffers();

    @ParameterizedTest
    @EnumSource
    void toArrays(Shape shape) {
        byte[] our = buffers.randomBytes(CAPACITY);
        ByteBuf ours = shape.make(buffers, our);
        for (int length : LENGTHS) {
            byte[] their = buffers.randomBytes(length + 5);
            byte[] expected = their.clone();
            System.arraycopy(our, INDEX, expected, 2, length);
            assertThat(ours.getBytes(INDEX, their, 2, length)).isSameAs(ours);
            assertThat(their).isEqualTo(expected);

            byte[] whole = new byte[length];
            ours.getBytes(INDEX, whole);
            assertThat(whole).isEqualTo(copyOf(our, INDEX, length));
            assertThat(ours.readerIndex()).isZero();

            their = new byte[length + 5];
            ours.setIndex(INDEX, CAPACITY).readBytes(their, 2, length);
            assertThat(copyOf(their, 2, length)).isEqualTo(whole);
            assertThat(ours.readerIndex()).isEqualTo(INDEX + length);
            byte[] again = new byte[length];
            ours.readerIndex(INDEX).readBytes(again);
            assertThat(again).isEqualTo(whole);
            assertThat(ours.readerIndex()).isEqualTo(INDEX + length);
            ours.clear();
        }
        assertThat(TestBuffers.content(ours)).isEqualTo(our);
    }

    @ParameterizedTest
    @EnumSource
    void fromArrays(Shape shape) {
        byte[] our = buffers.randomBytes(CAPACITY);
        ByteBuf ours = shape.make(buffers, our);
        for (int length : LENGTHS) {
            byte[] their = buffers.randomBytes(length + 5);
            System.arraycopy(their, 2, our, INDEX, length);
            assertThat(ours.setBytes(INDEX, their, 2, length)).isSameAs(ours);
            assertThat(TestBuffers.content(ours)).isEqualTo(our);

            byte[] whole = buffers.randomBytes(length);
            System.arraycopy(whole, 0, our, INDEX, length);
            ours.setBytes(INDEX, whole);
            assertThat(TestBuffers.content(ours)).isEqualTo(our);
            assertThat(ours.writerIndex()).isZero();

            System.arraycopy(their, 2, our, INDEX, length);
            ours.writerIndex(INDEX).writeBytes(their, 2, length);
            assertThat(TestBuffers.content(ours)).isEqualTo(our);
            assertThat(ours.writerIndex()).isEqualTo(INDEX + length);
            System.arraycopy(whole, 0, our, INDEX, length);
            ours.writerIndex(INDEX).writeBytes(whole);
            assertThat(TestBuffers.content(ours)).isEqualTo(our);
            assertThat(ours.writerIndex()).isEqualTo(INDEX + length);
            ours.clear();
        }
    }

    @ParameterizedTest
    @EnumSource
    void toByteBuffers(Shape shape) {
        byte[] our = buffers.randomBytes(CAPACITY);
        ByteBuf ours = shape.make(buffers, our);
        for (int length : LENGTHS) {
            for (ByteBuffer their : byteBuffers(length)) {
                int start = their.position();
                assertThat(ours.getBytes(INDEX, their)).isSameAs(ours);
                assertFilled(their, start, copyOf(our, INDEX, length));

                their.position(start);
                for (int i = start; i < their.limit(); i++) {
                    their.put(i, (byte) 0);
                }
                ours.setIndex(INDEX, CAPACITY).readBytes(their);
                assertFilled(their, start, copyOf(our, INDEX, length));
                assertThat(ours.readerIndex()).isEqualTo(INDEX + length);
                ours.clear();
            }
        }
        assertThat(TestBuffers.content(ours)).isEqualTo(our);
    }

    private static void assertFilled(ByteBuffer their, int start, byte[] expected) {
        assertThat(their.remaining()).isZero();
        assertThat(bytes(their.duplicate().position(start))).isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource
    void fromByteBuffers(Shape shape) {
        byte[] our = buffers.randomBytes(CAPACITY);
        ByteBuf ours = shape.make(buffers, our);
        for (int length : LENGTHS) {
            List<ByteBuffer> all = byteBuffers(length);
            byteBuffers(length).forEach(each -> all.add(each.asReadOnlyBuffer()));
            for (ByteBuffer their : all) {
                int start = their.position();
                System.arraycopy(bytes(their), 0, our, INDEX, length);
                assertThat(ours.setBytes(INDEX, their)).isSameAs(ours);
                assertThat(their.remaining()).isZero();
                assertThat(TestBuffers.content(ours)).isEqualTo(our);

                their.position(start);
                ours.setZero(INDEX, length).setIndex(1, INDEX).writeBytes(their);
                assertThat(their.remaining()).isZero();
                assertThat(TestBuffers.content(ours)).isEqualTo(our);
                assertThat(ours.readerIndex()).isEqualTo(1);
                assertThat(ours.writerIndex()).isEqualTo(INDEX + length);
                ours.clear();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void readOnlyByteBufferIsRefusedAsTarget(Shape shape) {
        ByteBuf ours = shape.make(buffers, buffers.randomBytes(20)).writerIndex(20);
        for (ByteBuffer each : byteBuffers(8)) {
            ByteBuffer their = each.asReadOnlyBuffer();
            byte[] before = bytes(their);
            assertThatExceptionOfType(ReadOnlyBufferException.class).isThrownBy(() -> ours.getBytes(0, their));
            assertThatExceptionOfType(ReadOnlyBufferException.class).isThrownBy(() -> ours.readBytes(their));
            assertThat(ours.readerIndex()).isZero();
            assertThat(bytes(their)).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @EnumSource
    void oversizedArrayOperationChangesNothing(Shape shape) {
        byte[] our = buffers.randomBytes(20);
        ByteBuf ours = shape.make(buffers, our).setIndex(0, 8);
        byte[] their = new byte[10];
        assertRefused(() -> ours.getBytes(11, their));
        assertRefused(() -> ours.getBytes(-1, their));
        assertRefused(() -> ours.getBytes(Integer.MAX_VALUE, their));
        assertRefused(() -> ours.getBytes(15, their, 0, 6));
        assertRefused(() -> ours.getBytes(0, their, 5, 6));
        assertRefused(() -> ours.getBytes(0, their, -1, 6));
        assertRefused(() -> ours.getBytes(0, their, 0, -1));
        assertRefused(() -> ours.getBytes(0, their, 1, Integer.MAX_VALUE));
        assertRefused(() -> ours.setBytes(11, their));
        assertRefused(() -> ours.setBytes(-1, their));
        assertRefused(() -> ours.setBytes(Integer.MAX_VALUE, their));
        assertRefused(() -> ours.setBytes(15, their, 0, 6));
        assertRefused(() -> ours.setBytes(0, their, 5, 6));
        assertRefused(() -> ours.setBytes(0, their, -1, 6));
        assertRefused(() -> ours.setBytes(0, their, 0, -1));
        assertRefused(() -> ours.readBytes(their));
        assertRefused(() -> ours.readBytes(their, 5, 6));
        assertRefused(() -> ours.readBytes(their, 0, 9));
        assertRefused(() -> ours.writeBytes(their, 5, 6));
        for (ByteBuffer each : byteBuffers(10)) {
            assertRefused(() -> ours.getBytes(11, each));
            assertRefused(() -> ours.getBytes(-1, each));
            assertRefused(() -> ours.setBytes(11, each));
            assertRefused(() -> ours.setBytes(-1, each));
            assertRefused(() -> ours.readBytes(each));
            assertThat(each.remaining()).isEqualTo(10);
        }
        assertThat(TestBuffers.content(ours)).isEqualTo(our);
        assertThat(ours.readerIndex()).isZero();
        assertThat(ours.writerIndex()).isEqualTo(8);
        assertThat(their).isEqualTo(new byte[10]);
    }

    private static void assertRefused(Runnable call) {
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(call::run);
    }

    /** One of each kind, with this many random bytes remaining and some around them. */
    private List<ByteBuffer> byteBuffers(int remaining) {
        List<ByteBuffer> all = new ArrayList<>();
        for (boolean direct : new boolean[] { false, true }) {
            for (boolean sliced : new boolean[] { false, true }) {
                ByteBuffer buffer = direct ? ByteBuffer.allocateDirect(remaining + 13)
                        : ByteBuffer.allocate(remaining + 13);
                buffer.put(buffers.randomBytes(remaining + 13)).position(6).limit(remaining + 10);
                if (sliced) {
                    buffer = buffer.slice();
                    buffer.position(4);
                } else {
                    buffer.position(10);
                }
                all.add(buffer);
            }
        }
        return all;
    }

    private static byte[] bytes(ByteBuffer remaining) {
        byte[] bytes = new byte[remaining.remaining()];
        remaining.duplicate().get(bytes);
        return bytes;
    }

    private static byte[] copyOf(byte[] bytes, int index, int length) {
        byte[] copy = new byte[length];
        System.arraycopy(bytes, index, copy, 0, length);
        return copy;
    }
}
