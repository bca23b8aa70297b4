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

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;

/**
 * Compares received bytes with their hash, and stores good ones. In a thread of its own: a large file takes seconds, in
 * which an event loop would serve no other connection.
 */
final class FileVerifier implements AutoCloseable {

    /** For files that are being verified. */
    private static final int PATIENCE_SECONDS = 30;

    private final EventExecutor executor = new DefaultEventExecutor();
    private final Path out;

    /** @param out the file to store in, {@code null} to store nothing. */
    FileVerifier(Path out) {
        this.out = out;
    }

    /**
     * @param received the bytes from index 0 on, which no other code may change any more. Takes over the reference.
     * @return whether the bytes are those of the offer. Fails if they are, and cannot be stored.
     */
    Future<Boolean> verify(FileMessage.Offer offer, ByteBuf received) {
        return executor.submit(() -> {
            try {
                ByteBuffer bytes = received.nioBuffer(0, (int) offer.length());
                boolean good = Sha256.of(bytes.duplicate()).equals(offer.sha256());
                if (good && out != null) {
                    store(bytes);
                }
                return good;
            } finally {
                received.release();
            }
        });
    }

    private void store(ByteBuffer bytes) throws IOException {
        try {
            write(bytes);
        } catch (IOException e) {
            // Some of these messages are the name of the file alone, others are the reason alone.
            throw new IOException("cannot write " + out + ": " + e, e);
        }
    }

    private void write(ByteBuffer bytes) throws IOException {
        try (FileChannel file = FileChannel.open(out, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE)) {
            while (bytes.hasRemaining()) {
                file.write(bytes);
            }
        }
    }

    @Override
    public void close() {
        executor.shutdownGracefully(0, PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
}
