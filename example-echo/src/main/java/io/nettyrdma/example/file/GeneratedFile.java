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
package io.nettyrdma.example.file;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/** A temporary file of random bytes, the same for each size. Closing deletes it. */
final class GeneratedFile implements AutoCloseable {

    private static final int BLOCK = 64 << 10;

    private final Path path;

    GeneratedFile(long size) throws IOException {
        path = Files.createTempFile("file-transfer-", ".random");
        Random random = new Random(size);
        byte[] block = new byte[BLOCK];
        try (OutputStream out = Files.newOutputStream(path)) {
            for (long left = size; left > 0; left -= block.length) {
                random.nextBytes(block);
                out.write(block, 0, (int) Math.min(left, block.length));
            }
        } catch (IOException e) {
            Files.delete(path);
            throw new IOException("cannot generate " + size + " bytes in " + path + ": " + e.getMessage()
                    + "; give --file, or a smaller --size", e);
        }
    }

    Path path() {
        return path;
    }

    @Override
    public void close() throws IOException {
        Files.delete(path);
    }
}
