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

/** Why an end aborted the connection. */
public enum AbortReason {
    /** The application aborted. */
    RESET(1),
    /** The peer violated the protocol. */
    PROTOCOL_VIOLATION(2),
    /** The peer did not answer in time. */
    TIMEOUT(3);

    private static final AbortReason[] ALL = values();

    private final int number;

    AbortReason(int number) {
        this.number = number;
    }

    public int number() {
        return number;
    }

    /** Returns {@link #RESET} for unknown numbers, which later versions may have. */
    public static AbortReason of(int number) {
        return number >= 1 && number <= ALL.length ? ALL[number - 1] : RESET;
    }
}
