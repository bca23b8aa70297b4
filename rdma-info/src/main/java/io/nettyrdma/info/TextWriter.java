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
import java.util.Locale;

/**
 * Writes records as human-readable text: a line for each component, indented by its depth.
 *
 * <pre>
 *   label:                a value
 *   label:                the components of a record follow, one deeper
 *       label:            a value
 *   label:                a list of records of values: each is a line
 *       value             value, value
 *   device rxe0           an element of a list of records that hold more, named by its first component
 *       label:            a value
 * </pre>
 *
 * {@code null} values are omitted. A number of bytes is followed by the size with a unit.
 */
final class TextWriter {

    private static final int INDENT = 4;
    private static final int VALUE_COLUMN = 36;
    private static final int WIDTH = 110;
    private static final String[] NO_WORDS = {};
    private static final String[] BINARY_UNITS = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };

    private final StringBuilder out = new StringBuilder();

    private TextWriter() {
    }

    static String write(Record record) {
        TextWriter writer = new TextWriter();
        writer.fields(RecordFields.of(record), 0);
        return writer.out.toString();
    }

    private void fields(List<RecordFields.Field> fields, int depth) {
        for (RecordFields.Field field : fields) {
            field(label(field.name()), field, depth);
        }
    }

    private void field(String label, RecordFields.Field field, int depth) {
        Object value = field.value();
        if (value instanceof Record) {
            line(depth, label + ':', "");
            fields(RecordFields.of((Record) value), depth + 1);
        } else if (value instanceof List) {
            list(label, (List<?>) value, depth);
        } else if (value != null) {
            line(depth, label + ':', value(field));
        }
    }

    private void list(String label, List<?> list, int depth) {
        if (list.isEmpty()) {
            line(depth, label + ':', "none");
        } else if (isFlat((Record) list.get(0))) {
            line(depth, label + ':', "");
            list.forEach(element -> row(RecordFields.of((Record) element), depth + 1));
        } else {
            list.forEach(element -> section((Record) element, depth));
        }
    }

    private void row(List<RecordFields.Field> fields, int depth) {
        StringBuilder rest = new StringBuilder();
        for (RecordFields.Field field : fields.subList(1, fields.size())) {
            if (field.value() != null) {
                rest.append(rest.length() == 0 ? "" : ", ").append(text(field.value()))
                        .append(field.value() instanceof Long ? " " + label(field.name()) : "");
            }
        }
        line(depth, value(fields.get(0)), rest.toString());
    }

    private void section(Record record, int depth) {
        List<RecordFields.Field> fields = RecordFields.of(record);
        String kind = record.getClass().getSimpleName().toLowerCase(Locale.ROOT);
        line(depth, kind + ' ' + text(fields.get(0).value()), "");
        fields(fields.subList(1, fields.size()), depth + 1);
    }

    /** Wraps a long value; continuation lines are aligned with its start. */
    private void line(int depth, String label, String value) {
        StringBuilder line = new StringBuilder(" ".repeat(depth * INDENT)).append(label);
        String separator = " ".repeat(Math.max(1, VALUE_COLUMN - line.length()));
        for (String word : value.isEmpty() ? NO_WORDS : value.split(" ")) {
            if (line.length() + 1 + word.length() > WIDTH && line.length() > VALUE_COLUMN) {
                out.append(line).append('\n');
                line.setLength(0);
                separator = " ".repeat(VALUE_COLUMN);
            }
            line.append(separator).append(word);
            separator = " ";
        }
        out.append(line).append('\n');
    }

    private static boolean isFlat(Record record) {
        return RecordFields.of(record).stream()
                .noneMatch(field -> field.value() instanceof Record || field.value() instanceof List);
    }

    private static String value(RecordFields.Field field) {
        return field.name().endsWith("Bytes") ? bytes(field.value()) : text(field.value());
    }

    private static String text(Object value) {
        if (value instanceof Boolean) {
            return (Boolean) value ? "yes" : "no";
        }
        return value.toString();
    }

    /** A number of bytes, such as {@code 8388608 (8 MiB)}; the size with a unit is never rounded. */
    private static String bytes(Object value) {
        if (!(value instanceof Number)) {
            return text(value);
        }
        long bytes = ((Number) value).longValue();
        long shown = bytes;
        int unit = 0;
        while (shown > 0 && shown % 1024 == 0) {
            shown >>= 10;
            unit++;
        }
        return unit == 0 ? text(value) : value + " (" + shown + ' ' + BINARY_UNITS[unit] + ')';
    }

    /** Splits a name into words: {@code maxMessageBytes} becomes "max message bytes". */
    private static String label(String name) {
        StringBuilder words = new StringBuilder();
        for (char c : name.toCharArray()) {
            if (Character.isUpperCase(c)) {
                words.append(' ');
            }
            words.append(Character.toLowerCase(c));
        }
        return words.toString();
    }
}
