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

import java.util.List;

/**
 * Writes records as JSON (RFC 8259), with two spaces of indentation for each level. Record components become members of
 * the same name, and lists become arrays; all other values are strings, numbers, booleans or null.
 */
final class JsonWriter {

    private static final String HEX = "0123456789abcdef";

    private final StringBuilder out = new StringBuilder();

    private JsonWriter() {
    }

    static String write(Object value) {
        JsonWriter writer = new JsonWriter();
        writer.value(value, "\n");
        return writer.out.append('\n').toString();
    }

    /** @param newline line break and indentation for the level of this value. */
    private void value(Object value, String newline) {
        if (value instanceof Record) {
            object((Record) value, newline);
        } else if (value instanceof List) {
            array((List<?>) value, newline);
        } else if (value == null || value instanceof Boolean || value instanceof Integer || value instanceof Long) {
            out.append(value);
        } else if (value instanceof String) {
            string((String) value);
        } else {
            throw new IllegalArgumentException("no JSON for " + value.getClass());
        }
    }

    private void object(Record record, String newline) {
        String separator = "{";
        for (RecordFields.Field field : RecordFields.of(record)) {
            out.append(separator).append(newline).append("  ");
            string(field.name());
            out.append(": ");
            value(field.value(), newline + "  ");
            separator = ",";
        }
        out.append(separator.equals("{") ? "{" : newline).append('}');
    }

    private void array(List<?> list, String newline) {
        String separator = "[";
        for (Object element : list) {
            out.append(separator).append(newline).append("  ");
            value(element, newline + "  ");
            separator = ",";
        }
        out.append(separator.equals("[") ? "[" : newline).append(']');
    }

    private void string(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            character(text, i);
        }
        out.append('"');
    }

    private void character(String text, int index) {
        char c = text.charAt(index);
        switch (c) {
        case '"':
        case '\\':
            out.append('\\').append(c);
            break;
        case '\n':
            out.append("\\n");
            break;
        case '\t':
            out.append("\\t");
            break;
        default:
            if (c < ' ' || isHalfAPair(text, index)) {
                out.append("\\u").append(HEX.charAt(c >> 12)).append(HEX.charAt(c >> 8 & 0xf))
                        .append(HEX.charAt(c >> 4 & 0xf)).append(HEX.charAt(c & 0xf));
            } else {
                out.append(c);
            }
            break;
        }
    }

    /** Whether this is an unpaired surrogate. It has no UTF-8 encoding and must be escaped. */
    private static boolean isHalfAPair(String text, int index) {
        char c = text.charAt(index);
        if (Character.isHighSurrogate(c)) {
            return index + 1 == text.length() || !Character.isLowSurrogate(text.charAt(index + 1));
        }
        return Character.isLowSurrogate(c) && (index == 0 || !Character.isHighSurrogate(text.charAt(index - 1)));
    }
}
