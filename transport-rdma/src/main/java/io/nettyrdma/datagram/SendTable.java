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
package io.nettyrdma.datagram;

import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.WorkCompletion;

import java.io.IOException;
import java.util.function.Function;

/** The send queue of a queue pair as {@link DatagramOutput} sees it. Belongs to the event loop. */
interface SendTable {

    /** Gets each datagram that was added, once: on the loop, and never within {@link #add}. */
    @FunctionalInterface
    interface Listener {

        /** @param failure {@code null} if the device has sent it. */
        void ended(OutgoingDatagram datagram, DatagramException failure);
    }

    /** Entries for further datagrams. */
    int free();

    int inFlight();

    /**
     * Adds a datagram to the batch. There must be a free entry, and room in the batch.
     *
     * @param queueKey of the recipient.
     * @throws IOException if there is no memory to copy it to. The datagram is not added then.
     * @throws IndexOutOfBoundsException if its content was cut after it was written: the device must not send what is
     *         behind it. The datagram is not added then either.
     */
    void add(OutgoingDatagram datagram, int queueKey) throws IOException;

    boolean isBatchFull();

    /** @throws VerbsException if some were not posted. They have ended; the others complete as usual. */
    void post() throws VerbsException;

    void completed(int entry, WorkCompletion completion);

    /** The queue pair could not be destroyed: the device may still access what is in flight. */
    void abandon(Function<OutgoingDatagram, DatagramException> failure);

    /** The queue pair is destroyed. */
    void release(Function<OutgoingDatagram, DatagramException> failure);
}
