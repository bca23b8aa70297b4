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

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/** The examples of {@code docs/wire-protocol.md}, from which others could implement an end. */
class WireProtocolExamplesTest {

    private static final Path PAGE = Path.of("docs", "wire-protocol.md");
    /** The bytes, and the page's remark on them, if there is one. */
    private static final Pattern EXAMPLE = Pattern.compile("(?m)^hex (\\S+): `([0-9a-f ]+)`\\n(?:\\((.*)\\))?");

    private interface Check {
        void check(byte[] bytes, String words) throws IOException;
    }

    private static final Map<String, Check> CHECKS = Map.of(
            "connection-data", WireProtocolExamplesTest::connectionData,
            "reject-data", WireProtocolExamplesTest::rejectData,
            "data", WireProtocolExamplesTest::data,
            "credit", WireProtocolExamplesTest::credit,
            "fin", (bytes, words) -> frame(bytes, FrameType.FIN, 0x20),
            "abort", WireProtocolExamplesTest::abort,
            "ping", (bytes, words) -> frame(bytes, FrameType.PING, 0x21, 1, 2, 3, 4, 5, 6, 7, 8),
            "pong", (bytes, words) -> frame(bytes, FrameType.PONG, 0x21, 1, 2, 3, 4, 5, 6, 7, 8));

    @Test
    void examplesOfThePageMatchTheCode() throws IOException {
        String page = Files.readString(page());
        Map<String, Matcher> examples = new LinkedHashMap<>();
        Matcher matcher = EXAMPLE.matcher(page);
        while (matcher.find()) {
            assertThat(examples.put(matcher.group(1), matcher)).as("two examples %s", matcher.group(1)).isNull();
            String words = matcher.group(3) == null ? "" : matcher.group(3);
            Check check = CHECKS.get(matcher.group(1));
            assertThat(check).as("what is known of example %s", matcher.group(1)).isNotNull();
            check.check(HexFormat.of().parseHex(matcher.group(2).replace(" ", "")), words);
        }
        assertThat(examples.keySet()).containsExactlyInAnyOrderElementsOf(CHECKS.keySet());
        assertThat(page.lines().filter(line -> line.startsWith("hex "))).as("lines that are understood")
                .hasSize(CHECKS.size());
    }

    private static void connectionData(byte[] bytes, String words) throws IOException {
        ConnectData data = ConnectData.decode(bytes);
        assertThat(data).isEqualTo(new ConnectData(1, ConnectData.RECEIVE_SIZES, 1040, 16));
        assertThat(words).isEqualTo("version " + data.version() + ", receives of any size, the first of "
                + data.buffer() + " bytes, " + data.granted() + " receives granted");
        assertThat(data.encode()).isEqualTo(bytes);
    }

    private static void rejectData(byte[] bytes, String words) {
        RejectData data = RejectData.decodeOrNull(bytes);
        assertThat(data).isEqualTo(new RejectData(1, RejectReason.VERSION, "oops!"));
        assertThat(words).isEqualTo("version " + data.version() + " is the highest, reason " + data.reason()
                + ", text \"" + data.text() + '"');
        assertThat(data.encode()).isEqualTo(bytes);
    }

    private static void data(byte[] bytes, String words) throws IOException {
        frame(bytes, FrameType.DATA, 18, 'a', 'b', 'c');
        assertThat(words).isEqualTo("three bytes \"abc\", 18 receives granted so far");
    }

    private static void credit(byte[] bytes, String words) throws IOException {
        frame(bytes, FrameType.CREDIT, 26, 8208, new int[0]);
        assertThat(words).isEqualTo("26 receives granted so far, those that are new have 8208 bytes");
    }

    private static void abort(byte[] bytes, String words) throws IOException {
        frame(bytes, FrameType.ABORT, 0x20, 0, 0, 0, 2, 'b', 'y', 'e');
        int reason = ByteBuffer.wrap(bytes).getInt(FrameHeader.SIZE);
        assertThat(AbortReason.of(reason)).isEqualTo(AbortReason.PROTOCOL_VIOLATION);
        assertThat(AbortReason.PROTOCOL_VIOLATION.number()).isEqualTo(reason);
        int text = FrameHeader.SIZE + FrameType.REASON_BYTES;
        assertThat(words).isEqualTo("reason " + reason + ", text \""
                + new String(bytes, text, bytes.length - text, StandardCharsets.UTF_8) + '"');
    }

    private static void frame(byte[] bytes, FrameType type, int granted, int... payload) throws IOException {
        frame(bytes, type, granted, 0, payload);
    }

    private static void frame(byte[] bytes, FrameType type, int granted, int receive, int[] payload)
            throws IOException {
        ByteBuffer frame = ByteBuffer.wrap(bytes);
        FrameHeader.check(frame, 0, bytes.length);
        assertThat(FrameType.of(FrameHeader.type(frame, 0))).isEqualTo(type);
        assertThat(FrameHeader.length(frame, 0)).isEqualTo(payload.length);
        assertThat(FrameHeader.granted(frame, 0)).isEqualTo(granted);
        assertThat(FrameHeader.receive(frame, 0)).isEqualTo(receive);
        assertThat(Arrays.copyOfRange(bytes, FrameHeader.SIZE, bytes.length)).containsExactly(payload);

        ByteBuffer written = ByteBuffer.allocate(bytes.length);
        FrameHeader.write(written, 0, type, payload.length, granted, receive);
        for (int i = 0; i < payload.length; i++) {
            written.put(FrameHeader.SIZE + i, (byte) payload[i]);
        }
        assertThat(written.array()).isEqualTo(bytes);
    }

    /** In the root of the project, wherever in the project the test was started. */
    private static Path page() {
        for (Path dir = Path.of("").toAbsolutePath(); dir != null; dir = dir.getParent()) {
            if (Files.exists(dir.resolve(PAGE))) {
                return dir.resolve(PAGE);
            }
        }
        throw new IllegalStateException("no " + PAGE + " at or above " + Path.of("").toAbsolutePath());
    }
}
