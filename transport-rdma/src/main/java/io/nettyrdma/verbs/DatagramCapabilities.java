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
 * What unreliable datagrams, of queue pairs of type UD, are like on a device.
 *
 * <pre>
 *                            ROUTED: RoCE             EFA
 *   names the sender         a header                 the number of an address handle
 *   longest datagram         the MTU                  the longest message
 *   one cannot be sent       all after it fail        it fails alone
 *   number of a queue pair   24 bits                  16 bits
 * </pre>
 *
 * @param numberedHandles whether a completion names the sender by the {@link AddressHandle#number} of the receiver's
 *        handle for it, which means something in one protection domain. Otherwise the header in front of the payload
 *        has the sender's GID.
 * @param hasMtu whether a datagram is as long as {@link PortAttributes#activeMtu}. Otherwise that is no value of this
 *        port, and a datagram is as long as {@link PortAttributes#maxMessageBytes}.
 * @param failAlone whether the queue pair goes on when a datagram cannot be sent. Otherwise it enters the state SQE,
 *        and all that is posted fails.
 * @param maxQueuePairNumber of a higher one the device would take the lower bits.
 * @since 0.1.0
 */
@UnstableApi
public record DatagramCapabilities(boolean numberedHandles, boolean hasMtu, boolean failAlone,
                                   int maxQueuePairNumber) {

    static final DatagramCapabilities ROUTED = new DatagramCapabilities(false, true, false, 0xffffff);

    /**
     * {@return the bytes of the longest datagram through a port}
     *
     * @param port of the device.
     */
    public int maxDatagram(PortAttributes port) {
        return hasMtu ? port.activeMtu() : (int) Math.min(Integer.MAX_VALUE, port.maxMessageBytes());
    }
}
