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
package io.nettyrdma.micrometer;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads a text in JSON: maps, lists, strings, doubles, booleans and null. Throws where it is none. */
final class Json {

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    static Object read(String text) {
        Json json = new Json(text);
        Object value = json.value();
        if (json.next() != 0) {
            throw json.unexpected();
        }
        return value;
    }

    private Object value() {
        switch (next()) {
        case '{':
            return object();
        case '[':
            return list();
        case '"':
            return string();
        default:
            int begin = at;
            while (at < text.length() && (Character.isLetterOrDigit(text.charAt(at)) || "+-.".indexOf(text.charAt(at))
                    >= 0)) {
                at++;
            }
            String word = text.substring(begin, at);
            return switch (word) {
                case "true" -> true;
                case "false" -> false;
                case "null" -> null;
                default -> Double.valueOf(word);
            };
        }
    }

    private Map<String, Object> object() {
        Map<String, Object> object = new LinkedHashMap<>();
        take('{');
        while (next() != '}') {
            if (!object.isEmpty()) {
                take(',');
            }
            next();
            String name = string();
            take(':');
            if (object.put(name, value()) != null) {
                throw new IllegalArgumentException(name + " is there twice");
            }
        }
        take('}');
        return object;
    }

    private List<Object> list() {
        List<Object> list = new ArrayList<>();
        take('[');
        while (next() != ']') {
            if (!list.isEmpty()) {
                take(',');
            }
            list.add(value());
        }
        take(']');
        return list;
    }

    private String string() {
        StringBuilder string = new StringBuilder();
        take('"');
        while (text.charAt(at) != '"') {
            if (text.charAt(at) == '\\') {
                at++;
            }
            string.append(text.charAt(at++));
        }
        at++;
        return string.toString();
    }

    private void take(char expected) {
        if (next() != expected) {
            throw unexpected();
        }
        at++;
    }

    /** The next character that is no space; 0 at the end. */
    private char next() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        return at < text.length() ? text.charAt(at) : 0;
    }

    private IllegalArgumentException unexpected() {
        return new IllegalArgumentException("unexpected at " + at + ": "
                + text.substring(at, Math.min(text.length(), at + 20)));
    }
}
