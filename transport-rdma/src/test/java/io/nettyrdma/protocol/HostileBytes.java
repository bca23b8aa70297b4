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
package io.nettyrdma.protocol;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;

/** Bytes that a malicious or broken peer may send: random ones, and valid ones that are corrupted somewhere. */
final class HostileBytes {

    static final int LONGEST = 256;

    private static final int MOST_CHANGES = 3;
    /** In addition to the field's own limits. */
    private static final long[] BOUNDARIES = { 0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff,
        0x80000000L, 0xffffffffL, Long.MAX_VALUE, Long.MIN_VALUE, -1 };

    private final Random random;
    private int rounds;

    HostileBytes(Random random) {
        this.random = random;
    }

    /** A field of the record: its offset, its size, and values just inside or outside of its range. */
    record Field(int at, int size, long... boundaries) {
    }

    /** Lengths increase from 0 to {@link #LONGEST}; half of the results begin correctly. */
    byte[] random(byte... beginning) {
        byte[] bytes = new byte[rounds++ % (LONGEST + 1)];
        random.nextBytes(bytes);
        if (random.nextBoolean()) {
            System.arraycopy(beginning, 0, bytes, 0, Math.min(beginning.length, bytes.length));
        }
        return bytes;
    }

    /** Makes up to {@value #MOST_CHANGES} changes, sometimes none. */
    byte[] spoilt(byte[] right, Field... fields) {
        byte[] bytes = right.clone();
        for (int left = random.nextInt(MOST_CHANGES + 1); left > 0; left--) {
            bytes = changed(bytes, fields[random.nextInt(fields.length)]);
        }
        return bytes;
    }

    private byte[] changed(byte[] bytes, Field field) {
        switch (random.nextInt(5)) {
        case 0:
            return Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
        case 1:
            byte[] longer = new byte[bytes.length + random.nextInt(LONGEST - Math.min(bytes.length, LONGEST) + 1)];
            random.nextBytes(longer);
            System.arraycopy(bytes, 0, longer, 0, bytes.length);
            return longer;
        case 2:
            if (bytes.length > 0) {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(Byte.SIZE));
            }
            return bytes;
        case 3:
            put(bytes, field, BOUNDARIES[random.nextInt(BOUNDARIES.length)]);
            return bytes;
        default:
            if (field.boundaries.length > 0) {
                put(bytes, field, field.boundaries[random.nextInt(field.boundaries.length)]);
            }
            return bytes;
        }
    }

    private static void put(byte[] bytes, Field field, long value) {
        if (field.at + field.size <= bytes.length) {
            byte[] digits = ByteBuffer.allocate(Long.BYTES).putLong(value).array();
            System.arraycopy(digits, Long.BYTES - field.size, bytes, field.at, field.size);
        }
    }
}
