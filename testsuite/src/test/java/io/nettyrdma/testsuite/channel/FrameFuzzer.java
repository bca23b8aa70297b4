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
package io.nettyrdma.testsuite.channel;

import io.nettyrdma.protocol.FrameHeader;
import io.nettyrdma.protocol.FrameType;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;

/** Creates frames, most of them valid, and occasionally corrupts one. The oracle predicts the consequences. */
final class FrameFuzzer {

    private static final int SELDOM = 500;
    private static final int VERY_SELDOM = 1000;
    private static final int SHORT = 64;
    /** Where the header has the size of the granted receives. */
    private static final int RECEIVE = 12;

    private final Random random;
    private final FrameOracle oracle;
    private final int longest;

    /** @param longest the longest frame that the other end accepts. */
    FrameFuzzer(Random random, FrameOracle oracle, int longest) {
        this.random = random;
        this.oracle = oracle;
        this.longest = longest;
    }

    /** @param granted receives posted for the other end. A frame may advertise more. */
    byte[] next(int granted) {
        byte[] frame = right(type(), granted);
        return random.nextInt(SELDOM) == 0 ? spoilt(frame) : frame;
    }

    /** A valid frame that the other end does not answer. */
    byte[] withoutAnswer(int granted) {
        return right(random.nextBoolean() ? FrameType.CREDIT : FrameType.PONG, granted);
    }

    byte[] right(FrameType type, int granted) {
        int length = switch (type) {
        case DATA -> 1 + random.nextInt(random.nextInt(8) == 0 ? longest - FrameHeader.SIZE : SHORT);
        case ABORT -> FrameType.REASON_BYTES + random.nextInt(SHORT);
        case PING, PONG -> FrameType.PING_BYTES;
        case CREDIT, FIN -> 0;
        };
        byte[] payload = new byte[length];
        random.nextBytes(payload);
        return ByteBuffer.wrap(RawPeer.frame(type.number(), 0, length, grant(granted), payload))
                .putInt(RECEIVE, random.nextBoolean() ? 0 : receive()).array();
    }

    /** A size of receives that is true, and enough for the reason of an abort. */
    private int receive() {
        return RawPeer.BUFFER - random.nextInt(RawPeer.BUFFER / 2);
    }

    private FrameType type() {
        if (random.nextInt(VERY_SELDOM) == 0) {
            return random.nextInt(4) == 0 ? FrameType.ABORT : oracle.isFinished() ? FrameType.CREDIT : FrameType.FIN;
        }
        return switch (random.nextInt(8)) {
        case 0 -> FrameType.PING;
        case 1 -> FrameType.PONG;
        case 2, 3 -> FrameType.CREDIT;
        default -> oracle.isFinished() ? FrameType.CREDIT : FrameType.DATA;
        };
    }

    /** A valid grant, sometimes the largest that is allowed. Never less than before. */
    private int grant(int granted) {
        int most = oracle.came() + FrameOracle.MOST_AHEAD;
        int wanted = random.nextInt(VERY_SELDOM) == 0 ? most - random.nextInt(3) : granted;
        return wanted - oracle.advertised() < 0 ? oracle.advertised() : wanted;
    }

    private byte[] spoilt(byte[] frame) {
        ByteBuffer header = ByteBuffer.wrap(frame);
        switch (random.nextInt(11)) {
        case 0 -> header.put(0, (byte) (random.nextBoolean() ? random.nextInt(8) : random.nextInt()));
        case 1 -> header.put(1 + random.nextInt(3), (byte) (1 << random.nextInt(Byte.SIZE)));
        case 2 -> header.putInt(4, random.nextBoolean() ? random.nextInt()
                : header.getInt(4) + random.nextInt(-FrameHeader.SIZE, FrameHeader.SIZE));
        case 3, 4 -> header.putInt(8, wrongGrant());
        case 9 -> header.putInt(RECEIVE, random.nextBoolean() ? 1 << random.nextInt(Integer.SIZE) : random.nextInt());
        case 5 -> frame[random.nextInt(frame.length)] ^= (byte) (1 << random.nextInt(Byte.SIZE));
        case 6 -> {
            return Arrays.copyOf(frame, random.nextInt(frame.length));
        }
        case 7 -> {
            int from = random.nextBoolean() ? frame.length : longest;
            return Arrays.copyOf(frame, from + 1 + random.nextInt(SHORT));
        }
        case 8 -> {
            byte[] anything = new byte[random.nextInt(longest + 1)];
            random.nextBytes(anything);
            return anything;
        }
        default -> {
            return right(oracle.isFinished() && random.nextBoolean() ? FrameType.DATA : FrameType.FIN,
                    oracle.advertised());
        }
        }
        return frame;
    }

    /** Often just inside or outside of the limits. */
    private int wrongGrant() {
        int near = random.nextInt(-2, 3);
        return switch (random.nextInt(5)) {
        case 0 -> oracle.advertised() + near;
        case 1 -> oracle.came() + FrameOracle.MOST_AHEAD + near;
        case 2 -> oracle.advertised() + Integer.MAX_VALUE + near;
        case 3 -> oracle.came() + Integer.MAX_VALUE + near;
        default -> random.nextInt();
        };
    }
}
