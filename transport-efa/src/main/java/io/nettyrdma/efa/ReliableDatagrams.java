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
package io.nettyrdma.efa;

import io.nettyrdma.datagram.DatagramService;
import io.nettyrdma.verbs.DatagramCapabilities;
import io.nettyrdma.verbs.DeviceCapabilities;
import io.nettyrdma.verbs.EfaLimits;
import io.nettyrdma.verbs.PortAttributes;
import io.nettyrdma.verbs.QueuePairType;
import io.nettyrdma.verbs.RdmaDevice;

import java.io.IOException;

/** What the datagrams of type SRD are like on a device. */
final class ReliableDatagrams {

    private ReliableDatagrams() {
    }

    /**
     * @param rnrRetryCount what the application wants; {@code null} for the default, where the device can count.
     * @throws IOException if the device is no EFA device, or cannot count what the application wants.
     */
    static DatagramService on(RdmaDevice device, PortAttributes port, Integer rnrRetryCount) throws IOException {
        DeviceCapabilities can = device.capabilities();
        EfaLimits efa = can.efa();
        if (efa == null) {
            throw new IOException(device.name() + " has no datagrams of type " + QueuePairType.SRD);
        }
        DatagramCapabilities datagrams = can.datagrams();
        // The classic call for posting has no operations on SRD.
        boolean operations = can.extendedQueuePair();
        return new DatagramService(QueuePairType.SRD, 0, datagrams.maxDatagram(port), datagrams.numberedHandles(),
                datagrams.failAlone(), datagrams.maxQueuePairNumber(), operations && efa.hasWrites(),
                operations && efa.hasReads(), efa.maxRdmaBytes(),
                efa.hasRnrRetry() ? orDefault(rnrRetryCount) : uncounted(device, rnrRetryCount), EfaFailures::of);
    }

    private static int orDefault(Integer rnrRetryCount) {
        return rnrRetryCount == null ? EfaDatagramChannelConfig.DEFAULT_RNR_RETRY_COUNT : rnrRetryCount;
    }

    /** Of a device that does not count how often it repeats a datagram. */
    static int uncounted(RdmaDevice device, Integer rnrRetryCount) throws IOException {
        if (rnrRetryCount != null && rnrRetryCount != EfaDatagramChannelConfig.UNLIMITED) {
            throw new IOException(device.name() + " repeats a datagram without limit: leave RNR_RETRY_COUNT unset, or"
                    + " set " + EfaDatagramChannelConfig.UNLIMITED + ", not " + rnrRetryCount);
        }
        return DatagramService.DEVICE_DECIDES;
    }
}
