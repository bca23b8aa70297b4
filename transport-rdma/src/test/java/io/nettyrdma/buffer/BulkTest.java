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
import io.netty.util.internal.PlatformDependent;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.Arrays;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Copies between our buffers in every shape and any other buffers. All bytes at both ends are compared. */
class BulkTest {

    private static final int OUR_INDEX = 3;
    private static final int THEIR_INDEX = 5;
    private static final int[] LENGTHS = { 0, 1, 7, 8, 64, 301, 5000 };

    @RegisterExtension
    final TestBuffers buffers = new TestBuffers();

    private byte[] our;
    private byte[] their;
    private ByteBuf ours;
    private ByteBuf theirs;

    static Stream<Arguments> pairs() {
        return Stream.of(Shape.values())
                .flatMap(shape -> Stream.of(Foreign.values()).map(foreign -> Arguments.of(shape, foreign)));
    }

    static Stream<Arguments> writablePairs() {
        return pairs().filter(arguments -> !((Foreign) arguments.get()[1]).isReadOnly());
    }

    private void make(Shape shape, Foreign foreign, int length) {
        our = buffers.randomBytes(length + 11);
        their = buffers.randomBytes(length + 9);
        ours = shape.make(buffers, our);
        theirs = buffers.keep(foreign.make(their));
    }

    private void assertContents() {
        assertThat(TestBuffers.content(ours)).as("ours").isEqualTo(our);
        assertThat(TestBuffers.content(theirs)).as("theirs").isEqualTo(their);
    }

    private void assertIndexes(ByteBuf buffer, int reader, int writer) {
        assertThat(buffer.readerIndex()).isEqualTo(reader);
        assertThat(buffer.writerIndex()).isEqualTo(writer);
    }

    private void weHaveTheirs(int length) {
        System.arraycopy(their, THEIR_INDEX, our, OUR_INDEX, length);
        assertContents();
    }

    private void theyHaveOurs(int length) {
        System.arraycopy(our, OUR_INDEX, their, THEIR_INDEX, length);
        assertContents();
    }

    @ParameterizedTest
    @MethodSource("writablePairs")
    void getBytesWithBothIndexes(Shape shape, Foreign foreign) {
        for (int length : LENGTHS) {
            make(shape, foreign, length);
            ours.getBytes(OUR_INDEX, theirs, THEIR_INDEX, length);
            theyHaveOurs(length);
            Arrays.fill(our, OUR_INDEX, OUR_INDEX + length, (byte) length);
            ours.setBytes(0, our);
            theirs.setBytes(THEIR_INDEX, ours, OUR_INDEX, length);
            theyHaveOurs(length);
            assertIndexes(ours, 0, 0);
            assertIndexes(theirs, 0, their.length);
        }
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void setBytesWithBothIndexes(Shape shape, Foreign foreign) {
        for (int length : LENGTHS) {
            make(shape, foreign, length);
            ours.setBytes(OUR_INDEX, theirs, THEIR_INDEX, length);
            weHaveTheirs(length);
            Arrays.fill(our, OUR_INDEX, OUR_INDEX + length, (byte) length);
            ours.setBytes(0, our);
            if (shape == Shape.COMPOSITE && !PlatformDependent.hasUnsafe() && theirs.alloc() != ours.alloc()) {
                // Netty's own direct buffers fail in this case.
                continue;
            }
            theirs.getBytes(THEIR_INDEX, ours, OUR_INDEX, length);
            weHaveTheirs(length);
            assertIndexes(ours, 0, 0);
            assertIndexes(theirs, 0, their.length);
        }
    }

    @ParameterizedTest
    @MethodSource("writablePairs")
    void getBytesMovesTheWriterIndexOfTheTarget(Shape shape, Foreign foreign) {
        for (int length : LENGTHS) {
            make(shape, foreign, length);
            theirs.setIndex(0, THEIR_INDEX);
            ours.getBytes(OUR_INDEX, theirs, length);
            assertIndexes(theirs, 0, THEIR_INDEX + length);
            theyHaveOurs(length);

            // Without a length, the target is filled.
            ByteBuf part = theirs.slice(THEIR_INDEX, length).clear();
            Arrays.fill(our, OUR_INDEX, OUR_INDEX + length, (byte) length);
            ours.setBytes(0, our).getBytes(OUR_INDEX, part);
            assertIndexes(part, 0, length);
            theyHaveOurs(length);
            assertIndexes(ours, 0, 0);
        }
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void setBytesMovesTheReaderIndexOfTheSource(Shape shape, Foreign foreign) {
        for (int length : LENGTHS) {
            make(shape, foreign, length);
            theirs.readerIndex(THEIR_INDEX);
            ours.setBytes(OUR_INDEX, theirs, length);
            assertIndexes(theirs, THEIR_INDEX + length, their.length);
            weHaveTheirs(length);

            // Without a length, all readable bytes are copied.
            ByteBuf part = theirs.slice(THEIR_INDEX, length);
            ours.setZero(OUR_INDEX, length).setBytes(OUR_INDEX, part);
            assertIndexes(part, length, length);
            weHaveTheirs(length);
            assertIndexes(ours, 0, 0);
        }
    }

    @ParameterizedTest
    @MethodSource("writablePairs")
    void readBytesMovesBothIndexes(Shape shape, Foreign foreign) {
        for (int length : LENGTHS) {
            make(shape, foreign, length);
            ours.setIndex(OUR_INDEX, our.length);
            ours.readBytes(theirs, THEIR_INDEX, length);
            assertIndexes(ours, OUR_INDEX + length, our.length);
            theyHaveOurs(length);

            Arrays.fill(their, THEIR_INDEX, their.length, (byte) 0);
            theirs.setBytes(0, their).setIndex(0, THEIR_INDEX);
            ours.readerIndex(OUR_INDEX).readBytes(theirs, length);
            assertIndexes(ours, OUR_INDEX + length, our.length);
            assertIndexes(theirs, 0, THEIR_INDEX + length);
            theyHaveOurs(length);

            ByteBuf part = theirs.setZero(THEIR_INDEX, length).slice(THEIR_INDEX, length).clear();
            ours.readerIndex(OUR_INDEX).readBytes(part);
            assertIndexes(ours, OUR_INDEX + length, our.length);
            assertIndexes(part, 0, length);
            theyHaveOurs(length);
        }
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void writeBytesMovesBothIndexes(Shape shape, Foreign foreign) {
        for (int length : LENGTHS) {
            make(shape, foreign, length);
            ours.setIndex(1, OUR_INDEX).writeBytes(theirs, THEIR_INDEX, length);
            assertIndexes(ours, 1, OUR_INDEX + length);
            assertIndexes(theirs, 0, their.length);
            weHaveTheirs(length);

            ours.setZero(OUR_INDEX, length).writerIndex(OUR_INDEX);
            ours.writeBytes(theirs.readerIndex(THEIR_INDEX), length);
            assertIndexes(ours, 1, OUR_INDEX + length);
            assertIndexes(theirs, THEIR_INDEX + length, their.length);
            weHaveTheirs(length);

            ByteBuf part = theirs.slice(THEIR_INDEX, length);
            ours.setZero(OUR_INDEX, length).writerIndex(OUR_INDEX).writeBytes(part);
            assertIndexes(ours, 1, OUR_INDEX + length);
            assertIndexes(part, length, length);
            weHaveTheirs(length);
        }
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void oversizedBulkOperationChangesNothing(Shape shape, Foreign foreign) {
        make(shape, foreign, 20);
        int ourEnd = our.length;
        int theirEnd = their.length;
        assertRefused(() -> ours.getBytes(ourEnd - 4, theirs, 0, 5));
        assertRefused(() -> ours.getBytes(0, theirs, theirEnd - 4, 5));
        assertRefused(() -> ours.getBytes(-1, theirs, 0, 5));
        assertRefused(() -> ours.getBytes(0, theirs, -1, 5));
        assertRefused(() -> ours.getBytes(0, theirs, 0, Integer.MAX_VALUE));
        assertRefused(() -> ours.getBytes(0, theirs.setIndex(0, theirEnd - 4), 5));
        assertRefused(() -> ours.setBytes(ourEnd - 4, theirs, 0, 5));
        assertRefused(() -> ours.setBytes(0, theirs, theirEnd - 4, 5));
        assertRefused(() -> ours.setBytes(-1, theirs, 0, 5));
        assertRefused(() -> ours.setBytes(0, theirs, -1, 5));
        assertRefused(() -> ours.setBytes(Integer.MAX_VALUE, theirs, 0, 1));
        assertRefused(() -> ours.setBytes(0, theirs.setIndex(0, 4), 5));
        assertRefused(() -> ours.setIndex(0, 4).readBytes(theirs, 0, 5));
        assertRefused(() -> ours.setIndex(0, 5).readBytes(theirs, theirEnd - 4, 5));
        assertRefused(() -> ours.readBytes(theirs.setIndex(0, theirEnd - 4), 5));
        assertRefused(() -> ours.clear().writeBytes(theirs.setIndex(0, 4), 5));
        assertContents();
        assertIndexes(ours, 0, 0);
        assertIndexes(theirs, 0, 4);
    }

    /** Wrong indexes and lengths are reported before any other error, such as a read-only target. */
    private static void assertRefused(Runnable call) {
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(call::run);
    }
}
