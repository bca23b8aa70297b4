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

/** Why a connection is rejected. */
public enum RejectReason {
    /** The connection data does not begin with the magic. */
    NOT_OURS(1),
    /** The version is unknown. */
    VERSION(2),
    /** A number in the connection data is out of its range. */
    BAD_DATA(3),
    /** No memory, no queue pair, no room. */
    RESOURCES(4),
    /** The acceptor is about to close. */
    CLOSING(5);

    private static final RejectReason[] ALL = values();

    private final int number;

    RejectReason(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }

    /** Returns {@code null} for an unknown number. */
    static RejectReason of(int number) {
        return number >= 1 && number <= ALL.length ? ALL[number - 1] : null;
    }
}
