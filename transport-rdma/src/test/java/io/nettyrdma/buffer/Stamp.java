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
package io.nettyrdma.buffer;

import io.netty.buffer.ByteBuf;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Content that identifies its buffer: every word depends on the stamp and its position. Bypasses the buffer's
 * accessors, so that a paranoid leak detector does not record each word.
 */
final class Stamp {

    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    private Stamp() {
    }

    /** Fills the whole capacity. */
    static void write(ByteBuf buffer, long stamp) {
        int length = buffer.capacity();
        ByteBuffer bytes = bytes(buffer, length);
        int at = 0;
        for (; at <= length - Long.BYTES; at += Long.BYTES) {
            bytes.putLong(at, word(stamp, at));
        }
        for (; at < length; at++) {
            bytes.put(at, (byte) word(stamp, at));
        }
    }

    /** Checks the first {@code length} bytes. */
    static void check(ByteBuf buffer, int length, long stamp) {
        ByteBuffer bytes = bytes(buffer, length);
        int at = 0;
        for (; at <= length - Long.BYTES; at += Long.BYTES) {
            check(buffer, at, stamp, bytes.getLong(at), word(stamp, at));
        }
        for (; at < length; at++) {
            check(buffer, at, stamp, bytes.get(at), (byte) word(stamp, at));
        }
    }

    private static void check(ByteBuf buffer, int at, long stamp, long actual, long expected) {
        if (actual != expected) {
            throw new AssertionError(String.format("byte %d of %s at 0x%x with stamp 0x%x: %016x, expected %016x",
                    at, buffer, buffer.memoryAddress(), stamp, actual, expected));
        }
    }

    private static ByteBuffer bytes(ByteBuf buffer, int length) {
        return buffer.nioBuffer(0, length).order(ByteOrder.nativeOrder());
    }

    private static long word(long stamp, int at) {
        return (stamp + at) * SPREAD;
    }
}
