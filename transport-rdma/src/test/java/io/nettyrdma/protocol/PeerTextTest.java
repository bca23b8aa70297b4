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

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import static org.assertj.core.api.Assertions.assertThat;

class PeerTextTest {

    /** 140 bytes are examined, and each yields at most six characters. */
    private static final int MOST_CHARACTERS = 6 * PeerText.MOST_BYTES + 3;

    @Test
    void printableTextIsUnchanged() {
        for (String text : new String[] { "", "late", "größer als 5 €", "\"quoted\" \\ {} %s", "日本語", "😀" }) {
            assertThat(shown(text)).isEqualTo(text);
        }
    }

    @Test
    void controlCharactersAreEscaped() {
        assertThat(shown("a\r\n2026-01-01 WARN all is lost")).isEqualTo("a\\u000d\\u000a2026-01-01 WARN all is lost");
        assertThat(shown("\0\t\u007f\u0085")).isEqualTo("\\u0000\\u0009\\u007f\\u0085");
        assertThat(shown("\u001b[2J")).isEqualTo("\\u001b[2J");
        assertThat(shown("\u2028\u2029")).isEqualTo("\\u2028\\u2029");
        assertThat(shown("a\u202egnp.exe")).isEqualTo("a\\u202egnp.exe");
        assertThat(shown("\u2066\u200b\ufeff\u061c")).isEqualTo("\\u2066\\u200b\\ufeff\\u061c");
        assertThat(shown("\ue000" + Character.toString(0xe0001))).isEqualTo("\\ue000\\ue0001");
    }

    @Test
    void textIsOneLine() {
        for (int point = 0; point <= Character.MAX_CODE_POINT; point++) {
            if (point < Character.MIN_SURROGATE || point > Character.MAX_SURROGATE) {
                assertThat(shown(Character.toString(point))).doesNotContainPattern("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");
            }
        }
    }

    @Test
    void invalidUtf8IsReplaced() {
        byte[] bytes = { 'a', (byte) 0xff, (byte) 0xc0, (byte) 0x8a, 'b' };
        assertThat(PeerText.of(ByteBuffer.wrap(bytes), 0, bytes.length)).startsWith("a\ufffd").endsWith("\ufffdb");
    }

    @Test
    void longTextIsTruncated() {
        assertThat(shown("x".repeat(PeerText.MOST_BYTES))).isEqualTo("x".repeat(PeerText.MOST_BYTES));
        assertThat(shown("x".repeat(1 << 20))).isEqualTo("x".repeat(PeerText.MOST_BYTES) + "...");
        assertThat(shown("\n".repeat(1 << 20))).hasSizeLessThanOrEqualTo(MOST_CHARACTERS);
        assertThat(shown("€".repeat(100))).startsWith("€".repeat(46)).endsWith("...");
    }

    @Test
    void surroundingBytesAreIgnored() {
        ByteBuffer bytes = ByteBuffer.wrap("beforelateafter".getBytes(StandardCharsets.US_ASCII)).position(3);
        assertThat(PeerText.of(bytes, 6, 4)).isEqualTo("late");
        assertThat(bytes.position()).isEqualTo(3);
    }

    private static String shown(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return PeerText.of(ByteBuffer.wrap(bytes), 0, bytes.length);
    }
}
