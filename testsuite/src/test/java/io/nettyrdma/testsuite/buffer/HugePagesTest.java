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
package io.nettyrdma.testsuite.buffer;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.buffer.HugePages;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.buffer.RegistrationIndex;
import io.nettyrdma.testsuite.support.OneProcess;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.ProtectionDomain;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static io.nettyrdma.buffer.RegisteredMemory.NOT_REGISTERED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The page size of chunks, as the kernel reports it, and that the device accepts them. */
@Tag("device")
@OneProcess("it has no peer")
class HugePagesTest {

    private static final int CHUNK = 4 << 20;
    private static final int HUGE_PAGE_KIB = 2 << 10;
    private static final int ROUNDS = 3;
    private static final Path TRANSPARENT = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");
    private static final Path FREE_PAGES =
            Path.of("/sys/kernel/mm/hugepages/hugepages-" + HUGE_PAGE_KIB + "kB/free_hugepages");

    /** On any machine, chunks are allocated, registered, hold what is written, and are released. */
    @ParameterizedTest
    @EnumSource
    void chunksWorkWithEveryKindOfPages(HugePages pages) throws Exception {
        RdmaByteBufAllocator allocator = allocator(pages);
        try (ProtectionDomain domain = TestDevice.get().device().createProtectionDomain();
             RegistrationIndex index = RegistrationIndex.of(allocator, domain)) {
            for (int round = 0; round < ROUNDS; round++) {
                ByteBuf chunk = allocator.directBuffer(CHUNK, CHUNK);
                // Not a multiple of huge pages.
                ByteBuf large = allocator.directBuffer(CHUNK + 5000, CHUNK + 5000);
                for (ByteBuf buffer : new ByteBuf[] { chunk, large }) {
                    assertThat(index.localKey(buffer.memoryAddress(), buffer.capacity()))
                            .isNotEqualTo(NOT_REGISTERED);
                    for (int at = 0; at < buffer.capacity() - Integer.BYTES; at += 1000) {
                        assertThat(buffer.getInt(at)).as("what comes from the system is empty").isZero();
                        buffer.setInt(at, at + round);
                    }
                    for (int at = 0; at < buffer.capacity() - Integer.BYTES; at += 1000) {
                        assertThat(buffer.getInt(at)).isEqualTo(at + round);
                    }
                    assertThat(buffer.release()).isTrue();
                }
                assertThat(allocator.metric().committedBytes()).isZero();
            }
        }
    }

    @Test
    void ordinaryPagesAreNeverHuge() throws Exception {
        ByteBuf buffer = touched(allocator(HugePages.NONE));
        assertThat(Mappings.kib(buffer.memoryAddress(), "KernelPageSize")).isEqualTo(4);
        assertThat(Mappings.flags(buffer.memoryAddress())).doesNotContain("hg", "ht");
        buffer.release();
    }

    @Test
    void transparentHugePagesAreRequested() throws Exception {
        assumeTrue(Files.exists(TRANSPARENT), "the kernel has no transparent huge pages");
        RdmaByteBufAllocator allocator = allocator(HugePages.TRANSPARENT);
        ByteBuf buffer = touched(allocator);
        assertThat(Mappings.flags(buffer.memoryAddress())).contains("hg").doesNotContain("ht");
        assertThat(allocator.metric().hugePageFallbacks()).isZero();
        buffer.release();
    }

    @Test
    void explicitHugePagesAreUsedIfAvailable() throws Exception {
        assumeTrue(freePages() >= CHUNK / (HUGE_PAGE_KIB << 10), "no huge pages are set aside");
        RdmaByteBufAllocator allocator = allocator(HugePages.EXPLICIT);
        ByteBuf buffer = touched(allocator);
        assertThat(Mappings.kib(buffer.memoryAddress(), "KernelPageSize")).isEqualTo(HUGE_PAGE_KIB);
        assertThat(Mappings.flags(buffer.memoryAddress())).contains("ht");
        assertThat(allocator.metric().hugePageFallbacks()).isZero();
        buffer.release();
        assertThat(allocator.metric().committedBytes()).isZero();
    }

    /** Each chunk that does not have the requested pages is counted. */
    @Test
    void transparentHugePagesReplaceMissingExplicitOnes() throws Exception {
        assumeTrue(freePages() == 0, "huge pages are set aside");
        RdmaByteBufAllocator allocator = allocator(HugePages.EXPLICIT);
        for (int round = 1; round <= ROUNDS; round++) {
            ByteBuf buffer = touched(allocator);
            assertThat(allocator.metric().hugePageFallbacks()).isEqualTo(round);
            assertThat(Mappings.flags(buffer.memoryAddress())).doesNotContain("ht");
            if (Files.exists(TRANSPARENT)) {
                assertThat(Mappings.flags(buffer.memoryAddress())).contains("hg");
            }
            buffer.release();
            assertThat(allocator.metric().committedBytes()).isZero();
        }
    }

    private static RdmaByteBufAllocator allocator(HugePages pages) {
        return RdmaByteBufAllocator.builder().hugePages(pages).chunkBytes(CHUNK).idleBytes(0).build();
    }

    /** A whole chunk whose pages are all resident. */
    private static ByteBuf touched(RdmaByteBufAllocator allocator) {
        return allocator.directBuffer(CHUNK, CHUNK).setZero(0, CHUNK);
    }

    private static long freePages() throws IOException {
        return Files.exists(FREE_PAGES) ? Long.parseLong(Files.readString(FREE_PAGES).trim()) : 0;
    }
}
