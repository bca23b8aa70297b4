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

import io.nettyrdma.support.Seed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A failure reports its seed; {@code -Dio.nettyrdma.test.seed} repeats it. */
class ConnectDataTest {

    private static final ConnectData DATA = new ConnectData(1, 0, 8192, 16);
    private static final int AT_BUFFER = 8;
    private static final int AT_GRANTED = 12;

    @RegisterExtension
    final Seed seed = new Seed();
    private final Random random = seed.newRandom();

    @Test
    void roundTrip() throws ProtocolException {
        for (int i = 0; i < 10_000; i++) {
            ConnectData data = new ConnectData(1, random.nextInt(1 << 16),
                    random.nextInt(ConnectData.MIN_BUFFER, ConnectData.MAX_BUFFER + 1),
                    random.nextInt(ConnectData.MIN_GRANTED, ConnectData.MAX_GRANTED + 1));
            byte[] bytes = data.encode();
            assertThat(bytes).hasSize(32);
            assertThat(ConnectData.decode(bytes)).as("seed %s, round %d", seed, i).isEqualTo(data);
        }
    }

    /** rdma_cm pads with zeros; the padding is ignored, whatever it is. */
    @Test
    void bytesAfterTheRecordAreIgnored() throws ProtocolException {
        byte[] longer = Arrays.copyOf(DATA.encode(), 196);
        assertThat(ConnectData.decode(longer)).isEqualTo(DATA);
        Arrays.fill(longer, 32, longer.length, (byte) -1);
        assertThat(ConnectData.decode(longer)).isEqualTo(DATA);
    }

    @Test
    void unknownFeaturesAreAccepted() throws ProtocolException {
        byte[] bytes = DATA.encode();
        bytes[6] = bytes[7] = (byte) -1;
        assertThat(ConnectData.decode(bytes).features()).isEqualTo(0xffff);
    }

    /** Five bytes are too few to identify the protocol. */
    @Test
    void truncatedDataIsRefused() {
        for (int length = 0; length < ConnectData.SIZE; length++) {
            byte[] cut = Arrays.copyOf(DATA.encode(), length);
            assertRefused(cut, length < 6 ? RejectReason.NOT_OURS : RejectReason.BAD_DATA, length < 6
                    ? "not of this protocol" : "has " + length + " bytes and says 32, version 1 has 32");
        }
    }

    /** As it arrives where rdma_cm pads with zeros. */
    @Test
    void zeroPaddedTruncatedDataIsRefusedUnlessOnlyZerosWereCut() throws ProtocolException {
        for (int length = 0; length < ConnectData.SIZE; length++) {
            byte[] filled = Arrays.copyOf(Arrays.copyOf(DATA.encode(), length), 56);
            if (length >= AT_GRANTED + 4) {
                assertThat(ConnectData.decode(filled)).isEqualTo(DATA);
            } else {
                assertRefused(filled, length < 4 ? RejectReason.NOT_OURS
                        : length < 5 ? RejectReason.VERSION : RejectReason.BAD_DATA, "it begins ");
            }
        }
    }

    @Test
    void everyBitOfTheMagicIsChecked() {
        for (int bit = 0; bit < 32; bit++) {
            byte[] bytes = DATA.encode();
            bytes[bit / 8] ^= (byte) (1 << bit % 8);
            assertRefused(bytes, RejectReason.NOT_OURS, "the connection data is not of this protocol");
        }
    }

    @Test
    void unsupportedVersionIsRefusedAndNamed() {
        for (int version = 0; version <= 255; version++) {
            if (version != 1) {
                byte[] bytes = DATA.encode();
                bytes[4] = (byte) version;
                assertRefused(bytes, RejectReason.VERSION, "of version " + version + ", 1 is spoken here");
            }
        }
    }

    /** Another version may have another length, so the version is the reason then. */
    @Test
    void versionIsCheckedBeforeTheLength() {
        byte[] bytes = Arrays.copyOf(DATA.encode(), 6);
        bytes[4] = 2;
        bytes[5] = 6;
        assertRefused(bytes, RejectReason.VERSION, "of version 2");
    }

    @Test
    void differentLengthIsRefused() {
        for (int length = 0; length <= 255; length++) {
            if (length != ConnectData.SIZE) {
                byte[] bytes = Arrays.copyOf(DATA.encode(), 256);
                bytes[5] = (byte) length;
                assertRefused(bytes, RejectReason.BAD_DATA, "says " + length + ", version 1 has 32");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 1, 63, (1 << 24) + 1, Integer.MAX_VALUE, Integer.MIN_VALUE, -1 })
    void aBufferOutOfRangeIsRefused(int buffer) {
        assertRefused(with(AT_BUFFER, buffer), RejectReason.BAD_DATA, "buffer in the connection data is "
                + Integer.toUnsignedString(buffer) + ", not within 64 to 16777216");
    }

    @ParameterizedTest
    @ValueSource(ints = { 64, 65, 1 << 24 })
    void bufferInRangeIsAccepted(int buffer) throws ProtocolException {
        assertThat(ConnectData.decode(with(AT_BUFFER, buffer)).buffer()).isEqualTo(buffer);
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 4, (1 << 16) + 1, Integer.MAX_VALUE, Integer.MIN_VALUE, -1 })
    void advertisedCreditsOutOfRangeAreRefused(int granted) {
        assertRefused(with(AT_GRANTED, granted), RejectReason.BAD_DATA, "granted in the connection data is "
                + Integer.toUnsignedString(granted) + ", not within 5 to 65536");
    }

    @ParameterizedTest
    @ValueSource(ints = { 5, 6, 1 << 16 })
    void advertisedCreditsInRangeAreAccepted(int granted) throws ProtocolException {
        assertThat(ConnectData.decode(with(AT_GRANTED, granted)).granted()).isEqualTo(granted);
    }

    /** Any bytes are either decoded or refused, and nothing else happens. */
    @Test
    void randomBytesAreDecodedOrRefused() {
        int decoded = 0;
        for (int i = 0; i < 100_000; i++) {
            byte[] bytes = Arrays.copyOf(DATA.encode(), random.nextInt(60));
            for (int spoilt = random.nextInt(3); spoilt > 0 && bytes.length > 0; spoilt--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            try {
                ConnectData.decode(bytes);
                decoded++;
            } catch (ProtocolException e) {
                assertThat(e.rejectReason()).as("seed %s, round %d", seed, i).isNotNull();
            }
        }
        assertThat(decoded).as("seed %s", seed).isBetween(1, 99_999);
    }

    private static byte[] with(int at, int value) {
        byte[] bytes = DATA.encode();
        for (int i = 0; i < 4; i++) {
            bytes[at + i] = (byte) (value >>> 24 - 8 * i);
        }
        return bytes;
    }

    private static void assertRefused(byte[] bytes, RejectReason reason, String words) {
        assertThatExceptionOfType(ProtocolException.class).isThrownBy(() -> ConnectData.decode(bytes))
                .withMessageContaining(words)
                .withMessageContaining("it begins " + (bytes.length == 0 ? "with nothing"
                        : HexFormat.of().formatHex(bytes, 0, Math.min(bytes.length, 32))))
                .satisfies(e -> assertThat(e.rejectReason()).isEqualTo(reason));
    }
}
