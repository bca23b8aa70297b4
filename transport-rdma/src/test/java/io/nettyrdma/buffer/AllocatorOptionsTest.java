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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

/** The options of an allocator, set by its builder and by system properties. */
class AllocatorOptionsTest {

    private static final int MIB = 1 << 20;
    private static final String PROPERTIES = "io.nettyrdma.allocator.";

    /** For its random numbers. */
    @RegisterExtension
    final TestBuffers random = new TestBuffers();

    private final List<ByteBuf> made = new ArrayList<>();
    private final List<String> properties = new ArrayList<>();

    @AfterEach
    void release() {
        made.forEach(ByteBuf::release);
        properties.forEach(System::clearProperty);
    }

    private ByteBuf keep(ByteBuf buffer) {
        made.add(buffer);
        return buffer;
    }

    private void set(String option, String value) {
        System.setProperty(PROPERTIES + option, value);
        properties.add(PROPERTIES + option);
    }

    @ParameterizedTest
    @ValueSource(ints = { 64, 128, 512, 4096 })
    void allBuffersAreAligned(int alignment) {
        RdmaByteBufAllocator allocator = RdmaByteBufAllocator.builder().maxRegisteredBytes(64 * MIB)
                .chunkBytes(MIB).alignment(alignment).build();
        for (int i = 0; i < 2000; i++) {
            int size = random.random().nextInt(1 << 1 + random.random().nextInt(15));
            assertAligned(keep(allocator.directBuffer(size)), alignment);
        }
        for (int i = 0; i < 20; i++) {
            ByteBuf buffer = made.get(i);
            assertAligned(buffer.capacity(2 * buffer.capacity() + 1), alignment);
            assertAligned(buffer.capacity(MIB + i), alignment);
        }
    }

    private static void assertAligned(ByteBuf buffer, int alignment) {
        assertThat(buffer.memoryAddress() % alignment).as("%s at %x", buffer, buffer.memoryAddress()).isZero();
    }

    @Test
    void chunksHaveTheConfiguredSizeAndLargerBuffersTheirOwnChunk() {
        for (int chunk : new int[] { MIB, 8 * MIB }) {
            RdmaByteBufAllocator allocator = RdmaByteBufAllocator.builder().maxRegisteredBytes(64 * MIB)
                    .chunkBytes(chunk).build();
            assertThat(allocator.metric().committedBytes()).as("nothing before the first buffer").isZero();
            keep(allocator.directBuffer(1));
            assertThat(allocator.metric().committedBytes()).isEqualTo(chunk);
            assertThat(allocator.metric().usedDirectMemory()).isEqualTo(chunk);
            keep(allocator.directBuffer(chunk));
            assertThat(allocator.metric().committedBytes()).isEqualTo(2 * chunk);
            assertThat(allocator.metric().largeBytes()).isZero();
            keep(allocator.directBuffer(chunk + 1));
            assertThat(allocator.metric().largeBytes()).isGreaterThan(chunk).isLessThan(chunk + MIB);
        }
    }

    @Test
    void unusedChunksBeyondIdleBytesAreReleased() {
        RdmaByteBufAllocator none = RdmaByteBufAllocator.builder().maxRegisteredBytes(64 * MIB).chunkBytes(MIB)
                .idleBytes(0).build();
        useAndRelease(none);
        assertThat(none.metric().committedBytes()).isZero();
        RdmaByteBufAllocator some = RdmaByteBufAllocator.builder().maxRegisteredBytes(64 * MIB).chunkBytes(MIB)
                .idleBytes(3 * MIB).build();
        useAndRelease(some);
        assertThat(some.metric().committedBytes()).isEqualTo(3 * MIB);
        assertThat(some.metric().idleBytes()).isEqualTo(3 * MIB);
        some.trim();
        assertThat(some.metric().committedBytes()).isZero();
        assertThat(some.metric().idleBytes()).isZero();
    }

    private void useAndRelease(RdmaByteBufAllocator allocator) {
        List<ByteBuf> buffers = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            buffers.add(allocator.directBuffer(100_000));
        }
        assertThat(allocator.metric().committedBytes()).isGreaterThanOrEqualTo(100 * 100_000);
        assertThat(allocator.metric().inUseBytes()).isGreaterThanOrEqualTo(100 * 100_000);
        buffers.forEach(ByteBuf::release);
        assertThat(allocator.metric().inUseBytes()).isZero();
    }

    /** Without reserved explicit huge pages, other pages are used, and that is counted. */
    @ParameterizedTest
    @EnumSource
    void memoryWorksWithEveryPageSize(HugePages pages) {
        RdmaByteBufAllocator allocator = RdmaByteBufAllocator.builder().maxRegisteredBytes(16 * MIB)
                .chunkBytes(2 * MIB).hugePages(pages).build();
        for (int size : new int[] { 2 * MIB, 3 * MIB, 100 }) {
            byte[] bytes = random.randomBytes(size);
            assertThat(TestBuffers.readable(keep(allocator.directBuffer(size)).writeBytes(bytes))).isEqualTo(bytes);
        }
        assertThat(allocator.metric().hugePageFallbacks()).isBetween(0L, pages == HugePages.EXPLICIT ? 3L : 0L);
    }

    @Test
    void chunkIsAtLeastOneHugePage() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RdmaByteBufAllocator.builder().chunkBytes(MIB).hugePages(HugePages.EXPLICIT))
                .withMessageContaining("chunkBytes");
    }

    @Test
    void heapBuffersAreCountedAndNotRegistered() {
        RdmaByteBufAllocator allocator = RdmaByteBufAllocator.builder().maxRegisteredBytes(4 * MIB).build();
        ByteBuf buffer = allocator.heapBuffer(1000);
        assertThat(allocator.metric().usedHeapMemory()).isEqualTo(1000);
        buffer.capacity(3000);
        assertThat(allocator.metric().usedHeapMemory()).isEqualTo(3000);
        buffer.release();
        assertThat(allocator.metric().usedHeapMemory()).isZero();
        assertThat(allocator.metric().committedBytes()).isZero();
    }

    @Test
    void invalidValuesAreRefusedByName() {
        assertRefused("maxRegisteredBytes", -1L, 0L, 1L, 2L * MIB - 1, Long.MAX_VALUE);
        assertRefused("chunkBytes", -1, 0, 1, MIB - 1, MIB / 2, 3 * MIB, Integer.MAX_VALUE, Integer.MIN_VALUE);
        assertRefused("alignment", -64, 0, 1, 32, 65, 100, 8192, Integer.MAX_VALUE, Integer.MIN_VALUE);
        assertRefused("threadCacheBytes", -1, Integer.MIN_VALUE);
        assertRefused("idleBytes", -1L, Long.MIN_VALUE);
        assertThatNullPointerException().isThrownBy(() -> RdmaByteBufAllocator.builder().hugePages(null))
                .withMessageContaining("hugePages");
    }

    private void assertRefused(String option, Number... values) {
        for (Number value : values) {
            UnaryOperator<RdmaByteBufAllocator.Builder> chosen = builder -> switch (option) {
                case "maxRegisteredBytes" -> builder.maxRegisteredBytes(value.longValue());
                case "chunkBytes" -> builder.chunkBytes(value.intValue());
                case "alignment" -> builder.alignment(value.intValue());
                case "threadCacheBytes" -> builder.threadCacheBytes(value.intValue());
                default -> builder.idleBytes(value.longValue());
            };
            assertThatIllegalArgumentException().as("%s %s", option, value)
                    .isThrownBy(() -> chosen.apply(RdmaByteBufAllocator.builder()).build())
                    .withMessageContaining(option).withMessageContaining(value.toString());
            set(option, value.toString());
            assertThatIllegalArgumentException().as("property %s %s", option, value)
                    .isThrownBy(() -> RdmaByteBufAllocator.builder().build())
                    .withMessageContaining(option).withMessageContaining(value.toString());
            System.clearProperty(PROPERTIES + option);
        }
    }

    @Test
    void valuesAtTheirLimitsAreAccepted() {
        RdmaByteBufAllocator.builder().chunkBytes(MIB).maxRegisteredBytes(MIB).threadCacheBytes(0).idleBytes(0)
                .alignment(64).build();
        RdmaByteBufAllocator.builder().chunkBytes(1 << 30).alignment(4096).build();
    }

    @Test
    void systemPropertiesAreTheDefaultsOfABuilder() {
        set("chunkBytes", Integer.toString(8 * MIB));
        set("maxRegisteredBytes", Integer.toString(16 * MIB));
        set("alignment", "1024");
        set("idleBytes", "0");
        set("hugePages", "none");
        RdmaByteBufAllocator allocator = RdmaByteBufAllocator.builder().build();
        assertThat(allocator.metric().maxRegisteredBytes()).isEqualTo(16 * MIB);
        ByteBuf buffer = allocator.directBuffer(1);
        assertThat(allocator.metric().committedBytes()).isEqualTo(8 * MIB);
        assertAligned(buffer, 1024);
        buffer.release();
        assertThat(allocator.metric().committedBytes()).isZero();
        assertThat(RdmaByteBufAllocator.builder().chunkBytes(MIB).build().toString())
                .contains("chunkBytes=" + MIB, "alignment=1024");
    }
}
