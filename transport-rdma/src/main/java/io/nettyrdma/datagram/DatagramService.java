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

import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.verbs.DatagramCapabilities;
import io.nettyrdma.verbs.PortAttributes;
import io.nettyrdma.verbs.QueuePairType;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.WorkCompletionStatus;

import java.io.IOException;

/**
 * What the datagrams of a channel are like on a device. The channel decides it when it is bound, so that the queue pair
 * asks for values, and never for a type or a provider. {@link #unreliable} is what all devices with datagrams have.
 *
 * @param type of the queue pair.
 * @param header bytes in front of the payload of a received datagram.
 * @param maxDatagram bytes of the longest datagram.
 * @param numberedHandles whether a completion names the sender by the number of an address handle; else a header does.
 *        Each channel has a protection domain of its own then, because numbers, and keys of memory, hold in one domain:
 *        see <a href="https://nettyrdma.io/docs/remote-access.html#datagrams">remote access</a>.
 * @param failsAlone whether the queue pair goes on when the device could not send a datagram.
 * @param maxNumber the highest number of a queue pair.
 * @param writes whether there are writes.
 * @param reads whether there are reads.
 * @param maxOperation bytes of the longest write or read.
 * @param rnrRetryCount how often a datagram is repeated that finds no receive; {@link #DEVICE_DECIDES} if that
 *        cannot be said.
 * @param failures what failed completions mean.
 * @since 0.1.0
 */
@UnstableApi
public record DatagramService(QueuePairType type, int header, int maxDatagram, boolean numberedHandles,
                              boolean failsAlone, int maxNumber, boolean writes, boolean reads, int maxOperation,
                              int rnrRetryCount, Failures failures) {

    /** Says what the datagrams of a channel are like, when it is bound. */
    @FunctionalInterface
    public interface Source {

        /**
         * Called when a channel is bound.
         *
         * @param device the open device.
         * @param port the port to bind to.
         * @return what the datagrams are like.
         * @throws IOException if the device has no such datagrams.
         */
        DatagramService on(RdmaDevice device, PortAttributes port) throws IOException;
    }

    /** Says why a datagram has failed. */
    @FunctionalInterface
    public interface Failures {

        /**
         * Called for a failed completion.
         *
         * @param status of the completion.
         * @param vendorError the device's own code of the failure.
         * @return why the datagram has failed.
         */
        DatagramFailure of(WorkCompletionStatus status, int vendorError);
    }

    /** The value of {@link #rnrRetryCount} for a queue pair that is not asked. */
    public static final int DEVICE_DECIDES = -1;

    /** Bytes of the global routing header. */
    private static final int ROUTING_HEADER = 40;

    /**
     * {@return whether such a device has queue pairs with that number}
     *
     * @param peer any recipient.
     */
    public boolean mayExist(DatagramAddress peer) {
        return peer.queuePairNumber() <= maxNumber;
    }

    /**
     * {@return what datagrams of type UD are like}
     *
     * @param device the open device.
     * @param port the port to bind to.
     * @throws VerbsException if the call fails, with the reason.
     */
    public static DatagramService unreliable(RdmaDevice device, PortAttributes port) throws VerbsException {
        DatagramCapabilities can = device.capabilities().datagrams();
        return new DatagramService(QueuePairType.UD, ROUTING_HEADER, can.maxDatagram(port), can.numberedHandles(),
                can.failAlone(), can.maxQueuePairNumber(), false, false, 0, DEVICE_DECIDES,
                (status, vendorError) -> DatagramFailure.of(status));
    }
}
