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
package io.nettyrdma.microbench.operations;

import io.nettyrdma.cm.DeviceAddress;
import io.nettyrdma.verbs.AddressVector;
import io.nettyrdma.verbs.DeviceCapabilities;
import io.nettyrdma.verbs.Gid;
import io.nettyrdma.verbs.GidEntry;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.PortAttributes;
import io.nettyrdma.verbs.QueuePair;
import io.nettyrdma.verbs.QueuePairAttributes;
import io.nettyrdma.verbs.QueuePairState;
import io.nettyrdma.verbs.QueuePairType;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.RdmaDeviceInfo;
import io.nettyrdma.verbs.VerbsException;

import java.io.IOException;
import java.net.InetAddress;
import java.util.Comparator;
import java.util.List;

/**
 * The port that all parts use, for both ends of their connections.
 *
 * @param address the connection manager's name for it; {@code null} if it has none.
 */
record LocalPort(InetAddress address, String device, DeviceCapabilities capabilities, int number,
                 PortAttributes attributes, GidEntry gid) {

    private static final int PSN = 0x123456;
    private static final int UNLIMITED = 7;
    /** 67 ms. */
    private static final int TIMEOUT = 14;
    /** 10 us. */
    private static final int RNR_TIMER = 1;
    /** More are not in flight at any time. */
    private static final int READS = 16;

    /** @throws IOException if there is no device with a port that is up. */
    static LocalPort find() throws IOException {
        List<RdmaDeviceInfo> devices = RdmaDevice.list();
        if (DeviceAddress.list().isEmpty() && !devices.isEmpty()) {
            // EFA, to which no address leads.
            return find(devices.get(0).name(), null);
        }
        DeviceAddress found = DeviceAddress.forLocalUse();
        return find(found.device(), found.address());
    }

    private static LocalPort find(String name, InetAddress address) throws IOException {
        try (RdmaDevice device = RdmaDevice.open(name)) {
            for (int number = 1; number <= device.limits().ports(); number++) {
                PortAttributes attributes = device.port(number);
                GidEntry gid = device.gids(number).stream()
                        .max(Comparator.comparingInt(each -> rank(each, address))).orElse(null);
                if (attributes.state() == PortAttributes.State.ACTIVE && gid != null) {
                    return new LocalPort(address, name, device.capabilities(), number, attributes, gid);
                }
            }
        }
        throw new IOException(name + " has no active port");
    }

    private static int rank(GidEntry gid, InetAddress address) {
        return (gid.type() == Gid.Type.ROCE_V1 ? 0 : 2) + (gid.gid().toAddress().equals(address) ? 1 : 0);
    }

    /**
     * Opens the device. Each end has its own, as each event loop has.
     *
     * @throws IOException if its queue pairs cannot be connected by hand.
     */
    RdmaDevice open() throws IOException {
        RdmaDevice opened = RdmaDevice.open(device);
        if (!capabilities.reliableConnection() || opened.info().transport() == RdmaDeviceInfo.Transport.IWARP) {
            opened.close();
            throw new IOException("the queue pairs of " + device + " cannot be connected by hand, only --parts "
                    + Part.REGISTRATION + " works");
        }
        return opened;
    }

    /** The type of the best datagrams that the device has. */
    QueuePairType datagrams() {
        return capabilities.efa() == null ? QueuePairType.UD : QueuePairType.SRD;
    }

    /** The way from this port to itself. */
    AddressVector wayToItself() {
        return new AddressVector(gid.gid(), attributes.lid(), number, gid.index(), AddressVector.DEFAULT_HOP_LIMIT, 0,
                0);
    }

    /** Connects two queue pairs in RESET. Each may do everything with the other's memory. */
    void connect(QueuePair one, QueuePair other) throws VerbsException {
        connectTo(one, other);
        connectTo(other, one);
    }

    private void connectTo(QueuePair pair, QueuePair peer) throws VerbsException {
        pair.modify(new QueuePairAttributes().state(QueuePairState.INIT).partitionKeyIndex(0).port(number)
                .access(access()));
        pair.modify(new QueuePairAttributes().state(QueuePairState.RTR)
                .addressVector(wayToItself())
                .pathMtu(attributes.activeMtu()).destination(peer.number()).receivePsn(PSN)
                .maxDestRdAtomic(Math.min(READS, pair.device().limits().readsIn())).minRnrTimer(RNR_TIMER));
        pair.modify(new QueuePairAttributes().state(QueuePairState.RTS).timeout(TIMEOUT).retryCount(UNLIMITED)
                .rnrRetry(UNLIMITED).sendPsn(PSN)
                .maxRdAtomic(Math.min(READS, pair.device().limits().readsOut())));
    }

    /** All that the device has. */
    MemoryAccess[] access() {
        return capabilities.atomics()
                ? new MemoryAccess[] { MemoryAccess.LOCAL_WRITE, MemoryAccess.REMOTE_WRITE, MemoryAccess.REMOTE_READ,
                    MemoryAccess.REMOTE_ATOMIC }
                : new MemoryAccess[] { MemoryAccess.LOCAL_WRITE, MemoryAccess.REMOTE_WRITE, MemoryAccess.REMOTE_READ };
    }

    @Override
    public String toString() {
        return device + " port " + number + ", " + gid.gid() + (address == null ? "" : ", " + address.getHostAddress());
    }
}
