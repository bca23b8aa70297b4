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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import static org.assertj.core.api.Assertions.assertThat;

class RejectDataTest {

    private static final int MOST = 148;

    @ParameterizedTest
    @EnumSource
    void roundTrip(RejectReason reason) {
        for (int version : new int[] { 0, 1, 99, 255 }) {
            for (String text : new String[] { "", "a", "größer als 5 €", "x".repeat(RejectData.MAX_TEXT) }) {
                RejectData data = new RejectData(version, reason, text);
                assertThat(RejectData.decodeOrNull(data.encode())).isEqualTo(data);
                assertThat(RejectData.decodeOrNull(Arrays.copyOf(data.encode(), MOST))).as("filled up")
                        .isEqualTo(data);
            }
        }
    }

    @Test
    void reasonsHaveTheDocumentedNumbers() {
        assertThat(RejectReason.values()).containsExactly(RejectReason.NOT_OURS, RejectReason.VERSION,
                RejectReason.BAD_DATA, RejectReason.RESOURCES, RejectReason.CLOSING);
        for (int number = 0; number <= 255; number++) {
            RejectReason reason = RejectReason.of(number);
            assertThat(reason != null).isEqualTo(number >= 1 && number <= 5);
            assertThat(reason == null ? number : reason.number()).isEqualTo(number);
        }
    }

    @Test
    void longTextIsTruncatedAtACharacter() {
        for (String character : new String[] { "x", "ö", "€", "😀" }) {
            int bytes = character.getBytes(StandardCharsets.UTF_8).length;
            for (int before = 0; before < bytes; before++) {
                String text = "-".repeat(before) + character.repeat(200);
                byte[] encoded = new RejectData(1, RejectReason.RESOURCES, text).encode();
                assertThat(encoded).hasSizeBetween(MOST - bytes + 1, MOST);
                RejectData decoded = RejectData.decodeOrNull(encoded);
                assertThat(text).startsWith(decoded.text());
                assertThat(decoded.text()).endsWith(character);
            }
        }
    }

    @Test
    void truncatedRejectDataIsIgnored() {
        byte[] encoded = new RejectData(1, RejectReason.CLOSING, "later").encode();
        for (int length = 0; length < encoded.length; length++) {
            assertThat(RejectData.decodeOrNull(Arrays.copyOf(encoded, length))).as("%d bytes", length).isNull();
        }
    }

    @Test
    void foreignRejectDataIsIgnored() {
        assertThat(RejectData.decodeOrNull(new byte[MOST])).isNull();
        byte[] encoded = new RejectData(1, RejectReason.CLOSING, "later").encode();
        for (int bit = 0; bit < 32; bit++) {
            byte[] bytes = encoded.clone();
            bytes[bit / 8] ^= (byte) (1 << bit % 8);
            assertThat(RejectData.decodeOrNull(bytes)).as("bit %d", bit).isNull();
        }
        for (int reason : new int[] { 0, 6, 255 }) {
            byte[] bytes = encoded.clone();
            bytes[5] = (byte) reason;
            assertThat(RejectData.decodeOrNull(bytes)).as("reason %d", reason).isNull();
        }
    }

    @Test
    void textLongerThanTheDataIsIgnored() {
        byte[] bytes = new RejectData(1, RejectReason.CLOSING, "later").encode();
        bytes[7] = 6;
        assertThat(RejectData.decodeOrNull(bytes)).isNull();
        bytes[6] = (byte) 0xff;
        bytes[7] = (byte) 0xff;
        assertThat(RejectData.decodeOrNull(bytes)).isNull();
    }

    /** Some transports carry more private data than others, so such a text could arrive. */
    @Test
    void textBeyondTheMaximumIsIgnored() {
        byte[] bytes = Arrays.copyOf(new RejectData(1, RejectReason.CLOSING, "x".repeat(RejectData.MAX_TEXT)).encode(),
                MOST + 1);
        assertThat(RejectData.decodeOrNull(bytes)).isNotNull();
        bytes[7]++;
        assertThat(RejectData.decodeOrNull(bytes)).isNull();
    }
}
