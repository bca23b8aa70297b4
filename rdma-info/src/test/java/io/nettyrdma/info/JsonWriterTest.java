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

import java.util.Arrays;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class JsonWriterTest {

    record Leaf(String name, Object value) {
    }

    record Tree(Leaf leaf, List<Object> list, List<Object> none) {
    }

    record Empty() {
    }

    @Test
    void recordsAndListsNest() {
        Tree tree = new Tree(new Leaf("a", 1), List.of(new Leaf("b", null), true, -2L), List.of());
        assertThat(JsonWriter.write(tree)).isEqualTo("""
                {
                  "leaf": {
                    "name": "a",
                    "value": 1
                  },
                  "list": [
                    {
                      "name": "b",
                      "value": null
                    },
                    true,
                    -2
                  ],
                  "none": []
                }
                """);
        assertThat(JsonWriter.write(new Empty())).isEqualTo("{}\n");
    }

    @Test
    void scalarsAreValidDocuments() {
        assertThat(JsonWriter.write(Arrays.asList(null, false, Long.MIN_VALUE, Integer.MAX_VALUE, "")))
                .isEqualTo("[\n  null,\n  false,\n  -9223372036854775808,\n  2147483647,\n  \"\"\n]\n");
    }

    @Test
    void reservedCharactersAreEscaped() {
        assertThat(JsonWriter.write("\"\\/")).isEqualTo("\"\\\"\\\\/\"\n");
        assertThat(JsonWriter.write("a\nb\tc\rd\0e\u001f\u007f"))
                .isEqualTo("\"a\\nb\\tc\\u000dd\\u0000e\\u001f\u007f\"\n");
    }

    @Test
    void charactersBeyondAsciiAreUnchanged() {
        String text = "\u00b5s \u2028 \ud83d\ude00";
        assertThat(JsonWriter.write(text)).isEqualTo('"' + text + "\"\n");
    }

    @Test
    void unpairedSurrogateIsEscaped() {
        assertThat(JsonWriter.write("\ud83d")).isEqualTo("\"\\ud83d\"\n");
        assertThat(JsonWriter.write("\ude00\ud83d\ude00")).isEqualTo("\"\\ude00\ud83d\ude00\"\n");
        assertThat(JsonWriter.write("\ud83d\ud83d\ude00x")).isEqualTo("\"\\ud83d\ud83d\ude00x\"\n");
    }

    @Test
    void unsupportedValueIsRefused() {
        for (Object value : new Object[] { Double.NaN, 'c', new byte[0], List.of(1.5f) }) {
            assertThatIllegalArgumentException().isThrownBy(() -> JsonWriter.write(value));
        }
    }
}
