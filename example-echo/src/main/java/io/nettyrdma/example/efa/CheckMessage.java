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
package io.nettyrdma.example.efa;

import io.netty.buffer.ByteBuf;

import java.util.Random;

/**
 * What the ends of a self-check say to each other by datagrams, big endian. An answer has the number of its question.
 *
 * <pre>
 *   0 number 4 | 4 what it is 1, in the order below | 5 the body
 * </pre>
 */
enum CheckMessage {
    /** The answer has the same body. */
    ECHO,
    /** The same, {@value #PAUSE_MILLIS} ms later. */
    ECHO_LATER,
    /** Body: a seed of 8 bytes. The other end fills its memory with the bytes of this seed, then answers. */
    FILL,
    /** The same body. The answer has one byte: 1 if all of the memory has the bytes of this seed. */
    COMPARE,
    /**
     * Body: an address that asks, with its key, 24 bytes. The other end opens a channel with the same key that does not
     * read. The answer has its address, as that of the next two.
     */
    OPEN_SILENT,
    /** The same, of unreliable datagrams, that reads, answers, and has an address handle for who asks. */
    OPEN_UNRELIABLE,
    /** The same, of reliable datagrams, without the handle. Then 1 byte: 1 if its device says who strangers are. */
    OPEN_UNPREPARED,
    /** Only an answer: its number came as an immediate. Body: length of the write, 4 bytes. */
    IMMEDIATE;

    /** Bytes of the memory that the other end lends. */
    static final int MEMORY = 1 << 20;
    static final int HEADER = Integer.BYTES + 1;
    static final int PAUSE_MILLIS = 500;
    /** Datagrams that a channel that does not read has room for. */
    static final int SILENT_DEPTH = 8;

    private static final CheckMessage[] ALL = values();

    /** Begins a message; the body is to be appended. */
    ByteBuf begin(ByteBuf message, int number) {
        return message.writeInt(number).writeByte(ordinal());
    }

    /** {@code null} if it is none. The body is left. */
    static CheckMessage read(ByteBuf message) {
        int what = message.readableBytes() < 1 ? -1 : message.readUnsignedByte();
        return what >= 0 && what < ALL.length ? ALL[what] : null;
    }

    /** Appends bytes that the seed says, a multiple of 8. */
    static ByteBuf fill(ByteBuf to, int length, long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < length; i += Long.BYTES) {
            to.writeLong(random.nextLong());
        }
        return to;
    }

    /** Whether the bytes from the first on are those of the seed. */
    static boolean isFilled(ByteBuf bytes, int length, long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < length; i += Long.BYTES) {
            if (bytes.getLong(i) != random.nextLong()) {
                return false;
            }
        }
        return true;
    }
}
