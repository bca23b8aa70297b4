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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.ByteBuffer;
import java.util.HexFormat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class FrameHeaderTest {

    private static final byte FILL = 0x55;

    @ParameterizedTest
    @EnumSource
    void roundTripAtAnyOffset(FrameType type) {
        for (int at = 0; at <= 16; at++) {
            ByteBuffer memory = ByteBuffer.allocateDirect(at + FrameHeader.SIZE + 1);
            for (int i = 0; i < memory.capacity(); i++) {
                memory.put(i, FILL);
            }
            memory.position(1).limit(memory.capacity());
            FrameHeader.write(memory, at, type, 0x01020304, 0xfffefdfc, 0xfbfaf9f8);
            assertThat(FrameHeader.type(memory, at)).isEqualTo(type.number());
            assertThat(FrameHeader.length(memory, at)).isEqualTo(0x01020304);
            assertThat(FrameHeader.granted(memory, at)).isEqualTo(0xfffefdfc);
            assertThat(FrameHeader.receive(memory, at)).isEqualTo(0xfbfaf9f8);
            assertThat(memory.position()).as("positions are the caller's").isEqualTo(1);
            for (int i = 0; i < at; i++) {
                assertThat(memory.get(i)).as("byte %d before %d", i, at).isEqualTo(FILL);
            }
            assertThat(memory.get(at + FrameHeader.SIZE)).as("byte behind").isEqualTo(FILL);
        }
    }

    @Test
    void everyTypeHasAUniqueNumber() {
        assertThat(FrameType.values()).extracting(FrameType::number).containsExactly(1, 2, 3, 4, 5, 6);
        for (int number = -1; number <= 256; number++) {
            FrameType type = FrameType.of(number);
            assertThat(type == null ? number : type.number()).isEqualTo(number);
            assertThat(type != null).isEqualTo(number >= 1 && number <= 6);
        }
    }

    /** Whether payloads of 0 to 9 bytes are allowed. */
    @ParameterizedTest
    @CsvSource({ "DATA, .*********", "CREDIT, *.........", "FIN, *.........", "ABORT, ....******",
            "PING, ........*.", "PONG, ........*." })
    void payloadLengthIsCheckedByType(FrameType type, String allowed) {
        for (int length = 0; length < allowed.length(); length++) {
            String bytes = hex(type.number(), 0, length) + "77".repeat(length);
            if (allowed.charAt(length) == '*') {
                assertFine(bytes);
            } else {
                assertViolation(bytes, "payload: " + type + " cannot have " + length + " bytes");
            }
        }
    }

    @Test
    void frameShorterThanItsHeaderIsAViolation() {
        assertViolation("", "short frame: 0 bytes, the header has 16; it begins with nothing");
        String fin = hex(FrameType.FIN.number(), 0, 0);
        for (int length = 1; length < FrameHeader.SIZE; length++) {
            assertViolation(fin.substring(0, 2 * length), "short frame: " + length + " bytes");
        }
        assertFine(fin);
    }

    @ParameterizedTest
    @CsvSource({ "2, 3", "4, 3", "0, 3", "-1, 3", "-16, 3", "2147483647, 3", "1, 0", "-2147483648, 0" })
    void lengthOtherThanThatOfTheMessageIsAViolation(int said, int came) {
        assertViolation(hex(FrameType.DATA.number(), 0, said) + "616263".substring(0, 2 * came), "wrong length: the "
                + "header says " + Integer.toUnsignedString(said) + " bytes of payload, " + came + " came");
    }

    @Test
    void unknownTypeIsAViolation() {
        for (int type = 0; type <= 255; type++) {
            if (FrameType.of(type) == null) {
                assertViolation(hex(type, 0, 1) + "61", "unknown type " + type + "; it begins ");
            }
        }
    }

    @Test
    void nonZeroReservedBitIsAViolation() {
        for (int bit = 0; bit < 24; bit++) {
            assertViolation(hex(FrameType.DATA.number(), 1 << bit, 1) + "61", "flags or reserved bytes");
        }
    }

    @Test
    void receivesOfNoPossibleSizeAreAViolation() {
        for (int receive : new int[] { 1, 63, (1 << 24) + 1, Integer.MAX_VALUE, Integer.MIN_VALUE, -1 }) {
            assertViolation(String.format("0100000000000001%08x%08x61", 0x12, receive), "receives of "
                    + Integer.toUnsignedString(receive) + " bytes, not within 64 to 16777216; it begins ");
        }
        for (int receive : new int[] { 0, 64, 1 << 24 }) {
            assertFine(String.format("0100000000000001%08x%08x61", 0x12, receive));
        }
    }

    @Test
    void violationShowsOnlyTheFirstBytes() {
        ByteBuffer frame = ByteBuffer.allocate(1000);
        assertThatExceptionOfType(ProtocolException.class).isThrownBy(() -> FrameHeader.check(frame, 3, 900))
                .withMessageEndingWith(" it begins " + "00".repeat(32) + "...");
    }

    private static String hex(int type, int flagsAndReserved, int length) {
        return String.format("%02x%06x%08x0000001200000000", type, flagsAndReserved, length);
    }

    private static void assertFine(String frame) {
        assertThatCode(() -> check(frame)).as(frame).doesNotThrowAnyException();
    }

    private static void assertViolation(String frame, String words) {
        assertThatExceptionOfType(ProtocolException.class).as(frame).isThrownBy(() -> check(frame))
                .withMessageStartingWith(words).withMessageEndingWith(frame.isEmpty() ? "nothing" : " " + frame);
    }

    /** Checks it in the middle of a larger buffer, with other bytes around it. */
    private static void check(String frame) throws ProtocolException {
        byte[] bytes = HexFormat.of().parseHex(frame);
        ByteBuffer memory = ByteBuffer.allocateDirect(bytes.length + 40);
        for (int i = 0; i < memory.capacity(); i++) {
            memory.put(i, FILL);
        }
        memory.put(17, bytes);
        FrameHeader.check(memory, 17, bytes.length);
    }
}
