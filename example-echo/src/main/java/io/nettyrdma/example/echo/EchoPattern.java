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
package io.nettyrdma.example.echo;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

import java.util.Random;

/**
 * The contents of messages: windows on random bytes, each of which begins one byte after the last. So neither messages
 * nor positions can be mistaken for each other.
 *
 * <pre>
 *   bytes        0 1 2 3 4 5 ...                size + 255
 *   message 0    |--- size ---|
 *   message 1      |--- size ---|                             256 equals 0
 * </pre>
 */
final class EchoPattern {

    private static final int WINDOWS = 256;

    private final int size;
    private final ByteBuf bytes;

    EchoPattern(int size) {
        this.size = size;
        byte[] random = new byte[size + WINDOWS - 1];
        new Random(size).nextBytes(random);
        bytes = Unpooled.wrappedBuffer(random);
    }

    void write(int number, ByteBuf to) {
        to.writeBytes(bytes, number % WINDOWS, size);
    }

    /** Whether the next bytes of a buffer equal those of a message at a position. */
    boolean isNext(int number, int position, ByteBuf in, int count) {
        return ByteBufUtil.equals(bytes, number % WINDOWS + position, in, in.readerIndex(), count);
    }
}
