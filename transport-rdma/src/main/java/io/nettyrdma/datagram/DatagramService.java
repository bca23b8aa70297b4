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

import io.nettyrdma.verbs.EfaLimits;
import io.nettyrdma.verbs.QueuePairType;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.VerbsException;

import java.io.IOException;

/**
 * What the datagrams of a type of queue pair are like on a device:
 *
 * <pre>
 *                         UD on RoCE          UD on EFA           SRD
 *   in front of payload   a header            40 bytes, unset     nothing
 *   the sender            in the header       number of a handle  number of a handle
 *   longest               the port's MTU      the port's longest message for both
 *   one fails             all after it fail   it fails alone      it fails alone
 *   writes and reads      no                  no                  where the device has them
 *   queue pair number     24 bits             16 bits             16 bits
 *   protection domain     the loop's          the channel's own   the channel's own
 * </pre>
 *
 * @param header bytes in front of the payload of a received datagram.
 * @param maxDatagram bytes of the longest datagram.
 * @param namesByNumber whether a completion names the sender by the number of an address handle.
 * @param failsAlone whether the queue pair goes on when the device could not send a datagram.
 * @param maxOperation bytes of the longest write or read.
 * @param setsRnrRetry whether it can be said how often a datagram is repeated that finds no receive.
 * @param ownDomain whether each channel has a protection domain of its own, because keys of memory and numbers of
 *        handles hold in one domain: see docs/security.md.
 * @param maxNumber the highest number of a queue pair: of a higher one the device would take the lower bits.
 */
record DatagramService(QueuePairType type, int header, int maxDatagram, boolean namesByNumber, boolean failsAlone,
                       boolean writes, boolean reads, int maxOperation, boolean setsRnrRetry,
                       boolean ownDomain, int maxNumber) {

    /** Bytes of the global routing header. */
    static final int ROUTING_HEADER = 40;

    private static final int NUMBER = 0xffffff;
    private static final int NUMBER_OF_EFA = 0xffff;

    static DatagramService of(QueuePairType type, RdmaDevice device, DatagramPort port) throws IOException {
        EfaLimits efa = efa(device);
        if (type == QueuePairType.UD) {
            // EFA's MTU is none of the values that an MTU can have, and so it says 4096.
            int longest = efa == null ? port.attributes().activeMtu() : longestMessage(port);
            return new DatagramService(type, ROUTING_HEADER, longest, efa != null, efa != null, false, false, 0, false,
                    efa != null, efa == null ? NUMBER : NUMBER_OF_EFA);
        }
        if (type != QueuePairType.SRD || efa == null) {
            throw new IOException(device.name() + " has no datagrams of type " + type);
        }
        // The classic call for posting has no operations on SRD.
        boolean operations = device.capabilities().extendedQueuePair();
        return new DatagramService(type, 0, longestMessage(port), true, true, operations && efa.hasWrites(),
                operations && efa.hasReads(), efa.maxRdmaBytes(), efa.hasRnrRetry(), true, NUMBER_OF_EFA);
    }

    private static int longestMessage(DatagramPort port) {
        return (int) Math.min(Integer.MAX_VALUE, port.attributes().maxMessageBytes());
    }

    /** {@code null} if it is not an EFA device. */
    static EfaLimits efa(RdmaDevice device) throws VerbsException {
        return device.capabilities().efa();
    }
}
