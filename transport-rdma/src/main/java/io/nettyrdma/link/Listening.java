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
package io.nettyrdma.link;

import io.netty.util.NetUtil;
import io.nettyrdma.cm.CmEventChannel;
import io.nettyrdma.cm.CmId;
import io.nettyrdma.cm.CmPortSpace;
import io.nettyrdma.io.RdmaIoRegistration;
import io.nettyrdma.io.RdmaLoop;
import io.nettyrdma.verbs.VerbsException;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * The ids that listen for one server channel, at one port. A wildcard address of either family takes connections of
 * both, as a server socket does, through an id for each: iWARP cannot take IPv4 at an id of IPv6.
 */
final class Listening implements AutoCloseable {

    /** The wildcard addresses. The first one is what a channel at both says that its address is, as Java's does. */
    private static final List<String> ANY = List.of("::", "0.0.0.0");
    /**
     * How many ports are tried for port 0. One that the connection manager chooses may be taken all the same: in the
     * other family, or with iWARP, where the device listens by TCP, by a program on TCP.
     */
    private static final int PORTS = 16;

    private final List<CmId> ids = new ArrayList<>();

    private Listening() {
    }

    /**
     * A wildcard address takes connections of IPv4 and IPv6, of whichever family it is, unless the JVM prefers IPv4 or
     * this machine has no IPv6.
     *
     * @return ids whose events are not taken yet.
     * @throws IOException a {@link java.net.BindException} if the address is in use or not of this machine; for port 0
     *         if all ports that were tried are in use.
     */
    static Listening begin(CmEventChannel events, boolean reuses, int backlog, InetSocketAddress address)
            throws IOException {
        boolean isOfBoth = address.getAddress().isAnyLocalAddress() && !NetUtil.isIpV4StackPreferred();
        for (int port = 1; ; port++) {
            try {
                return isOfBoth ? atBoth(events, reuses, backlog, address)
                        : new Listening().add(events, reuses, backlog, address);
            } catch (VerbsException e) {
                if (!e.isAddressInUse() || address.getPort() != 0 || port == PORTS) {
                    throw LinkErrors.addressFailure(e);
                }
            }
        }
    }

    private static Listening atBoth(CmEventChannel events, boolean reuses, int backlog, InetSocketAddress address)
            throws VerbsException {
        Listening both = new Listening();
        int port = address.getPort();
        try {
            for (String any : ANY) {
                both.add(events, reuses, backlog, new InetSocketAddress(any, port));
                port = both.localAddress().getPort();
            }
            return both;
        } catch (VerbsException e) {
            both.close();
            if (e.isAddressInUse()) {
                throw e;
            }
            LinkErrors.LOGGER.debug("no IPv6: listens at {} alone", address, e);
            return new Listening().add(events, reuses, backlog, address);
        }
    }

    private Listening add(CmEventChannel events, boolean reuses, int backlog, InetSocketAddress address)
            throws VerbsException {
        CmId listener = CmId.create(events, CmPortSpace.TCP);
        try {
            listener.reuseAddress(reuses);
            listener.addressFamilyOnly(true);
            listener.bind(address);
            listener.listen(backlog);
            ids.add(listener);
            return this;
        } catch (Throwable e) {
            LinkErrors.closeQuietly(listener);
            throw e;
        }
    }

    InetSocketAddress localAddress() {
        return ids.get(0).localAddress();
    }

    /** The device of the address; {@code null} at a wildcard address. */
    String deviceName() {
        return ids.get(0).deviceName();
    }

    /** From now on, the events of the ids come to this registration. */
    void attach(RdmaLoop loop, RdmaIoRegistration registration) {
        for (CmId id : ids) {
            loop.attach(id, registration);
        }
    }

    void detach(RdmaLoop loop) {
        ids.forEach(loop::detach);
    }

    /** While no loop takes the events, this channel holds them. */
    void park(CmEventChannel events) throws VerbsException {
        for (CmId id : ids) {
            id.migrate(events);
        }
    }

    /** Events that came meanwhile are handled first. */
    void unpark(RdmaLoop loop, RdmaIoRegistration registration) throws IOException {
        for (CmId id : ids) {
            loop.migrate(id, registration);
        }
    }

    @Override
    public void close() {
        ids.forEach(LinkErrors::closeQuietly);
    }
}
