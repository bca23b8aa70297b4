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

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.buffer.RegisteredByteBuf;
import io.nettyrdma.buffer.RegisteredMemory;
import io.nettyrdma.remote.RdmaRead;
import io.nettyrdma.remote.RdmaWrite;
import io.nettyrdma.remote.RemoteOperation;

import java.nio.channels.NotYetConnectedException;

/** Checks whether the queue pair can send what a program writes. Belongs to the event loop. */
final class OutgoingChecks {

    private static final String NO_BYTES = "the recipient refuses the immediate of a write without bytes, because its"
            + " device checks no key for it: send a datagram";

    private final DatagramService service;
    private final DatagramAddress local;
    private final RegisteredMemory registered;

    /** @param local for messages. */
    OutgoingChecks(DatagramService service, DatagramAddress local, RegisteredMemory registered) {
        this.service = service;
        this.local = local;
        this.registered = registered;
    }

    /**
     * Makes what is sent, or throws if the content cannot be sent to the recipient, with the reason.
     *
     * @param content as for {@link DatagramQueuePair#outgoing}.
     * @param recipient {@code null} if there is none.
     */
    OutgoingDatagram outgoing(Object content, DatagramAddress recipient, Promise<Void> promise)
            throws DatagramException {
        if (recipient == null) {
            throw new NotYetConnectedException();
        }
        check(content, recipient);
        return OutgoingDatagram.of(content, recipient, promise);
    }

    private void check(Object content, DatagramAddress recipient) throws DatagramException {
        if (!recipient.isRecipient()) {
            throw new IllegalArgumentException(recipient + " is no recipient"
                    + (recipient.isUnknown() ? ": the device does not say where it is; prepare for it first" : ""));
        }
        if (recipient.queuePairNumber() > service.maxNumber()) {
            throw new IllegalArgumentException(recipient + " is no queue pair of such a device: its numbers go up to "
                    + service.maxNumber());
        }
        if (content instanceof RemoteOperation operation) {
            check(operation, recipient);
            return;
        }
        int length = ((ByteBuf) content).readableBytes();
        if (length > service.maxDatagram()) {
            throw new IllegalArgumentException(length + " bytes do not fit into a datagram, which has at most the "
                    + service.maxDatagram() + " of a packet on " + local);
        }
    }

    private void check(RemoteOperation operation, DatagramAddress recipient) throws DatagramException {
        if (operation instanceof RdmaWrite ? !service.writes()
                : !(operation instanceof RdmaRead) || !service.reads()) {
            throw new UnsupportedOperationException(operation + " is no operation of " + service.type()
                    + " datagrams on this device, or its library does not know it: see rdma-info");
        }
        if (operation instanceof RdmaWrite write && write.hasImmediate() && write.length() == 0) {
            throw new DatagramException(operation, recipient, DatagramFailure.FEATURES, NO_BYTES);
        }
        if (operation.isFenced()) {
            throw new UnsupportedOperationException(operation + " cannot be fenced: datagrams have no order");
        }
        if (operation.length() > service.maxOperation()) {
            throw new IllegalArgumentException(operation + " is longer than the " + service.maxOperation()
                    + " bytes that the device moves at once: split it");
        }
        if (operation instanceof RdmaRead read && read.length() > 0 && !isRegistered(read)) {
            throw new IllegalArgumentException("the device cannot write to " + read.into() + ": use a buffer of an"
                    + " RdmaByteBufAllocator that is not composite");
        }
    }

    private boolean isRegistered(RdmaRead read) {
        ByteBuf into = read.into();
        return RegisteredByteBuf.owner(into, read.index(), read.length()) != null && registered.localKey(
                into.memoryAddress() + read.index(), read.length()) != RegisteredMemory.NOT_REGISTERED;
    }
}
