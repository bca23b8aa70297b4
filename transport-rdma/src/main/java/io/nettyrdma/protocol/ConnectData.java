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
 * The data that each end sends to the other before the first frame, as private data of rdma_cm.
 *
 * @param version of the protocol.
 * @param features bits, such as {@link #REMOTE_ACCESS}: what the sender takes from its peer.
 * @param buffer bytes of each of the first receives of the sender: the longest frame that they take, header included.
 * @param granted receives that the sender has posted.
 */
public record ConnectData(int version, int features, int buffer, int granted) {

    /** The version that is supported here. */
    public static final int VERSION = 1;
    /** Bytes. */
    public static final int SIZE = 32;
    public static final int MIN_BUFFER = 64;
    public static final int MAX_BUFFER = 1 << 24;
    public static final int MAX_GRANTED = 1 << 16;
    /** One frame of data beyond the reserve. */
    public static final int MIN_GRANTED = CreditWindow.RESERVE + 1;

    /** The sender's queue pair lets the peer access exposed memory, and its stream takes immediates of the peer. */
    public static final int REMOTE_ACCESS = 1 << 2;

    /** The sender takes announcements of the sizes of receives, see {@link FrameHeader#receive}. */
    public static final int RECEIVE_SIZES = 1 << 3;

    static final int MAGIC = 0x4e52444d;

    private static final int AT_VERSION = 4;
    private static final int AT_LENGTH = 5;
    private static final int AT_FEATURES = 6;
    private static final int AT_BUFFER = 8;
    private static final int AT_GRANTED = 12;

    /** Whether the sender takes announcements of the sizes of receives. */
    public boolean takesSizes() {
        return (features & RECEIVE_SIZES) != 0;
    }

    public byte[] encode() {
        return ByteBuffer.allocate(SIZE).putInt(0, MAGIC).put(AT_VERSION, (byte) version).put(AT_LENGTH, (byte) SIZE)
                .putShort(AT_FEATURES, (short) features).putInt(AT_BUFFER, buffer).putInt(AT_GRANTED, granted)
                .array();
    }

    /**
     * @param privateData may have more bytes than the record.
     * @throws ProtocolException with the reason to reject the connection.
     */
    public static ConnectData decode(byte[] privateData) throws ProtocolException {
        ByteBuffer bytes = ByteBuffer.wrap(privateData);
        if (privateData.length <= AT_LENGTH || bytes.getInt(0) != MAGIC) {
            throw new ProtocolException(RejectReason.NOT_OURS, "the connection data is not of this protocol",
                    privateData);
        }
        int version = bytes.get(AT_VERSION) & 0xff;
        if (version != VERSION) {
            throw new ProtocolException(RejectReason.VERSION, "the connection data is of version " + version + ", "
                    + VERSION + " is spoken here", privateData);
        }
        int length = bytes.get(AT_LENGTH) & 0xff;
        if (length != SIZE || privateData.length < SIZE) {
            throw new ProtocolException(RejectReason.BAD_DATA, "the connection data has " + privateData.length
                    + " bytes and says " + length + ", version " + VERSION + " has " + SIZE, privateData);
        }
        ConnectData data = new ConnectData(version, bytes.getShort(AT_FEATURES) & 0xffff, bytes.getInt(AT_BUFFER),
                bytes.getInt(AT_GRANTED));
        inRange("buffer", data.buffer, MIN_BUFFER, MAX_BUFFER, privateData);
        inRange("granted", data.granted, MIN_GRANTED, MAX_GRANTED, privateData);
        return data;
    }

    private static void inRange(String name, int value, int min, int max, byte[] data) throws ProtocolException {
        if (value < min || value > max) {
            throw new ProtocolException(RejectReason.BAD_DATA, name + " in the connection data is "
                    + Integer.toUnsignedString(value) + ", not within " + min + " to " + max, data);
        }
    }
}
