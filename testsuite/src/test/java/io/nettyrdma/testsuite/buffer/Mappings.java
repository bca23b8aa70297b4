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

/** What the kernel has behind addresses of this process. */
final class Mappings {

    private static final Path MAPS = Path.of("/proc/self/maps");

    private Mappings() {
    }

    /** Rights of the mapping that an address is in, as the kernel writes them: {@code rw-p}, {@code ---p}. */
    static String at(long address) throws IOException {
        for (String line : Files.readAllLines(MAPS)) {
            String[] columns = line.split("[- ]", 4);
            if (Long.compareUnsigned(address, Long.parseUnsignedLong(columns[0], 16)) >= 0
                    && Long.compareUnsigned(address, Long.parseUnsignedLong(columns[1], 16)) < 0) {
                return line.split(" ")[1];
            }
        }
        return "nothing";
    }
}
