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
import io.nettyrdma.verbs.LockedMemory;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The limit of registered memory, and the huge pages that can make it cheaper for the device. */
final class MemoryFacts {

    private static final Path HUGE_PAGES = Path.of("sys/kernel/mm/hugepages");
    private static final Path TRANSPARENT = Path.of("sys/kernel/mm/transparent_hugepage/enabled");
    private static final Path MEMORY = Path.of("proc/meminfo");
    private static final Pattern DIRECTORY = Pattern.compile("hugepages-(\\d+)kB");
    private static final Pattern CHOSEN = Pattern.compile("\\[(\\w+)]");
    private static final Pattern ROW = Pattern.compile("(?m)^(HugePages_Total|HugePages_Free|Hugepagesize): *(\\d+)");

    private MemoryFacts() {
    }

    /** @param root root of the file system; tests use another than {@code /}. */
    static Memory read(Path root) {
        long limit = LockedMemory.limitBytes();
        Object locked = limit == LockedMemory.UNLIMITED ? "unlimited"
                : limit == LockedMemory.UNKNOWN ? "unknown" : (Object) limit;
        return new Memory(locked, transparent(root), hugePages(root));
    }

    /** Parses {@code always [madvise] never}, where the brackets mark the current setting. */
    private static String transparent(Path root) {
        Matcher chosen = CHOSEN.matcher(content(root.resolve(TRANSPARENT)));
        return chosen.find() ? chosen.group(1) : null;
    }

    /** All huge page sizes of the kernel, in ascending order. */
    private static List<HugePages> hugePages(Path root) {
        List<HugePages> found = new ArrayList<>();
        try (DirectoryStream<Path> sizes = Files.newDirectoryStream(root.resolve(HUGE_PAGES))) {
            for (Path size : sizes) {
                Matcher name = DIRECTORY.matcher(size.getFileName().toString());
                if (name.matches()) {
                    found.add(new HugePages(number(name.group(1)) << 10, number(content(size.resolve("nr_hugepages"))),
                            number(content(size.resolve("free_hugepages")))));
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            return ofDefaultSize(root);
        }
        found.sort(Comparator.comparingLong(HugePages::pageBytes));
        return found;
    }

    /** The default huge page size from {@code /proc}, for systems where {@code /sys} is not mounted. */
    private static List<HugePages> ofDefaultSize(Path root) {
        long total = 0;
        long free = 0;
        long size = 0;
        Matcher rows = ROW.matcher(content(root.resolve(MEMORY)));
        while (rows.find()) {
            switch (rows.group(1)) {
            case "HugePages_Total":
                total = number(rows.group(2));
                break;
            case "HugePages_Free":
                free = number(rows.group(2));
                break;
            default:
                size = number(rows.group(2)) << 10;
                break;
            }
        }
        return size == 0 ? List.of() : List.of(new HugePages(size, total, free));
    }

    private static long number(String text) {
        return text.isBlank() ? 0 : Long.parseLong(text.trim());
    }

    private static String content(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "";
        }
    }
}
