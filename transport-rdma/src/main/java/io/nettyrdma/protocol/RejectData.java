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
 * Private data of a rejection: the reason, for the connecting side.
 *
 * @param version highest protocol version that the rejecting side supports.
 * @param text for people; cut to {@link #MAX_TEXT} bytes. Decoded text is {@linkplain PeerText safe to show}.
 */
public record RejectData(int version, RejectReason reason, String text) {

    /** Bytes of UTF-8. */
    public static final int MAX_TEXT = 140;

    private static final int AT_VERSION = 4;
    private static final int AT_REASON = 5;
    private static final int AT_LENGTH = 6;
    private static final int AT_TEXT = 8;

    public byte[] encode() {
        byte[] words = text.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(words.length, MAX_TEXT);
        // Do not cut a character: its bytes after the first begin with 10.
        while (length < words.length && length > 0 && (words[length] & 0xc0) == 0x80) {
            length--;
        }
        return ByteBuffer.allocate(AT_TEXT + length).putInt(0, ConnectData.MAGIC).put(AT_VERSION, (byte) version)
                .put(AT_REASON, (byte) reason.number()).putShort(AT_LENGTH, (short) length)
                .put(AT_TEXT, words, 0, length).array();
    }

    /** Returns {@code null} if the bytes are not of our protocol: another program, or the fabric, has rejected. */
    public static RejectData decodeOrNull(byte[] data) {
        ByteBuffer bytes = ByteBuffer.wrap(data);
        if (data.length < AT_TEXT || bytes.getInt(0) != ConnectData.MAGIC) {
            return null;
        }
        RejectReason reason = RejectReason.of(bytes.get(AT_REASON) & 0xff);
        int length = bytes.getShort(AT_LENGTH) & 0xffff;
        int end = AT_TEXT + length;
        return reason == null || length > MAX_TEXT || end > data.length ? null
                : new RejectData(bytes.get(AT_VERSION) & 0xff, reason,
                        PeerText.of(bytes, AT_TEXT, length));
    }
}
