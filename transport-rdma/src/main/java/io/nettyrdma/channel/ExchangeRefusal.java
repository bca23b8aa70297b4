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
package io.nettyrdma.channel;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.protocol.PeerText;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Why an exchange of addresses fails, for the other end, which may get it in place of a record or of READY:
 *
 * <pre>
 *   0 REFUSED 1 | 1 length 1 | 2 text, UTF-8
 * </pre>
 *
 * The text says what the peer can know or change. It names no limits, addresses or calls of this side.
 */
final class ExchangeRefusal extends IOException {

    static final byte REFUSED = 2;

    private static final long serialVersionUID = 1L;
    private static final int HEADER = 2;

    private final String forPeer;

    ExchangeRefusal(String forPeer) {
        this(forPeer, null);
    }

    /** @param cause for this side alone. */
    ExchangeRefusal(String forPeer, Throwable cause) {
        super(cause == null ? forPeer : forPeer + ": " + cause.getMessage(), cause);
        this.forPeer = forPeer;
    }

    /** What the peer gets. */
    String forPeer() {
        return forPeer;
    }

    void encode(ByteBuf to) {
        byte[] text = forPeer.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(text.length, PeerText.MOST_BYTES);
        to.writeByte(REFUSED).writeByte(length).writeBytes(text, 0, length);
    }

    /** Whether the peer has begun to say why it fails. */
    static boolean isNext(ByteBuf from) {
        return from.isReadable() && from.getByte(from.readerIndex()) == REFUSED;
    }

    /**
     * Reads a refusal of the peer.
     *
     * @return {@code null} if it is not complete.
     */
    static IOException decode(ByteBuf from) {
        int at = from.readerIndex();
        if (from.readableBytes() < HEADER || from.readableBytes() < HEADER + from.getUnsignedByte(at + 1)) {
            return null;
        }
        int length = from.getUnsignedByte(at + 1);
        return new IOException("the peer refused the exchange of addresses: "
                + PeerText.of(from.nioBuffer(at + HEADER, length), 0, length));
    }
}
