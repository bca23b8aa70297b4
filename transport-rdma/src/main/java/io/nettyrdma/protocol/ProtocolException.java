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

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HexFormat;

/** The peer violated the protocol. The message names the violation and shows the first bytes. */
public final class ProtocolException extends IOException {

    private static final long serialVersionUID = 1L;
    private static final int MOST_BYTES_SHOWN = 32;

    private final RejectReason rejectReason;

    /** A violation that no single frame shows. */
    public ProtocolException(String violation) {
        this(violation, RejectReason.BAD_DATA);
    }

    private ProtocolException(String message, RejectReason rejectReason) {
        super(message);
        this.rejectReason = rejectReason;
    }

    /** A violation in a frame of {@code length} bytes. */
    public ProtocolException(String violation, ByteBuffer bytes, int at, int length) {
        this(violation + "; it begins " + hex(bytes, at, length));
    }

    /** Connection data that is rejected. */
    ProtocolException(RejectReason reason, String violation, byte[] data) {
        this(violation + "; it begins " + hex(ByteBuffer.wrap(data), 0, data.length), reason);
    }

    /** The reason to reject a connection with. */
    public RejectReason rejectReason() {
        return rejectReason;
    }

    private static String hex(ByteBuffer bytes, int at, int length) {
        if (length == 0) {
            return "with nothing";
        }
        byte[] shown = new byte[Math.min(length, MOST_BYTES_SHOWN)];
        bytes.get(at, shown);
        return HexFormat.of().formatHex(shown) + (shown.length < length ? "..." : "");
    }
}
