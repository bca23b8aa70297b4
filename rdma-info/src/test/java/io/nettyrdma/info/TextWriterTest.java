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
package io.nettyrdma.info;

import org.junit.jupiter.api.Test;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class TextWriterTest {

    record Port(int number, String linkLayer, List<Row> rows) {
    }

    record Row(String name, Object value, String detail) {
    }

    record Pages(long pageBytes, long free) {
    }

    record Report(String version, Pages pages, List<Port> ports, List<Pages> sizes, List<Row> nothing, String absent) {
    }

    @Test
    void everyKindOfLine() {
        Report report = new Report("1.0", new Pages(96 << 20, 3),
                List.of(new Port(1, "ETHERNET", List.of(new Row("atomics", true, null), new Row("inline", 0, "off")))),
                List.of(new Pages(1 << 21, 7)), List.of(), null);
        assertThat(TextWriter.write(report)).isEqualTo("""
                version:                            1.0
                pages:
                    page bytes:                     100663296 (96 MiB)
                    free:                           3
                port 1
                    link layer:                     ETHERNET
                    rows:
                        atomics                     yes
                        inline                      0, off
                sizes:
                    2097152 (2 MiB)                 7 free
                nothing:                            none
                """);
    }

    @Test
    void longValuesWrapBelowTheirStart() {
        String text = TextWriter.write(new Row("n", "word ".repeat(40).trim(), "x".repeat(200)));
        String indent = " ".repeat(36);
        List<String> lines = text.lines().toList();
        assertThat(lines.get(1)).startsWith("value:").hasSizeLessThanOrEqualTo(110);
        assertThat(lines.get(2)).startsWith(indent + "word").hasSizeLessThanOrEqualTo(110);
        assertThat(lines.get(3)).startsWith(indent + "word");
        // A word that cannot be broken stays whole.
        assertThat(lines.get(4)).isEqualTo("detail:" + " ".repeat(29) + "x".repeat(200));
        assertThat(text.replaceAll("\\s+", " ")).contains("word ".repeat(40).trim());
    }

    @Test
    void bytesAreNeverRounded() {
        assertThat(bytes(0)).isEqualTo("0");
        assertThat(bytes(8928)).isEqualTo("8928");
        assertThat(bytes(1025 << 10)).isEqualTo("1049600 (1025 KiB)");
        assertThat(bytes(1L << 62)).isEqualTo("4611686018427387904 (4 EiB)");
        assertThat(bytes(Long.MIN_VALUE)).isEqualTo("-9223372036854775808");
    }

    private static String bytes(long value) {
        return TextWriter.write(new Pages(value, 0)).lines().findFirst().orElseThrow().substring(36);
    }
}
