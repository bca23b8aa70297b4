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

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Text that a peer has sent, made safe to show in exceptions, in logs and on terminals. It cannot end a line and begin
 * one of its own, change the direction of the text behind it, or be longer than anyone would read.
 */
public final class PeerText {

    /** Bytes of UTF-8 that are shown. */
    public static final int MOST_BYTES = RejectData.MAX_TEXT;

    private static final String CUT = "...";

    private PeerText() {
    }

    /**
     * Decodes text. Invalid UTF-8 becomes U+FFFD, and each character that is invisible or affects others becomes its
     * number, for example {@code \}{@code u000a}.
     *
     * @param bytes the position stays.
     * @param length bytes beyond {@link #MOST_BYTES} are cut.
     */
    public static String of(ByteBuffer bytes, int at, int length) {
        byte[] given = new byte[Math.min(length, MOST_BYTES)];
        bytes.get(at, given);
        StringBuilder shown = new StringBuilder(given.length);
        new String(given, StandardCharsets.UTF_8).codePoints().forEach(point -> show(point, shown));
        return length > MOST_BYTES ? shown.append(CUT).toString() : shown.toString();
    }

    private static void show(int point, StringBuilder shown) {
        if (isHarmless(point)) {
            shown.appendCodePoint(point);
        } else {
            shown.append(String.format("\\u%04x", point));
        }
    }

    /** FORMAT has the direction marks, and the characters without width. */
    private static boolean isHarmless(int point) {
        return switch (Character.getType(point)) {
        case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR,
                Character.PRIVATE_USE, Character.SURROGATE, Character.UNASSIGNED -> false;
        default -> true;
        };
    }
}
