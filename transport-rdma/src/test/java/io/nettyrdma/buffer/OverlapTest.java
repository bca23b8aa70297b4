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

import static org.assertj.core.api.Assertions.assertThat;

/** Copies within a buffer behave as if the bytes had first been copied elsewhere. */
class OverlapTest {

    private static final int CAPACITY = 200;

    @RegisterExtension
    final TestBuffers buffers = new TestBuffers();

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "COMPOSITE")
    void copyWithinABufferMovesOverlappingBytes(Shape shape) {
        byte[] bytes = buffers.randomBytes(CAPACITY);
        ByteBuf buffer = shape.make(buffers, bytes);
        for (int distance = -70; distance <= 70; distance += 7) {
            for (int length : new int[] { 0, 1, 8, 64, 100 }) {
                int from = 71;
                int to = Math.min(from + distance, CAPACITY - length);
                System.arraycopy(bytes, from, bytes, to, length);
                buffer.setBytes(to, buffer, from, length);
                assertThat(TestBuffers.content(buffer)).as("set: %d by %d", length, distance).isEqualTo(bytes);

                System.arraycopy(bytes, from, bytes, to, length);
                buffer.getBytes(from, buffer, to, length);
                assertThat(TestBuffers.content(buffer)).as("get: %d by %d", length, distance).isEqualTo(bytes);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "COMPOSITE")
    void copyBetweenViewsMovesOverlappingBytes(Shape shape) {
        byte[] bytes = buffers.randomBytes(CAPACITY);
        ByteBuf buffer = shape.make(buffers, bytes);
        ByteBuf from = buffer.slice(10, 150);
        ByteBuf to = buffer.duplicate();
        for (int distance : new int[] { -9, -1, 0, 1, 20 }) {
            System.arraycopy(bytes, 10, bytes, 10 + distance, 150);
            to.setBytes(10 + distance, from, 0, 150);
            assertThat(TestBuffers.content(buffer)).as("%d", distance).isEqualTo(bytes);
            System.arraycopy(bytes, 10, bytes, 10 + distance, 150);
            from.getBytes(0, to, 10 + distance, 150);
            assertThat(TestBuffers.content(buffer)).as("%d", distance).isEqualTo(bytes);
        }
    }

    /** The internal byte buffer, whose position and limit the buffer may use for the copy itself. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "COMPOSITE")
    void copyFromTheOwnByteBufferMovesOverlappingBytes(Shape shape) {
        byte[] bytes = buffers.randomBytes(CAPACITY);
        ByteBuf buffer = shape.make(buffers, bytes);
        System.arraycopy(bytes, 50, bytes, 60, 100);
        buffer.setBytes(60, buffer.internalNioBuffer(50, 100));
        assertThat(TestBuffers.content(buffer)).isEqualTo(bytes);
        System.arraycopy(bytes, 50, bytes, 30, 100);
        buffer.getBytes(50, buffer.nioBuffer(30, 100));
        assertThat(TestBuffers.content(buffer)).isEqualTo(bytes);
    }
}
