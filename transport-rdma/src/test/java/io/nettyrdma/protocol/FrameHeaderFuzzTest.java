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

import io.nettyrdma.protocol.HostileBytes.Field;
import io.nettyrdma.support.Seed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random bytes as a frame: accepted exactly if docs/wire-protocol.md allows them, and otherwise refused without looking
 * beyond their end. A failure reports its seed; {@code -Dio.nettyrdma.test.seed} repeats it.
 */
class FrameHeaderFuzzTest {

    private static final int ROUNDS = 500_000;

    private static final Field[] FIELDS = { new Field(0, 1, 0, 1, 2, 3, 4, 5, 6, 7), new Field(1, 1), new Field(2, 2),
            new Field(4, 4, 3, 4, 5, 7, 8, 9, 243, 244, 245, -16), new Field(8, 4), new Field(12, 4) };

    @RegisterExtension
    final Seed seed = new Seed();
    private final Random random = seed.newRandom();
    private final HostileBytes hostile = new HostileBytes(random);

    @Test
    void frameIsAcceptedIfTheProtocolAllowsIt() {
        int taken = 0;
        for (int i = 0; i < ROUNDS; i++) {
            byte[] frame = i % 4 == 0 ? hostile.random((byte) 1, (byte) 0, (byte) 0, (byte) 0)
                    : hostile.spoilt(rightFrame(), FIELDS);
            boolean allowed = isAllowed(frame);
            int at = random.nextInt(4);
            // Nothing follows the frame.
            ByteBuffer memory = ByteBuffer.allocate(at + frame.length).put(at, frame);
            try {
                FrameHeader.check(memory, at, frame.length);
                taken++;
                check(allowed, "was taken", frame, null);
                check(FrameType.of(FrameHeader.type(memory, at)) != null
                        && FrameHeader.length(memory, at) == frame.length - 16, "is not what it is", frame, null);
            } catch (ProtocolException e) {
                check(!allowed && e.getMessage().contains("; it begins "), "was refused", frame, e);
            } catch (RuntimeException e) {
                check(false, "made it fail", frame, e);
            }
        }
        assertThat(taken).as("%s of %d are good", taken, ROUNDS).isBetween(ROUNDS / 10, ROUNDS - ROUNDS / 10);
    }

    private byte[] rightFrame() {
        FrameType type = FrameType.values()[random.nextInt(6)];
        int length = switch (type) {
        case DATA -> 1 + random.nextInt(HostileBytes.LONGEST - 16);
        case ABORT -> 4 + random.nextInt(30);
        case PING, PONG -> 8;
        case CREDIT, FIN -> 0;
        };
        ByteBuffer frame = ByteBuffer.allocate(16 + length);
        random.nextBytes(frame.array());
        FrameHeader.write(frame, 0, type, length, random.nextInt(),
                random.nextBoolean() ? 0 : 64 << random.nextInt(19));
        return frame.array();
    }

    /** The rules of the page, field by field. */
    private static boolean isAllowed(byte[] frame) {
        if (frame.length < 16 || frame[1] != 0 || frame[2] != 0 || frame[3] != 0) {
            return false;
        }
        int payload = frame.length - 16;
        if (ByteBuffer.wrap(frame).getInt(4) != payload) {
            return false;
        }
        int receive = ByteBuffer.wrap(frame).getInt(12);
        if (receive != 0 && (receive < 64 || receive > 1 << 24)) {
            return false;
        }
        return switch (frame[0]) {
        case 1 -> payload >= 1;
        case 2, 3 -> payload == 0;
        case 4 -> payload >= 4;
        case 5, 6 -> payload == 8;
        default -> false;
        };
    }

    private void check(boolean holds, String what, byte[] frame, Throwable cause) {
        if (!holds) {
            throw new AssertionError("seed " + seed + ": " + HexFormat.of().formatHex(frame) + ' ' + what, cause);
        }
    }
}
