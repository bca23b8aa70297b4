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

/** The type of a frame. */
public enum FrameType {
    /** Bytes of the stream. */
    DATA(1),
    /** No payload: the header advertises credits. */
    CREDIT(2),
    /** The sender sends no more DATA. */
    FIN(3),
    /** The connection ends: a reason, and text for people. */
    ABORT(4),
    /** Asks whether the peer is alive. */
    PING(5),
    /** The payload of a PING. */
    PONG(6);

    /** Bytes of the payload of PING and PONG. */
    public static final int PING_BYTES = 8;
    /** Bytes of an ABORT's reason, in front of its text. */
    public static final int REASON_BYTES = 4;

    private static final FrameType[] ALL = values();

    final int number;

    FrameType(int number) {
        this.number = number;
    }

    public int number() {
        return number;
    }

    /** The type with that number, or {@code null}. */
    public static FrameType of(int number) {
        return number >= 1 && number <= ALL.length ? ALL[number - 1] : null;
    }

    /** Whether a payload may have that many bytes. */
    boolean allows(int payload) {
        switch (this) {
        case DATA:
            return payload >= 1;
        case ABORT:
            return payload >= REASON_BYTES;
        case PING:
        case PONG:
            return payload == PING_BYTES;
        default:
            return payload == 0;
        }
    }
}
