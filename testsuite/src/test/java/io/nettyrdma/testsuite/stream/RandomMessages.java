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
package io.nettyrdma.testsuite.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultFileRegion;
import io.nettyrdma.testsuite.support.Pattern;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/** Messages of every kind and length that an application may write. Their bytes follow a {@link Pattern}. */
final class RandomMessages {

    private static final int KINDS = 10;

    private final Random random;
    private final Pattern pattern = new Pattern();
    private final StreamEnd end;
    private final Path files;
    private final int longest;

    /**
     * @param end the end whose registered memory is used.
     * @param longest the size of the longest message in bytes.
     */
    RandomMessages(Random random, StreamEnd end, Path files, int longest) {
        this.random = random;
        this.end = end;
        this.files = files;
        this.longest = longest;
    }

    /** The total size of all messages so far. */
    long bytes() {
        return pattern.position();
    }

    Object next() throws IOException {
        int length = length();
        return random.nextInt(KINDS) == 0 ? file(length) : buffer(length);
    }

    /** Mostly short, sometimes 0, sometimes the maximum. */
    private int length() {
        switch (random.nextInt(8)) {
        case 0:
            return 0;
        case 1:
            return longest;
        case 2:
        case 3:
            return random.nextInt(longest + 1);
        default:
            return random.nextInt(Math.min(longest, 200) + 1);
        }
    }

    private ByteBuf buffer(int length) throws IOException {
        switch (random.nextInt(KINDS)) {
        case 0:
            return Unpooled.wrappedBuffer(pattern.next(length));
        case 1:
            return Unpooled.directBuffer(length + 1).writeBytes(pattern.next(length));
        case 2:
            return PooledByteBufAllocator.DEFAULT.directBuffer(length + 1).writeBytes(pattern.next(length));
        case 3:
            return composite(length);
        case 4:
            return sliced(length);
        case 5:
            return filled(end.registered(length)).asReadOnly();
        case 6:
            return Unpooled.wrappedBuffer(pattern.next(length)).asReadOnly();
        case 7:
            return begun(length);
        default:
            return filled(end.registered(length));
        }
    }

    private ByteBuf filled(ByteBuf buffer) {
        int length = buffer.readableBytes();
        return buffer.setBytes(0, pattern.next(length));
    }

    private ByteBuf composite(int length) throws IOException {
        CompositeByteBuf composite = Unpooled.compositeBuffer();
        int left = length;
        while (left > 0) {
            int part = random.nextInt(left) + 1;
            ByteBuf component = random.nextBoolean() ? filled(end.registered(part))
                    : Unpooled.wrappedBuffer(pattern.next(part));
            composite.addComponent(true, component);
            if (random.nextInt(4) == 0) {
                composite.addComponent(true, Unpooled.buffer(0));
            }
            left -= part;
        }
        return composite;
    }

    /** A slice that holds the only reference to a larger buffer. */
    private ByteBuf sliced(int length) throws IOException {
        int before = random.nextInt(100);
        ByteBuf whole = end.registered(before + length + random.nextInt(100));
        ByteBuf slice = whole.slice(before, length);
        return slice.setBytes(0, pattern.next(length));
    }

    /** A buffer that has been read from already. */
    private ByteBuf begun(int length) throws IOException {
        int read = random.nextInt(100);
        ByteBuf buffer = random.nextBoolean() ? end.registered(read + length)
                : Unpooled.buffer(read + length + 1).writerIndex(read + length);
        return buffer.setBytes(read, pattern.next(length)).readerIndex(read);
    }

    private DefaultFileRegion file(int length) throws IOException {
        int before = random.nextInt(100);
        byte[] content = new byte[before + length + random.nextInt(100)];
        System.arraycopy(pattern.next(length), 0, content, before, length);
        Path file = Files.createTempFile(files, "region", null);
        Files.write(file, content);
        return new DefaultFileRegion(file.toFile(), before, length);
    }
}
