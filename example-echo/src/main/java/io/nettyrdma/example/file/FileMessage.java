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
package io.nettyrdma.example.file;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.CorruptedFrameException;
import io.nettyrdma.remote.RemoteMemory;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/** The messages between the two ends: a byte for the type, and the fields. {@link FileMessageCodec} frames it. */
sealed interface FileMessage {

    byte type();

    /** Writes the fields. */
    void encode(ByteBuf to);

    /** Reads a message, to the end of its frame. A peer may send anything. */
    static FileMessage decode(ByteBuf frame) {
        int bytes = frame.readableBytes();
        if (bytes == 0) {
            throw new CorruptedFrameException("a message without a type");
        }
        byte type = frame.readByte();
        FileMessage message;
        try {
            message = switch (type) {
            case Offer.TYPE -> Offer.decode(frame);
            case Memory.TYPE -> new Memory(RemoteMemory.decode(frame));
            case Done.TYPE -> new Done();
            case Verdict.TYPE -> new Verdict(frame.readBoolean());
            case Refusal.TYPE -> new Refusal(Text.read(frame));
            default -> throw new CorruptedFrameException("a message of the unknown type " + type);
            };
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            throw new CorruptedFrameException("a message of type " + type + " with " + bytes + " bytes: "
                    + e.getMessage(), e);
        }
        if (frame.isReadable()) {
            throw new CorruptedFrameException("a message of type " + type + " with " + frame.readableBytes()
                    + " bytes too many");
        }
        return message;
    }

    /**
     * The client has a file.
     *
     * @param length bytes.
     * @param sha256 in hexadecimal digits.
     * @param name for people only. The server never uses it as a path.
     */
    record Offer(long length, String sha256, String name) implements FileMessage {

        static final byte TYPE = 1;

        static Offer decode(ByteBuf from) {
            long length = from.readLong();
            if (length < 0) {
                throw new IllegalArgumentException("the file has " + length + " bytes");
            }
            byte[] hash = new byte[Sha256.BYTES];
            from.readBytes(hash);
            return new Offer(length, HexFormat.of().formatHex(hash), Text.read(from));
        }

        @Override
        public byte type() {
            return TYPE;
        }

        @Override
        public void encode(ByteBuf to) {
            to.writeLong(length).writeBytes(HexFormat.of().parseHex(sha256));
            Text.write(name, to);
        }
    }

    /** Where the client writes the file to. */
    record Memory(RemoteMemory memory) implements FileMessage {

        static final byte TYPE = 2;

        @Override
        public byte type() {
            return TYPE;
        }

        @Override
        public void encode(ByteBuf to) {
            memory.encode(to);
        }
    }

    /** The client has written everything. */
    record Done() implements FileMessage {

        static final byte TYPE = 3;

        @Override
        public byte type() {
            return TYPE;
        }

        @Override
        public void encode(ByteBuf to) {
        }
    }

    /** Whether the server has the bytes of the hash. */
    record Verdict(boolean good) implements FileMessage {

        static final byte TYPE = 4;

        @Override
        public byte type() {
            return TYPE;
        }

        @Override
        public void encode(ByteBuf to) {
            to.writeBoolean(good);
        }
    }

    /** The server does not go on, and closes the connection. */
    record Refusal(String reason) implements FileMessage {

        static final byte TYPE = 5;

        @Override
        public byte type() {
            return TYPE;
        }

        @Override
        public void encode(ByteBuf to) {
            Text.write(reason, to);
        }
    }

    /** Text at the end of a message. */
    final class Text {

        private static final int MOST_BYTES = 500;

        private Text() {
        }

        private static void write(String text, ByteBuf to) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            to.writeBytes(Arrays.copyOf(bytes, Math.min(bytes.length, MOST_BYTES)));
        }

        /** Without control characters: the text of a peer goes to a terminal. */
        private static String read(ByteBuf from) {
            int bytes = from.readableBytes();
            return from.readCharSequence(bytes, StandardCharsets.UTF_8).toString().replaceAll("\\p{C}", "?");
        }
    }
}
