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
package io.nettyrdma.testsuite.support;

import io.netty.buffer.ByteBuf;

import java.util.Arrays;

/** A stream of bytes whose value depends on the position, so that lost, duplicated or reordered bytes are detected. */
public final class Pattern {

    private long position;

    /** The number of bytes so far. */
    public long position() {
        return position;
    }

    public byte next() {
        long mixed = position++ * 0x9E3779B97F4A7C15L;
        return (byte) (mixed >>> 56);
    }

    public byte[] next(int count) {
        byte[] bytes = new byte[count];
        for (int i = 0; i < count; i++) {
            bytes[i] = next();
        }
        return bytes;
    }

    /** Fails if the readable bytes are not the next bytes of the stream. */
    public void expect(ByteBuf bytes) {
        // Copied at once: under the leak detector each access costs a stack trace.
        byte[] actual = new byte[bytes.readableBytes()];
        bytes.getBytes(bytes.readerIndex(), actual);
        long at = position;
        byte[] expected = next(actual.length);
        int differs = Arrays.mismatch(expected, actual);
        if (differs >= 0) {
            throw new AssertionError("byte " + (at + differs) + " of the stream is " + actual[differs] + ", not "
                    + expected[differs]);
        }
    }
}
