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
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

/** Several threads may read one buffer at a time, each through its own view: reading changes nothing in the buffer. */
class ConcurrentReadsTest {

    private static final int THREADS = 4;
    private static final int ROUNDS = 2000;
    private static final int CAPACITY = 2000;

    @RegisterExtension
    final TestBuffers buffers = new TestBuffers();

    @TempDir
    Path directory;

    private final ExecutorService executor = Executors.newFixedThreadPool(THREADS);
    private byte[] bytes;
    private ByteBuf buffer;

    @BeforeEach
    void make() {
        bytes = buffers.randomBytes(CAPACITY);
        buffer = buffers.direct(bytes);
    }

    @AfterEach
    void end() {
        executor.shutdown();
    }

    private interface Reader {
        byte[] read(ByteBuf view) throws IOException;
    }

    /** The first half of the threads has slices that begin later than those of the other half. */
    private void assertAllRead(Reader reader) throws Exception {
        CyclicBarrier start = new CyclicBarrier(THREADS);
        List<Future<Void>> ends = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int from = i < THREADS / 2 ? 100 : 0;
            Callable<Void> task = () -> {
                byte[] expected = Arrays.copyOfRange(bytes, from, CAPACITY - from);
                start.await();
                for (int round = 0; round < ROUNDS; round++) {
                    ByteBuf view = round % 2 == 0 ? buffer.slice(from, CAPACITY - 2 * from)
                            : buffer.duplicate().setIndex(from, CAPACITY - from);
                    assertThat(reader.read(view)).as("round %d", round).isEqualTo(expected);
                }
                return null;
            };
            ends.add(executor.submit(task));
        }
        for (Future<Void> end : ends) {
            end.get();
        }
    }

    @Test
    void intoArrays() throws Exception {
        assertAllRead(view -> {
            byte[] got = new byte[view.readableBytes()];
            view.readBytes(got);
            return got;
        });
    }

    @Test
    void intoByteBuffers() throws Exception {
        assertAllRead(view -> {
            ByteBuffer got = ByteBuffer.allocate(view.readableBytes());
            view.getBytes(view.readerIndex(), got);
            return got.array();
        });
    }

    @Test
    void intoBuffers() throws Exception {
        assertAllRead(view -> {
            byte[] got = new byte[view.readableBytes()];
            Unpooled.wrappedBuffer(got).clear().writeBytes(view);
            return got;
        });
    }

    @Test
    void intoRegisteredBuffers() throws Exception {
        assertAllRead(view -> {
            ByteBuf copy = view.copy();
            byte[] got = TestBuffers.readable(copy);
            copy.release();
            return got;
        });
    }

    @Test
    void intoStreams() throws Exception {
        assertAllRead(view -> {
            ByteArrayOutputStream got = new ByteArrayOutputStream();
            view.readBytes(got, view.readableBytes());
            return got.toByteArray();
        });
    }

    @Test
    void intoFiles() throws Exception {
        assertAllRead(view -> {
            Path path = directory.resolve(Thread.currentThread().getName());
            try (FileChannel file = FileChannel.open(path, READ, WRITE, CREATE_NEW)) {
                int half = view.readableBytes() / 2;
                assertThat(view.readBytes(file, half)).isEqualTo(half);
                assertThat(view.readBytes(file, half, view.readableBytes())).isEqualTo(half);
                ByteBuffer got = ByteBuffer.allocate(2 * half);
                assertThat(file.read(got, 0)).isEqualTo(2 * half);
                return got.array();
            } finally {
                Files.delete(path);
            }
        });
    }

    @Test
    void asText() throws Exception {
        assertAllRead(view -> view.toString(ISO_8859_1).getBytes(ISO_8859_1));
    }

    @Test
    void asNumbers() throws Exception {
        assertAllRead(view -> {
            ByteBuffer got = ByteBuffer.allocate(view.readableBytes());
            while (view.readableBytes() >= Long.BYTES) {
                got.putLong(view.readLong());
            }
            while (view.isReadable()) {
                got.put(view.readByte());
            }
            return got.array();
        });
    }

    @Test
    void asByteBuffers() throws Exception {
        assertAllRead(view -> {
            ByteBuffer got = ByteBuffer.allocate(view.readableBytes());
            got.put(view.nioBuffer());
            return got.array();
        });
    }
}
