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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ScatteringByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Transfers to and from a file, at its position and at a given one, and to and from a pipe that transfers less. */
class ChannelTransferTest {

    private static final int CAPACITY = 9000;
    private static final int INDEX = 3;
    private static final int[] LENGTHS = { 0, 1, 4096, CAPACITY - INDEX };

    @RegisterExtension
    final TestBuffers buffers = new TestBuffers();

    @TempDir
    Path directory;

    private Path path;
    private FileChannel file;

    @BeforeEach
    void open() throws IOException {
        path = directory.resolve("file");
        file = FileChannel.open(path, CREATE_NEW, READ, WRITE);
    }

    @AfterEach
    void close() throws IOException {
        file.close();
    }

    @ParameterizedTest
    @EnumSource
    void writeToAFileAtItsPosition(Shape shape) throws IOException {
        byte[] our = buffers.randomBytes(CAPACITY);
        ByteBuf ours = shape.make(buffers, our);
        GatheringByteChannel out = file;
        for (int length : LENGTHS) {
            byte[] expected = Arrays.copyOfRange(our, INDEX, INDEX + length);
            file.truncate(0);
            assertThat(ours.getBytes(INDEX, out, length)).isEqualTo(length);
            assertThat(Files.readAllBytes(path)).isEqualTo(expected);
            assertThat(file.position()).isEqualTo(length);
            assertThat(ours.readerIndex()).isZero();

            file.truncate(0);
            assertThat(ours.setIndex(INDEX, CAPACITY).readBytes(out, length)).isEqualTo(length);
            assertThat(Files.readAllBytes(path)).isEqualTo(expected);
            assertThat(ours.readerIndex()).isEqualTo(INDEX + length);
            ours.clear();
        }
        assertThat(TestBuffers.content(ours)).isEqualTo(our);
    }

    @ParameterizedTest
    @EnumSource
    void writeToAFileAtAGivenPosition(Shape shape) throws IOException {
        byte[] our = buffers.randomBytes(CAPACITY);
        ByteBuf ours = shape.make(buffers, our);
        for (int length : LENGTHS) {
            byte[] their = buffers.randomBytes(CAPACITY);
            Files.write(path, their);
            System.arraycopy(our, INDEX, their, 2, length);
            assertThat(ours.getBytes(INDEX, file, 2, length)).isEqualTo(length);
            assertThat(Files.readAllBytes(path)).isEqualTo(their);

            Files.write(path, Arrays.copyOf(their, 2));
            assertThat(ours.setIndex(INDEX, CAPACITY).readBytes(file, 2, length)).isEqualTo(length);
            assertThat(Files.readAllBytes(path)).isEqualTo(Arrays.copyOf(their, 2 + length));
            assertThat(ours.readerIndex()).isEqualTo(INDEX + length);
            assertThat(file.position()).isZero();
            ours.clear();
        }
    }

    @ParameterizedTest
    @EnumSource
    void readFromAFileAtItsPosition(Shape shape) throws IOException {
        byte[] our = buffers.randomBytes(CAPACITY);
        ByteBuf ours = shape.make(buffers, our);
        byte[] their = buffers.randomBytes(CAPACITY);
        Files.write(path, their);
        ScatteringByteChannel in = file;
        for (int length : LENGTHS) {
            System.arraycopy(their, 1, our, INDEX, length);
            file.position(1);
            assertThat(ours.setBytes(INDEX, in, length)).isEqualTo(length);
            assertThat(TestBuffers.content(ours)).isEqualTo(our);
            assertThat(file.position()).isEqualTo(1 + length);
            assertThat(ours.writerIndex()).isZero();

            ours.setZero(INDEX, length).writerIndex(INDEX);
            file.position(1);
            assertThat(ours.writeBytes(in, length)).isEqualTo(length);
            assertThat(TestBuffers.content(ours)).isEqualTo(our);
            assertThat(ours.writerIndex()).isEqualTo(INDEX + length);
            ours.clear();
        }
    }

    @ParameterizedTest
    @EnumSource
    void readFromAFileAtAGivenPosition(Shape shape) throws IOException {
        byte[] our = buffers.randomBytes(CAPACITY);
        ByteBuf ours = shape.make(buffers, our);
        byte[] their = buffers.randomBytes(CAPACITY + 2);
        Files.write(path, their);
        for (int length : LENGTHS) {
            System.arraycopy(their, 2, our, INDEX, length);
            assertThat(ours.setBytes(INDEX, file, 2, length)).isEqualTo(length);
            assertThat(TestBuffers.content(ours)).isEqualTo(our);

            ours.setZero(INDEX, length).writerIndex(INDEX);
            assertThat(ours.writeBytes(file, 2, length)).isEqualTo(length);
            assertThat(TestBuffers.content(ours)).isEqualTo(our);
            assertThat(ours.writerIndex()).isEqualTo(INDEX + length);
            assertThat(file.position()).isZero();
            ours.clear();
        }
    }

    @ParameterizedTest
    @EnumSource
    void endOfFileReturnsMinusOne(Shape shape) throws IOException {
        ByteBuf ours = shape.make(buffers, new byte[100]).writerIndex(10);
        byte[] their = buffers.randomBytes(5);
        Files.write(path, their);
        ScatteringByteChannel in = file;
        assertThat(ours.writeBytes(in, 50)).as("all there is").isEqualTo(5);
        assertThat(ours.writerIndex()).isEqualTo(15);
        assertThat(TestBuffers.readable(ours.slice(10, 5))).isEqualTo(their);
        assertThat(ours.writeBytes(in, 50)).as("at its end").isEqualTo(-1);
        assertThat(ours.writeBytes(file, 5, 50)).as("at its end").isEqualTo(-1);
        assertThat(ours.setBytes(0, in, 50)).as("at its end").isEqualTo(-1);
        assertThat(ours.setBytes(0, file, 9, 50)).as("behind its end").isEqualTo(-1);
        assertThat(ours.writerIndex()).isEqualTo(15);

        file.close();
        assertThat(ours.writeBytes(in, 50)).as("closed").isEqualTo(-1);
        assertThat(ours.writeBytes(file, 0, 50)).as("closed").isEqualTo(-1);
        assertThat(ours.writerIndex()).isEqualTo(15);
    }

    @ParameterizedTest
    @EnumSource
    void partialTransferOfAPipeMovesTheIndexes(Shape shape) throws IOException {
        int length = 1 << 20;
        byte[] our = buffers.randomBytes(length);
        ByteBuf ours = shape.make(buffers, our).writerIndex(length);
        Pipe pipe = Pipe.open();
        try (Pipe.SinkChannel out = pipe.sink(); Pipe.SourceChannel in = pipe.source()) {
            out.configureBlocking(false);
            int written = ours.readBytes(out, length);
            assertThat(written).as("a pipe has no room for it all").isBetween(1, length - 1);
            assertThat(ours.readerIndex()).isEqualTo(written);
            assertThat(ours.readBytes(out, 1)).as("it is full").isZero();
            assertThat(ours.readerIndex()).isEqualTo(written);

            in.configureBlocking(false);
            ByteBuf back = shape.make(buffers, length);
            int read = 0;
            while (read < written) {
                int now = back.writeBytes(in, back.writableBytes());
                assertThat(now).isPositive();
                read += now;
                assertThat(back.writerIndex()).isEqualTo(read);
            }
            assertThat(read).isEqualTo(written);
            assertThat(TestBuffers.readable(back)).isEqualTo(Arrays.copyOf(our, written));
            assertThat(back.writeBytes(in, 1)).as("it is empty").isZero();
            assertThat(back.writerIndex()).isEqualTo(written);
        }
    }

    @ParameterizedTest
    @EnumSource
    void oversizedTransferChangesNothing(Shape shape) throws IOException {
        byte[] our = buffers.randomBytes(100);
        ByteBuf ours = shape.make(buffers, our).setIndex(0, 100);
        file.write(ByteBuffer.wrap(new byte[10]));
        file.position(5);
        GatheringByteChannel out = file;
        ScatteringByteChannel in = file;
        for (int[] range : new int[][] { { -1, 10 }, { 91, 10 }, { 1, Integer.MAX_VALUE }, { 101, 1 } }) {
            int index = range[0];
            int length = range[1];
            assertRefused(() -> ours.getBytes(index, out, length));
            assertRefused(() -> ours.getBytes(index, file, 3, length));
            assertRefused(() -> ours.setBytes(index, in, length));
            assertRefused(() -> ours.setBytes(index, file, 3, length));
        }
        assertRefused(() -> ours.readBytes(out, 101));
        assertRefused(() -> ours.readBytes(file, 3, 101));
        assertThat(file.position()).isEqualTo(5);
        assertThat(file.size()).isEqualTo(10);
        assertThat(TestBuffers.content(ours)).isEqualTo(our);
        assertThat(ours.readerIndex()).isZero();
    }

    private static void assertRefused(ThrowingCallable call) {
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(call::call);
    }

    private interface ThrowingCallable {
        void call() throws IOException;
    }
}
