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
package io.nettyrdma.verbs;

import io.nettyrdma.annotation.UnstableApi;

/**
 * The 64 bits that a work request carries and its completion returns, as an event loop uses them:
 *
 * <pre>
 *   63                      32 31  29 28                      0
 *  +--------------------------+------+-------------------------+
 *  |          owner           | kind |         number          |
 *  +--------------------------+------+-------------------------+
 * </pre>
 *
 * The owner is the registration that the completion is dispatched to. The kind is in the id because a failed completion
 * has no opcode. The number belongs to the owner: a slot, or a counter modulo 2^29.
 *
 * <p>Programs that post to queues of their own, outside of an event loop, may use the 64 bits as they like.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class WorkRequestId {

    /** The operation of a work request. */
    public enum Kind {
        /** A send. */
        SEND,
        /** A receive. */
        RECEIVE,
        /** A write. */
        WRITE,
        /** A read or atomic. */
        READ,
        /** Does nothing: its completion marks a position in the queue. */
        MARKER;

        private static final Kind[] ALL = values();
    }

    /**
     * The owner of a work request whose queue is shared, for example a receive of a shared receive queue: the number of
     * the queue pair in the completion says whom the completion is for.
     */
    public static final int BY_QUEUE_PAIR = -1;

    /** The largest number; counters wrap around to 0 behind it. */
    public static final int MAX_NUMBER = (1 << 29) - 1;

    private static final int KIND_SHIFT = 29;
    private static final int KIND_MASK = 7;

    private WorkRequestId() {
    }

    /**
     * {@return the high 32 bits of all ids of an owner; the low ones are 0}
     *
     * @param owner its number.
     */
    public static long ofOwner(int owner) {
        return (long) owner << Integer.SIZE;
    }

    /**
     * {@return an id}
     *
     * @param owner from {@link #ofOwner}.
     * @param kind of the work request.
     * @param number only its low 29 bits are used.
     */
    public static long of(long owner, Kind kind, int number) {
        return owner | (long) kind.ordinal() << KIND_SHIFT | number & MAX_NUMBER;
    }

    /**
     * {@return the number of the owner}
     *
     * @param id a work request id.
     */
    public static int owner(long id) {
        return (int) (id >>> Integer.SIZE);
    }

    /**
     * {@return the kind of the work request}
     *
     * @param id a work request id.
     * @throws ArrayIndexOutOfBoundsException if {@link #of} did not make the id.
     */
    public static Kind kind(long id) {
        return Kind.ALL[(int) (id >>> KIND_SHIFT) & KIND_MASK];
    }

    /**
     * {@return the number within the owner and kind, from 0 to {@link #MAX_NUMBER}}
     *
     * @param id a work request id.
     */
    public static int number(long id) {
        return (int) id & MAX_NUMBER;
    }
}
