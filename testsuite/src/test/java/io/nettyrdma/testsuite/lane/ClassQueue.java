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
package io.nettyrdma.testsuite.lane;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

/**
 * Names of classes that several processes take from one list, each name once: so no process is idle while another has
 * classes left. The kernel releases the lock of a process that dies.
 *
 * <pre>
 *   FILE        the names, one a line
 *   FILE.next   four bytes: the number of names that were taken
 * </pre>
 */
final class ClassQueue {

    private final List<String> names;
    private final Path next;

    ClassQueue(Path file) throws IOException {
        names = Files.readAllLines(file);
        next = file.resolveSibling(file.getFileName() + ".next");
    }

    /** The next name, or empty at the end of the list. */
    @SuppressWarnings("try")
    Optional<String> take() throws IOException {
        try (FileChannel channel = FileChannel.open(next, CREATE, READ, WRITE); FileLock lock = channel.lock()) {
            ByteBuffer number = ByteBuffer.allocate(Integer.BYTES);
            int taken = channel.read(number, 0) == Integer.BYTES ? number.getInt(0) : 0;
            if (taken >= names.size()) {
                return Optional.empty();
            }
            channel.write(number.clear().putInt(0, taken + 1), 0);
            return Optional.of(names.get(taken));
        }
    }
}
