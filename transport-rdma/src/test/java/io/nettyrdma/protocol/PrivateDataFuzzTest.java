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
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random private data of a connection or a rejection: it is either a record as defined in docs/wire-protocol.md, or
 * refused with the reason, and nothing else happens. A failure reports its seed; {@code -Dio.nettyrdma.test.seed}
 * repeats it.
 */
class PrivateDataFuzzTest {

    /** Where the bytes of the connection data begin that are ignored. */
    private static final int RESERVED = 16;
    private static final int ROUNDS = 500_000;
    private static final int MAGIC = 0x4e52444d;
    private static final byte[] MAGIC_AND_VERSION = { 0x4e, 0x52, 0x44, 0x4d, 1 };

    private static final Field[] OF_CONNECTION = { new Field(0, 4, MAGIC), new Field(4, 1, 1, 2), new Field(5, 1, 31,
            32, 33), new Field(6, 2, 1, 2, 3), new Field(8, 4, 63, 64, 1 << 24, (1 << 24) + 1),
            new Field(12, 4, 4, 5, 1 << 16, (1 << 16) + 1), new Field(16, 8), new Field(24, 4), new Field(28, 4) };
    private static final Field[] OF_REJECTION = { new Field(0, 4, MAGIC), new Field(4, 1, 1, 2), new Field(5, 1, 0, 1,
            5, 6), new Field(6, 2, 139, 140, 141, 247, 248, 249), new Field(8, 4) };
    private static final String[] TEXTS = { "", "oops!", "größer als 5 €", "😀", "x".repeat(140), "é".repeat(70) };

    @RegisterExtension
    final Seed seed = new Seed();
    private final Random random = seed.newRandom();
    private final HostileBytes hostile = new HostileBytes(random);

    @Test
    void connectionData() {
        int decoded = 0;
        for (int i = 0; i < ROUNDS; i++) {
            byte[] bytes = i % 2 == 0 ? hostile.random(MAGIC_AND_VERSION)
                    : hostile.spoilt(connectionRecord(), OF_CONNECTION);
            RejectReason violation = violationOf(bytes);
            try {
                ConnectData data = ConnectData.decode(bytes);
                decoded++;
                check(violation == null, "is taken", bytes);
                byte[] said = Arrays.copyOf(bytes, 32);
                Arrays.fill(said, RESERVED, said.length, (byte) 0);
                check(Arrays.equals(data.encode(), said), "says the same again", bytes);
            } catch (ProtocolException e) {
                check(e.rejectReason() == violation, "is refused: " + e.getMessage(), bytes);
                check(e.getMessage().contains("the connection data"), "says what it is: " + e.getMessage(), bytes);
            } catch (RuntimeException e) {
                throw failure("fails", bytes, e);
            }
        }
        assertThat(decoded).as("%s of %d are good", decoded, ROUNDS).isBetween(ROUNDS / 100, ROUNDS / 2);
    }

    @Test
    void rejectData() {
        int decoded = 0;
        for (int i = 0; i < ROUNDS; i++) {
            byte[] bytes = i % 2 == 0 ? hostile.random(MAGIC_AND_VERSION)
                    : hostile.spoilt(rejectRecord(), OF_REJECTION);
            try {
                RejectData data = RejectData.decodeOrNull(bytes);
                check(data != null == isRejection(bytes), "is one or none: " + data, bytes);
                if (data != null) {
                    decoded++;
                    checkSame(data, bytes);
                }
            } catch (RuntimeException e) {
                throw failure("fails", bytes, e);
            }
        }
        assertThat(decoded).as("%s of %d are good", decoded, ROUNDS).isBetween(ROUNDS / 100, ROUNDS / 2);
    }

    private byte[] connectionRecord() {
        return new ConnectData(1, random.nextInt(1 << 16), random.nextInt(64, (1 << 24) + 1),
                random.nextInt(5, (1 << 16) + 1)).encode();
    }

    private byte[] rejectRecord() {
        RejectReason[] reasons = RejectReason.values();
        return new RejectData(random.nextInt(256), reasons[random.nextInt(reasons.length)],
                TEXTS[random.nextInt(TEXTS.length)]).encode();
    }

    /** The rules of the page; {@code null} for no violation. */
    private static RejectReason violationOf(byte[] data) {
        ByteBuffer bytes = ByteBuffer.wrap(data);
        if (data.length < 6 || bytes.getInt(0) != MAGIC) {
            return RejectReason.NOT_OURS;
        }
        if (data[4] != 1) {
            return RejectReason.VERSION;
        }
        if (data[5] != 32 || data.length < 32) {
            return RejectReason.BAD_DATA;
        }
        long buffer = Integer.toUnsignedLong(bytes.getInt(8));
        long granted = Integer.toUnsignedLong(bytes.getInt(12));
        return buffer >= 64 && buffer <= 16777216 && granted >= 5 && granted <= 65536 ? null : RejectReason.BAD_DATA;
    }

    private static boolean isRejection(byte[] data) {
        if (data.length < 8 || ByteBuffer.wrap(data).getInt(0) != MAGIC) {
            return false;
        }
        int length = Short.toUnsignedInt(ByteBuffer.wrap(data).getShort(6));
        return data[5] >= 1 && data[5] <= 5 && length <= 140 && 8 + length <= data.length;
    }

    /** Bytes that are not UTF-8 may be shown in any way; the rest must be unchanged. */
    private void checkSame(RejectData data, byte[] bytes) {
        byte[] encoded = data.encode();
        check(encoded.length <= 148, "is not longer than it may be", bytes);
        RejectData again = RejectData.decodeOrNull(encoded);
        check(again.version() == data.version() && again.reason() == data.reason()
                && data.text().startsWith(again.text()), "says the same again: " + again, bytes);
        byte[] text = Arrays.copyOfRange(bytes, 8, 8 + Short.toUnsignedInt(ByteBuffer.wrap(bytes).getShort(6)));
        if (Arrays.equals(data.text().getBytes(StandardCharsets.UTF_8), text)) {
            check(Arrays.equals(encoded, Arrays.copyOf(bytes, encoded.length)), "is the same again", bytes);
        }
    }

    private void check(boolean holds, String what, byte[] bytes) {
        if (!holds) {
            throw failure(what, bytes, null);
        }
    }

    private AssertionError failure(String what, byte[] bytes, Throwable cause) {
        return new AssertionError("seed " + seed + ", " + HexFormat.of().formatHex(bytes) + ' ' + what, cause);
    }
}
