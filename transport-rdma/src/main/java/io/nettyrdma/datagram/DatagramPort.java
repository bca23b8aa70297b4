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

import io.nettyrdma.verbs.AddressVector;
import io.nettyrdma.verbs.Gid;
import io.nettyrdma.verbs.GidEntry;
import io.nettyrdma.verbs.PortAttributes;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.VerbsException;

import java.io.IOException;

/** The port that a channel sends from, and its source address. */
record DatagramPort(int number, GidEntry source, PortAttributes attributes) {

    /** The first active port of the device, with its best GID. */
    static DatagramPort of(RdmaDevice device) throws IOException {
        if (device.limits().addressHandles() == 0) {
            throw new IOException(device.name() + " has no address handles, and so no datagrams");
        }
        DatagramPort best = null;
        for (int number = 1; number <= device.limits().ports() && best == null; number++) {
            PortAttributes port = device.port(number);
            if (port.state() == PortAttributes.State.ACTIVE && hasGidsForAddresses(port)) {
                best = best(device, number, port);
            }
        }
        if (best == null) {
            throw new IOException(device.name() + " has no active port for datagrams: one that has a GID, and is not of"
                    + " InfiniBand");
        }
        return best;
    }

    /** A port of InfiniBand is addressed by LIDs, which come from a subnet manager. */
    private static boolean hasGidsForAddresses(PortAttributes port) {
        return port.linkLayer() != PortAttributes.LinkLayer.INFINIBAND;
    }

    private static DatagramPort best(RdmaDevice device, int number, PortAttributes port) throws VerbsException {
        GidEntry best = null;
        for (GidEntry entry : device.gids(number)) {
            if (best == null || entry.rank() > best.rank()) {
                best = entry;
            }
        }
        return best == null ? null : new DatagramPort(number, best, port);
    }

    AddressVector wayTo(Gid gid) {
        return new AddressVector(gid, number, source.index());
    }
}
