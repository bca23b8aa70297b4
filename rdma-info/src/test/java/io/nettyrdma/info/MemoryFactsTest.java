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
package io.nettyrdma.info;

import io.nettyrdma.info.Facts.HugePages;
import io.nettyrdma.info.Facts.Memory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

class MemoryFactsTest {

    @TempDir
    private Path root;

    @Test
    void hugePagesOfEverySizeSmallestFirst() throws IOException {
        pages("hugepages-1048576kB", "2", "1");
        pages("hugepages-2048kB", "512", "500");
        pages("hugepages-64kB", "0", "0");
        write("proc/meminfo", "HugePages_Total: 9\nHugePages_Free: 9\nHugepagesize: 2048 kB\n");
        assertThat(MemoryFacts.read(root).hugePages()).containsExactly(new HugePages(64 << 10, 0, 0),
                new HugePages(2 << 20, 512, 500), new HugePages(1 << 30, 2, 1));
    }

    @Test
    void defaultHugePageSizeOfProcIsUsedWithoutSys() throws IOException {
        write("proc/meminfo", "MemTotal:       8000000 kB\nAnonHugePages:    6144 kB\nHugePages_Total:      16\n"
                + "HugePages_Free:       15\nHugePages_Rsvd:        1\nHugepagesize:       2048 kB\n");
        assertThat(MemoryFacts.read(root).hugePages()).containsExactly(new HugePages(2 << 20, 16, 15));
    }

    @Test
    void theChosenModeOfTransparentHugePages() throws IOException {
        write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
        assertThat(MemoryFacts.read(root).transparentHugePages()).isEqualTo("madvise");
    }

    @Test
    void systemWithoutInformationHasNoFacts() {
        Memory memory = MemoryFacts.read(root);
        assertThat(memory.hugePages()).isEmpty();
        assertThat(memory.transparentHugePages()).isNull();
    }

    private void pages(String size, String total, String free) throws IOException {
        write("sys/kernel/mm/hugepages/" + size + "/nr_hugepages", total + '\n');
        write("sys/kernel/mm/hugepages/" + size + "/free_hugepages", free + '\n');
    }

    private void write(String path, String content) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
    }
}
