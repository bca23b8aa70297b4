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

import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Numbers fit just inside both ends and nowhere outside. A refused access changes nothing. */
class BoundsTest {

    private static final int CAPACITY = 21;

    @RegisterExtension
    final TestBuffers buffers = new TestBuffers();

    static Stream<Arguments> each() {
        return AccessorTest.each();
    }

    /** A composite buffer grows without limit. */
    static Stream<Arguments> eachWithAnEnd() {
        return each().filter(arguments -> arguments.get()[0] != Shape.COMPOSITE);
    }

    @ParameterizedTest
    @MethodSource("each")
    void firstAndLastIndexAreValid(Shape shape, Accessor accessor) {
        byte[] bytes = buffers.randomBytes(CAPACITY);
        ByteBuf buffer = shape.make(buffers, bytes);
        for (int index : new int[] { 0, CAPACITY - accessor.width }) {
            assertThat(accessor.get(buffer, index)).isEqualTo(accessor.get(bytes, index, shape.order()));
            accessor.set(buffer, index, -1);
            accessor.set(bytes, index, -1, shape.order());
        }
        assertThat(TestBuffers.content(buffer)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @MethodSource("each")
    void anIndexOutsideIsRefused(Shape shape, Accessor accessor) {
        byte[] bytes = buffers.randomBytes(CAPACITY);
        ByteBuf buffer = shape.make(buffers, bytes);
        int width = accessor.width;
        int[] outside = {
            -1, -width, -CAPACITY, Integer.MIN_VALUE, Integer.MIN_VALUE + CAPACITY,
            CAPACITY - width + 1, CAPACITY, CAPACITY + 1, Integer.MAX_VALUE - width + 1, Integer.MAX_VALUE
        };
        for (int index : outside) {
            assertRefused("get at " + index, () -> accessor.get(buffer, index));
            assertRefused("set at " + index, () -> accessor.set(buffer, index, -1));
        }
        assertThat(TestBuffers.content(buffer)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @MethodSource("each")
    void readBeyondTheWriterIndexIsRefused(Shape shape, Accessor accessor) {
        ByteBuf buffer = shape.make(buffers, CAPACITY);
        for (int readable = 0; readable < accessor.width; readable++) {
            buffer.setIndex(3, 3 + readable);
            assertRefused(readable + " readable", () -> accessor.read(buffer));
            assertThat(buffer.readerIndex()).isEqualTo(3);
            assertThat(buffer.writerIndex()).isEqualTo(3 + readable);
        }
    }

    @ParameterizedTest
    @MethodSource("eachWithAnEnd")
    void writeBeyondTheCapacityIsRefused(Shape shape, Accessor accessor) {
        byte[] bytes = buffers.randomBytes(CAPACITY);
        ByteBuf buffer = shape == Shape.SHRUNK ? Shape.GROWN.make(buffers, bytes) : shape.make(buffers, bytes);
        assertThat(buffer.maxCapacity()).isEqualTo(CAPACITY);
        for (int writable = 0; writable < accessor.width; writable++) {
            buffer.setIndex(0, CAPACITY - writable);
            assertRefused(writable + " writable", () -> accessor.write(buffer, -1));
            assertThat(buffer.writerIndex()).isEqualTo(CAPACITY - writable);
            assertThat(TestBuffers.content(buffer)).isEqualTo(bytes);
        }
        assertThat(buffer.capacity()).isEqualTo(CAPACITY);
    }

    private static void assertRefused(String what, Runnable call) {
        assertThatExceptionOfType(IndexOutOfBoundsException.class).as(what).isThrownBy(call::run);
    }
}
