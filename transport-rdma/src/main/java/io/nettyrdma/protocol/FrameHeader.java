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

/**
 * The sixteen bytes in front of each payload, accessed in memory by absolute positions, in network order:
 *
 * <pre>
 *   0  type 1 | flags 1 | reserved 2
 *   4  length of the payload 4
 *   8  granted 4
 *  12  receive 4
 * </pre>
 *
 * Sixteen bytes keep the payload aligned to 8 bytes wherever the frame is.
 */
public final class FrameHeader {

    /** Bytes. */
    public static final int SIZE = 16;

    private static final int LENGTH = 4;
    private static final int GRANTED = 8;
    private static final int RECEIVE = 12;
    private static final int TYPE_SHIFT = 24;
    private static final int FLAGS_AND_RESERVED = 0xffffff;

    private FrameHeader() {
    }

    /**
     * @param granted receives that were posted for the peer since the beginning, modulo 2^32.
     * @param receive bytes of each of them that no frame has granted before; 0 if that is not announced.
     */
    public static void write(ByteBuffer to, int at, FrameType type, int length, int granted, int receive) {
        to.putInt(at, type.number << TYPE_SHIFT).putInt(at + LENGTH, length).putInt(at + GRANTED, granted)
                .putInt(at + RECEIVE, receive);
    }

    /** The number of the type, see {@link FrameType#of}. */
    public static int type(ByteBuffer from, int at) {
        return from.get(at) & 0xff;
    }

    /** Bytes of payload. */
    public static int length(ByteBuffer from, int at) {
        return from.getInt(at + LENGTH);
    }

    public static int granted(ByteBuffer from, int at) {
        return from.getInt(at + GRANTED);
    }

    /** Bytes of each receive that this frame grants and none before it did; 0 if they are as long as those before. */
    public static int receive(ByteBuffer from, int at) {
        return from.getInt(at + RECEIVE);
    }

    /**
     * Checks what a single frame shows. Afterwards the type is known and the payload lies within the frame.
     *
     * @param received bytes of the message that contains the frame.
     */
    public static void check(ByteBuffer from, int at, int received) throws ProtocolException {
        if (received < SIZE) {
            throw new ProtocolException("short frame: " + received + " bytes, the header has " + SIZE, from, at,
                    received);
        }
        int length = length(from, at);
        if (length != received - SIZE) {
            throw new ProtocolException("wrong length: the header says " + Integer.toUnsignedString(length)
                    + " bytes of payload, " + (received - SIZE) + " came", from, at, received);
        }
        FrameType type = FrameType.of(type(from, at));
        if (type == null) {
            throw new ProtocolException("unknown type " + type(from, at), from, at, received);
        }
        if ((from.getInt(at) & FLAGS_AND_RESERVED) != 0) {
            throw new ProtocolException("flags or reserved bytes that are not 0", from, at, received);
        }
        int receive = receive(from, at);
        if (receive != 0 && (receive < ConnectData.MIN_BUFFER || receive > ConnectData.MAX_BUFFER)) {
            throw new ProtocolException("receives of " + Integer.toUnsignedString(receive) + " bytes, not within "
                    + ConnectData.MIN_BUFFER + " to " + ConnectData.MAX_BUFFER, from, at, received);
        }
        if (!type.allows(length)) {
            throw new ProtocolException("payload: " + type + " cannot have " + length + " bytes", from, at, received);
        }
    }
}
