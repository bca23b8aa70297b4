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
import io.netty.util.concurrent.FastThreadLocalThread;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Registered memory is used up: allocations fail with the reason, no data is lost, and a release cures it. */
class AllocatorLimitTest {

    private static final int LIMIT = 4 << 20;
    private static final int CHUNK = 1 << 20;

    @RegisterExtension
    final TestBuffers random = new TestBuffers();

    private final RdmaByteBufAllocator allocator =
            RdmaByteBufAllocator.builder().chunkBytes(CHUNK).maxRegisteredBytes(LIMIT).build();
    private final List<ByteBuf> full = new ArrayList<>();

    @AfterEach
    void release() {
        full.forEach(ByteBuf::release);
        assertThat(allocator.metric().inUseBytes()).isZero();
        allocator.trim();
        assertThat(allocator.metric().committedBytes()).isZero();
    }

    /** Allocates buffers of this size until the limit, and fills each with its number. */
    private OutOfRegisteredMemoryError fill(int size) {
        while (true) {
            ByteBuf buffer;
            try {
                buffer = allocator.directBuffer(size);
            } catch (OutOfRegisteredMemoryError e) {
                return e;
            }
            full.add(buffer);
            buffer.writeBytes(content(full.size(), size));
        }
    }

    private static byte[] content(int number, int size) {
        byte[] bytes = new byte[size];
        Arrays.fill(bytes, (byte) number);
        return bytes;
    }

    private void assertNothingIsLost(int size) {
        for (int i = 0; i < full.size(); i++) {
            assertThat(TestBuffers.readable(full.get(i))).as("buffer %d", i).isEqualTo(content(i + 1, size));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 64, 1000, 65_536, CHUNK, CHUNK + 5000, LIMIT })
    void releaseAtTheLimitAllowsAnotherAllocation(int size) {
        fill(size);
        assertThat((long) full.size() * size).as("bytes of buffers").isBetween(LIMIT / 2L, (long) LIMIT);
        assertThat(allocator.metric().committedBytes()).isBetween(LIMIT / 2L, (long) LIMIT);
        assertNothingIsLost(size);
        for (int i = 0; i < 3; i++) {
            assertThatExceptionOfType(OutOfRegisteredMemoryError.class)
                    .isThrownBy(() -> allocator.directBuffer(size));
            full.remove(full.size() - 1).release();
            full.add(allocator.directBuffer(size).writeBytes(content(full.size() + 1, size)));
        }
        assertNothingIsLost(size);
    }

    @Test
    void theErrorNamesLimitUseAndCure() {
        OutOfRegisteredMemoryError error = fill(65_536);
        assertThat(error).isInstanceOf(OutOfMemoryError.class);
        assertThat(error.getMessage()).contains(
                "maxRegisteredBytes is " + LIMIT,
                allocator.metric().committedBytes() + " are committed",
                "cannot commit " + CHUNK + " more bytes",
                "release",
                "-Dio.nettyrdma.allocator.maxRegisteredBytes");
    }

    @Test
    void releasedMemoryServesOtherSizes() {
        for (int size : new int[] { 64, LIMIT, 3000, CHUNK + 1, 65_536, LIMIT, 64 }) {
            fill(size);
            assertThat((long) full.size() * size).as("buffers of %d", size).isGreaterThanOrEqualTo(LIMIT / 4);
            assertNothingIsLost(size);
            full.forEach(ByteBuf::release);
            full.clear();
            assertThat(allocator.metric().inUseBytes()).isZero();
        }
    }

    @Test
    void bufferIsUnchangedWhenItCannotGrow() {
        fill(65_536);
        ByteBuf buffer = full.get(3);
        buffer.setIndex(10, 60_000);
        assertThatExceptionOfType(OutOfRegisteredMemoryError.class).isThrownBy(() -> buffer.capacity(CHUNK));
        assertThatExceptionOfType(OutOfRegisteredMemoryError.class).isThrownBy(() -> buffer.ensureWritable(CHUNK));
        assertThatExceptionOfType(OutOfRegisteredMemoryError.class)
                .isThrownBy(() -> buffer.writeBytes(new byte[CHUNK]));
        assertThatExceptionOfType(OutOfRegisteredMemoryError.class).isThrownBy(buffer::copy);
        assertThat(buffer.capacity()).isEqualTo(65_536);
        assertThat(buffer.readerIndex()).isEqualTo(10);
        assertThat(buffer.writerIndex()).isEqualTo(60_000);
        assertThat(buffer.refCnt()).isEqualTo(1);
        buffer.setIndex(0, 65_536);
        assertNothingIsLost(65_536);
        full.remove(0).release();
        full.add(allocator.directBuffer(65_536));
    }

    @Test
    void allocatedMemoryNeverExceedsTheLimit() {
        for (int size : new int[] { LIMIT + 1, 1 << 30, Integer.MAX_VALUE - 5000, Integer.MAX_VALUE }) {
            assertThatExceptionOfType(OutOfRegisteredMemoryError.class).as("%d", size)
                    .isThrownBy(() -> allocator.directBuffer(size)).withMessageContaining("bytes");
        }
        assertThat(allocator.metric().committedBytes()).isZero();
        full.add(allocator.directBuffer(LIMIT));
    }

    /** Memory that another thread caches counts as used until that thread has ended. */
    @Test
    void memoryOfAnEndedThreadIsReused() throws InterruptedException {
        for (int round = 0; round < 3; round++) {
            Thread thread = new FastThreadLocalThread(() -> {
                fill(50_000);
                full.forEach(ByteBuf::release);
            });
            thread.start();
            thread.join();
            full.clear();
            fill(LIMIT);
            assertThat(full).hasSize(1);
            full.remove(0).release();
        }
    }
}
