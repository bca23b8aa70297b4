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
package io.nettyrdma.testsuite.support;

import io.nettyrdma.cm.DeviceAddress;
import io.nettyrdma.verbs.AddressVector;
import io.nettyrdma.verbs.DeviceCapabilities;
import io.nettyrdma.verbs.Gid;
import io.nettyrdma.verbs.GidEntry;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.PortAttributes;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.RdmaDeviceInfo;
import io.nettyrdma.verbs.VerbsException;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The device, port and GID that all tests use, opened once. The system property {@code io.nettyrdma.testsuite.device}
 * or the environment variable {@code NETTYRDMA_TESTSUITE_DEVICE} selects them as {@code NAME}, {@code NAME:PORT} or
 * {@code NAME:PORT:GIDINDEX}. The default is the first active port with the best GID.
 */
public final class TestDevice {

    private static final String PROPERTY = "io.nettyrdma.testsuite.device";
    private static final String VARIABLE = "NETTYRDMA_TESTSUITE_DEVICE";

    private final RdmaDevice device;
    private final int port;
    private final PortAttributes attributes;
    private final GidEntry gid;

    private TestDevice(RdmaDevice device, int port, PortAttributes attributes, GidEntry gid) {
        this.device = device;
        this.port = port;
        this.attributes = attributes;
        this.gid = gid;
    }

    public static TestDevice get() {
        return Chosen.DEVICE;
    }

    public RdmaDevice device() {
        return device;
    }

    public int port() {
        return port;
    }

    public PortAttributes attributes() {
        return attributes;
    }

    public Gid gid() {
        return gid.gid();
    }

    public DeviceCapabilities capabilities() {
        try {
            return device.capabilities();
        } catch (VerbsException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The address vector from this port to another. */
    public AddressVector wayTo(Gid destination, int lid) {
        return new AddressVector(destination, lid, port, gid.index(), AddressVector.DEFAULT_HOP_LIMIT, 0, 0);
    }

    /** Whether queue pairs can be connected by address vectors. On iWARP only rdma_cm can connect them. */
    public boolean connectsByHand() {
        return device.info().transport() != RdmaDeviceInfo.Transport.IWARP;
    }

    public void assumeConnectsByHand() {
        assumeTrue(connectsByHand(), "queue pairs are connected by rdma_cm only (iWARP)");
    }

    /**
     * Skips the test where the device itself answers the accepting side (iWARP): there is no CONNECT_RESPONSE, and
     * neither side learns the other's queue pair number.
     */
    public void assumeThreeWayHandshake() {
        assumeTrue(connectsByHand(), "no CONNECT_RESPONSE in the handshake (iWARP)");
    }

    /** Whether a message waits until a receive is posted. On iWARP it terminates the connection instead. */
    public boolean waitsForReceives() {
        return device.info().transport() != RdmaDeviceInfo.Transport.IWARP;
    }

    /** Whether a send completes as soon as the device has its bytes, which says nothing about the peer (iWARP). */
    public boolean completesWhenTaken() {
        return device.info().transport() == RdmaDeviceInfo.Transport.IWARP;
    }

    /** Whether the end of a queue pair also ends its connection and what is posted to it later (iWARP). */
    public boolean endsWithItsQueuePair() {
        return device.info().transport() == RdmaDeviceInfo.Transport.IWARP;
    }

    public void assumeWaitsForReceives() {
        assumeTrue(waitsForReceives(), "a message that finds no receive ends the connection (iWARP)");
    }

    public void assumeDatagrams() {
        assumeTrue(device.limits().addressHandles() > 0, "no address handles, so no datagrams");
    }

    /** The access of a read's destination. On iWARP the peer writes to it, so it needs remote write access. */
    public MemoryAccess[] readSinkAccess() {
        return device.info().transport() == RdmaDeviceInfo.Transport.IWARP
                ? new MemoryAccess[] { MemoryAccess.LOCAL_WRITE, MemoryAccess.REMOTE_WRITE }
                : new MemoryAccess[] { MemoryAccess.LOCAL_WRITE };
    }

    /** Skips the test if there is none. */
    public Inet4Address ipv4() {
        return of(Inet4Address.class);
    }

    /** Skips the test if there is none. */
    public Inet6Address ipv6() {
        return of(Inet6Address.class);
    }

    /** Either family. Fails if there is none: skipping all tests that need a connection would go unnoticed. */
    public InetAddress ip() {
        return address(InetAddress.class).orElseThrow(() -> new IllegalStateException(
                "this machine has no address that rdma_cm finds " + device + " by: give its network interface one"));
    }

    private <T extends InetAddress> T of(Class<T> family) {
        Optional<T> found = address(family);
        assumeTrue(found.isPresent(), () -> "this machine has no " + family.getSimpleName() + " that rdma_cm finds "
                + device + " by");
        return found.get();
    }

    private <T extends InetAddress> Optional<T> address(Class<T> family) {
        try {
            return DeviceAddress.list().stream().filter(each -> each.device().equals(device.name()))
                    .map(DeviceAddress::address).filter(family::isInstance).map(family::cast).findFirst();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String toString() {
        return device.name() + " port " + port + " GID " + gid.index() + " (" + gid.gid() + ')';
    }

    /** Chosen on first use. */
    private static final class Chosen {

        static final TestDevice DEVICE;

        static {
            try {
                DEVICE = choose();
                System.out.println("device under test: " + DEVICE);
            } catch (VerbsException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static TestDevice choose() throws VerbsException {
            String wish = System.getProperty(PROPERTY, System.getenv(VARIABLE));
            String[] parts = wish == null ? new String[0] : wish.split(":");
            TestDevice best = null;
            List<RdmaDeviceInfo> devices = RdmaDevice.list();
            for (RdmaDeviceInfo info : devices) {
                if (parts.length == 0 || info.name().equals(parts[0])) {
                    best = better(best, RdmaDevice.open(info.name()), parts);
                }
            }
            if (best == null) {
                throw new IllegalStateException("no active port with a GID "
                        + (wish == null ? "on any of " : "that is " + wish + " among ") + devices);
            }
            return best;
        }

        /** The best port of the device if it beats the best so far. Closes the device that is not taken. */
        private static TestDevice better(TestDevice bestSoFar, RdmaDevice device, String[] parts)
                throws VerbsException {
            TestDevice best = bestSoFar;
            for (int port = 1; port <= device.limits().ports(); port++) {
                PortAttributes attributes = device.port(port);
                if (attributes.state() != PortAttributes.State.ACTIVE
                        || parts.length > 1 && port != Integer.parseInt(parts[1])) {
                    continue;
                }
                for (GidEntry gid : device.gids(port)) {
                    boolean wished = parts.length < 3 || gid.index() == Integer.parseInt(parts[2]);
                    if (wished && (best == null || gid.rank() > best.gid.rank())) {
                        best = new TestDevice(device, port, attributes, gid);
                    }
                }
            }
            RdmaDevice loser = best == bestSoFar ? device : bestSoFar == null ? null : bestSoFar.device;
            if (loser != null) {
                loser.close();
            }
            return best;
        }
    }
}
