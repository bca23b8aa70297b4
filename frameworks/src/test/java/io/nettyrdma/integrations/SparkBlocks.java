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
package io.nettyrdma.integrations;

import org.apache.spark.network.buffer.FileSegmentManagedBuffer;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.network.server.StreamManager;
import org.apache.spark.network.util.TransportConf;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/** The blocks of a server: chunks, alternately in memory and in one file, and a large file as a stream. */
final class SparkBlocks extends StreamManager {

    static final int CHUNKS = 512;
    private static final int CHUNK = 20_000;
    private static final int LARGE = 5 << 20;

    private final byte[][] chunks = new byte[CHUNKS][];
    private final long[] offsets = new long[CHUNKS];
    private final byte[] large;
    private final Path chunksFile;
    private final Path largeFile;
    private final TransportConf settings;

    SparkBlocks(Path directory, TransportConf settings, RandomBytes random) throws IOException {
        this.settings = settings;
        large = random.next(LARGE);
        largeFile = Files.write(directory.resolve("large"), large);
        chunksFile = directory.resolve("chunks");
        ByteBuffer all = ByteBuffer.allocate(CHUNKS * CHUNK);
        for (int i = 0; i < CHUNKS; i++) {
            chunks[i] = random.nextUpTo(CHUNK);
            offsets[i] = all.position();
            all.put(chunks[i]);
        }
        Files.write(chunksFile, SparkAnswer.copy(all.flip()));
    }

    byte[] content(int chunk) {
        return chunks[chunk];
    }

    byte[] large() {
        return large;
    }

    @Override
    public ManagedBuffer getChunk(long stream, int chunk) {
        return chunk % 2 == 0 ? new NioManagedBuffer(ByteBuffer.wrap(chunks[chunk]))
                : new FileSegmentManagedBuffer(settings, chunksFile.toFile(), offsets[chunk], chunks[chunk].length);
    }

    @Override
    public ManagedBuffer openStream(String stream) {
        return new FileSegmentManagedBuffer(settings, largeFile.toFile(), 0, LARGE);
    }
}
