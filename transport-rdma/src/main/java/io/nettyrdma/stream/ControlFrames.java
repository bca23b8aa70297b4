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
package io.nettyrdma.stream;

import io.nettyrdma.protocol.AbortReason;
import io.nettyrdma.protocol.FrameType;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;

/** The control frames that a stream is to send, or has sent. Of PING and PONG only the newest is kept. */
final class ControlFrames {

    private enum Progress { NONE, WANTED, SENT }

    private Progress ping = Progress.NONE;
    private long pingPayload;
    private Progress pong = Progress.NONE;
    private long pongPayload;
    private Progress credit = Progress.NONE;
    private Progress fin = Progress.NONE;
    private Progress abort = Progress.NONE;
    private AbortReason abortReason;
    private String abortText;
    private int finalFrame;

    void ping(long payload) {
        ping = Progress.WANTED;
        pingPayload = payload;
    }

    /** Whether the newest PING was posted. */
    boolean isPingSent() {
        return ping == Progress.SENT;
    }

    void pong(long payload) {
        pong = Progress.WANTED;
        pongPayload = payload;
    }

    /** Requests a CREDIT frame, even if there is nothing to advertise. */
    void credit() {
        credit = Progress.WANTED;
    }

    /** Requests FIN, which is sent behind all data. */
    void fin() {
        if (fin == Progress.NONE) {
            fin = Progress.WANTED;
        }
    }

    /** Requests ABORT, after which nothing else is sent. The text is cut to fit into a frame. */
    void abort(AbortReason reason, String text) {
        if (abort == Progress.NONE) {
            abort = Progress.WANTED;
            abortReason = reason;
            abortText = text;
        }
    }

    /** The next control frame to send before any data, or {@code null}. */
    FrameType first() {
        if (abort != Progress.NONE) {
            return abort == Progress.WANTED ? FrameType.ABORT : null;
        }
        if (pong == Progress.WANTED) {
            return FrameType.PONG;
        }
        if (ping == Progress.WANTED) {
            return FrameType.PING;
        }
        return credit == Progress.WANTED ? FrameType.CREDIT : null;
    }

    /** Whether there is one to send, or FIN was sent, whose confirmation may be due. */
    boolean hasWork() {
        return fin != Progress.NONE || first() != null;
    }

    boolean isFinWanted() {
        return fin == Progress.WANTED;
    }

    boolean isFinSent() {
        return fin == Progress.SENT;
    }

    boolean isAbortSent() {
        return abort == Progress.SENT;
    }

    /** Whether ABORT is, or will be, the only frame that is sent. */
    boolean isAborted() {
        return abort != Progress.NONE;
    }

    /** Whether FIN or ABORT was sent. */
    boolean isFinalFrameSent() {
        return fin == Progress.SENT || abort == Progress.SENT;
    }

    /** The number of the frame that carried FIN, or ABORT if that was sent later. */
    int finalFrame() {
        return finalFrame;
    }

    /** Adds the payload to a frame that is begun. */
    void write(FrameType type, OutgoingFrame frame) {
        if (type == FrameType.ABORT) {
            frame.put(abortPayload(frame.roomToCopy()));
        } else if (type == FrameType.PING) {
            frame.putLong(pingPayload);
        } else if (type == FrameType.PONG) {
            frame.putLong(pongPayload);
        }
    }

    private ByteBuffer abortPayload(int room) {
        ByteBuffer payload = ByteBuffer.allocate(room).putInt(abortReason.number());
        // The encoder stops before the first character that does not fit.
        StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(abortText), payload, true);
        return payload.flip();
    }

    /** @param number the frame's. */
    void sent(FrameType type, int number) {
        switch (type) {
        case PING -> ping = Progress.SENT;
        case PONG -> pong = Progress.SENT;
        case FIN -> {
            fin = Progress.SENT;
            finalFrame = number;
        }
        case ABORT -> {
            abort = Progress.SENT;
            finalFrame = number;
        }
        default -> credit = Progress.SENT;
        }
    }
}
