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
package io.nettyrdma.testsuite.differential;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/**
 * The bytes of all messages. Message {@code id} has those from position {@code id} on. The first 256 bytes equal their
 * positions, so a message's first byte is its id. Messages need not be generated or stored.
 */
final class Content {

    /** The longest message. */
    static final int LONGEST = 4 << 20;
    static final int IDS = 256;

    private static final byte[] BYTES = bytes();
    private static final ByteBuf ALL = Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer(BYTES)).asReadOnly();
    private static final File FILE = writeFile();

    private Content() {
    }

    private static byte[] bytes() {
        byte[] bytes = new byte[IDS + LONGEST];
        new Random(IDS).nextBytes(bytes);
        for (int i = 0; i < IDS; i++) {
            bytes[i] = (byte) i;
        }
        return bytes;
    }

    private static File writeFile() {
        try {
            Path path = Files.createTempFile("differential", ".content");
            path.toFile().deleteOnExit();
            return Files.write(path, BYTES).toFile();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static File file() {
        return FILE;
    }

    /** Shares the memory. */
    static ByteBuf slice(int id, int size) {
        return Unpooled.wrappedBuffer(BYTES).slice(id, size);
    }

    static ByteBuffer part(int id, int from, int to) {
        return ByteBuffer.wrap(BYTES, id + from, to - from).asReadOnlyBuffer();
    }

    static ByteBuf write(ByteBuf to, int id, int from, int count) {
        return to.writeBytes(BYTES, id + from, count);
    }

    /** Whether the next bytes are those of a message from some position on. */
    static boolean isNext(ByteBuf buffer, int id, int from, int count) {
        return ByteBufUtil.equals(buffer, buffer.readerIndex(), ALL, id + from, count);
    }
}
