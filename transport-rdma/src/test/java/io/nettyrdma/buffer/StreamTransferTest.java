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

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Transfers to and from Java's streams, with lengths around that of the intermediate array. */
class StreamTransferTest {

    private static final int CAPACITY = 70_000;
    private static final int INDEX = 3;
    private static final int[] LENGTHS = { 0, 1, 1023, 8192, 8193, CAPACITY - INDEX };

    @RegisterExtension
    final TestBuffers buffers = new TestBuffers();

    @ParameterizedTest
    @EnumSource
    void writeToOutputStreams(Shape shape) throws IOException {
        byte[] our = buffers.randomBytes(CAPACITY);
        ByteBuf ours = shape.make(buffers, our);
        for (int length : LENGTHS) {
            byte[] expected = Arrays.copyOfRange(our, INDEX, INDEX + length);
            ByteArrayOutputStream got = new ByteArrayOutputStream();
            assertThat(ours.getBytes(INDEX, got, length)).isSameAs(ours);
            assertThat(got.toByteArray()).isEqualTo(expected);
            assertThat(ours.readerIndex()).isZero();

            got.reset();
            assertThat(ours.setIndex(INDEX, CAPACITY).readBytes(got, length)).isSameAs(ours);
            assertThat(got.toByteArray()).isEqualTo(expected);
            assertThat(ours.readerIndex()).isEqualTo(INDEX + length);
            ours.clear();
        }
        assertThat(TestBuffers.content(ours)).isEqualTo(our);
    }

    @ParameterizedTest
    @EnumSource
    void readFromInputStreams(Shape shape) throws IOException {
        byte[] our = buffers.randomBytes(CAPACITY);
        ByteBuf ours = shape.make(buffers, our);
        for (int length : LENGTHS) {
            byte[] their = buffers.randomBytes(length + 1);
            System.arraycopy(their, 0, our, INDEX, length);
            assertThat(ours.setBytes(INDEX, new ByteArrayInputStream(their), length)).isEqualTo(length);
            assertThat(TestBuffers.content(ours)).isEqualTo(our);
            assertThat(ours.writerIndex()).isZero();

            ours.setZero(INDEX, length).writerIndex(INDEX);
            assertThat(ours.writeBytes(new ByteArrayInputStream(their), length)).isEqualTo(length);
            assertThat(TestBuffers.content(ours)).isEqualTo(our);
            assertThat(ours.writerIndex()).isEqualTo(INDEX + length);
            ours.clear();
        }
    }

    /** A composite buffer reads once for each component. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "COMPOSITE")
    void shortReadOfAStreamIsNotRepeated(Shape shape) throws IOException {
        byte[] our = buffers.randomBytes(CAPACITY);
        ByteBuf ours = shape.make(buffers, our).writerIndex(INDEX);
        InputStream trickle = new ByteArrayInputStream(new byte[100]) {
            @Override
            public synchronized int read(byte[] into, int offset, int length) {
                return super.read(into, offset, Math.min(length, 60));
            }
        };
        assertThat(ours.writeBytes(trickle, 1000)).isEqualTo(60);
        assertThat(ours.writerIndex()).isEqualTo(INDEX + 60);
        assertThat(ours.setBytes(INDEX + 60, trickle, 1000)).isEqualTo(40);
        assertThat(ours.setBytes(0, trickle, 1000)).as("at its end").isEqualTo(-1);
        assertThat(ours.writeBytes(trickle, 1000)).as("at its end").isEqualTo(-1);
        assertThat(ours.writerIndex()).isEqualTo(INDEX + 60);
        Arrays.fill(our, INDEX, INDEX + 100, (byte) 0);
        assertThat(TestBuffers.content(ours)).isEqualTo(our);
    }

    @ParameterizedTest
    @EnumSource
    void failedStreamLeavesTheIndexes(Shape shape) {
        ByteBuf ours = shape.make(buffers, 100).setIndex(2, 50);
        InputStream in = new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("broken");
            }
        };
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> ours.writeBytes(in, 10)).withMessage("broken");
        assertThat(ours.writerIndex()).isEqualTo(50);
        ByteArrayOutputStream out = new ByteArrayOutputStream() {
            @Override
            public synchronized void write(byte[] from, int offset, int length) {
                throw new IllegalStateException("broken");
            }
        };
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> ours.readBytes(out, 10));
        assertThat(ours.readerIndex()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void oversizedTransferReadsNothing(Shape shape) throws IOException {
        byte[] our = buffers.randomBytes(100);
        ByteBuf ours = shape.make(buffers, our).setIndex(0, 100);
        InputStream in = new ByteArrayInputStream(new byte[200]);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        assertRefused(() -> ours.setBytes(-1, in, 10));
        assertRefused(() -> ours.setBytes(91, in, 10));
        assertRefused(() -> ours.setBytes(1, in, Integer.MAX_VALUE));
        assertRefused(() -> ours.getBytes(-1, out, 10));
        assertRefused(() -> ours.getBytes(91, out, 10));
        assertRefused(() -> ours.getBytes(1, out, Integer.MAX_VALUE));
        assertRefused(() -> ours.readBytes(out, 101));
        assertThat(in.available()).isEqualTo(200);
        assertThat(out.size()).isZero();
        assertThat(TestBuffers.content(ours)).isEqualTo(our);
    }

    private static void assertRefused(ThrowingCallable call) {
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(call::call);
    }

    private interface ThrowingCallable {
        void call() throws IOException;
    }
}
