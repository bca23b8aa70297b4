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

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The kernel's mappings behind addresses of this process. */
final class Mappings {

    private static final Path MAPS = Path.of("/proc/self/smaps");
    private static final String FLAGS = "VmFlags";

    private Mappings() {
    }

    /** The permissions of an address's mapping in the kernel's format: {@code rw-p}, {@code ---p}. */
    static String rights(long address) throws IOException {
        return lines(address).get(0).split(" ")[1];
    }

    /** A size that the kernel reports for the mapping. */
    static long kib(long address, String name) throws IOException {
        return Long.parseLong(value(address, name).replace(" kB", ""));
    }

    /** Two letters each: {@code hg} for advised huge pages, {@code ht} for explicit huge pages. */
    static List<String> flags(long address) throws IOException {
        return List.of(value(address, FLAGS).split(" "));
    }

    private static String value(long address, String name) throws IOException {
        for (String line : lines(address)) {
            if (line.startsWith(name + ':')) {
                return line.substring(name.length() + 1).trim();
            }
        }
        throw new IOException(MAPS + " does not have " + name);
    }

    /** The lines of one mapping, starting with the line of its addresses. */
    private static List<String> lines(long address) throws IOException {
        List<String> found = new ArrayList<>();
        for (String line : Files.readAllLines(MAPS)) {
            if (isHeader(line)) {
                if (!found.isEmpty()) {
                    return found;
                }
                String[] ends = line.split("[- ]", 3);
                if (Long.compareUnsigned(address, Long.parseUnsignedLong(ends[0], 16)) >= 0
                        && Long.compareUnsigned(address, Long.parseUnsignedLong(ends[1], 16)) < 0) {
                    found.add(line);
                }
            } else if (!found.isEmpty()) {
                found.add(line);
            }
        }
        if (found.isEmpty()) {
            throw new IOException("nothing is mapped at 0x" + Long.toHexString(address));
        }
        return found;
    }

    private static boolean isHeader(String line) {
        return line.matches("[0-9a-f]+-[0-9a-f]+ .*");
    }
}
