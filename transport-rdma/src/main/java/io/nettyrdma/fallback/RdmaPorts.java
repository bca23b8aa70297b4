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
package io.nettyrdma.fallback;

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.Rdma;
import io.nettyrdma.verbs.RdmaDeviceInfo;
import io.nettyrdma.verbs.VerbsException;

/** Ports of RDMA, which are others than those of TCP, except with iWARP. */
final class RdmaPorts {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(RdmaOrTcpServerChannel.class);

    private RdmaPorts() {
    }

    /**
     * Whether another program has the port that could not be bound. If the devices are iWARP and share the ports of
     * TCP, it is this program's own listener for TCP, and RDMA is not possible without another port.
     */
    static boolean isTaken(Throwable failure, int portOffset) {
        if (!(failure.getCause() instanceof VerbsException call) || !call.isAddressInUse()) {
            return false;
        }
        boolean sharesPorts = portOffset == 0 && Rdma.devices().stream()
                .anyMatch(each -> each.transport() == RdmaDeviceInfo.Transport.IWARP);
        if (sharesPorts) {
            LOGGER.warn("iWARP shares the ports of TCP: to listen by RDMA too, set {} on both ends",
                    RdmaOrTcpOption.RDMA_PORT_OFFSET);
        }
        return !sharesPorts;
    }
}
