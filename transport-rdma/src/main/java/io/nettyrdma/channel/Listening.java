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
package io.nettyrdma.channel;

import io.netty.util.NetUtil;
import io.nettyrdma.cm.CmEventChannel;
import io.nettyrdma.cm.CmId;
import io.nettyrdma.cm.CmPortSpace;
import io.nettyrdma.jni.Errno;
import io.nettyrdma.verbs.VerbsException;

import java.io.IOException;
import java.net.InetSocketAddress;

/** Begins to listen at an address, as a server socket does. */
final class Listening {

    /** The wildcard address of IPv6. */
    private static final String ANY = "::";

    private Listening() {
    }

    /**
     * A wildcard address takes connections of IPv4 and IPv6, of whichever family it is, unless the JVM prefers IPv4 or
     * this machine has no IPv6.
     *
     * @return an id whose events nobody takes yet.
     * @throws IOException a {@link java.net.BindException} if the address is in use or not of this machine.
     */
    static CmId begin(CmEventChannel events, RdmaServerChannelConfig config, InetSocketAddress address)
            throws IOException {
        boolean isOfBoth = address.getAddress().isAnyLocalAddress() && !NetUtil.isIpV4StackPreferred();
        try {
            return isOfBoth ? beginWithBoth(events, config, address) : begin(events, config, address, true);
        } catch (VerbsException e) {
            throw ChannelErrors.addressFailure(e);
        }
    }

    private static CmId beginWithBoth(CmEventChannel events, RdmaServerChannelConfig config, InetSocketAddress address)
            throws VerbsException {
        try {
            return begin(events, config, new InetSocketAddress(ANY, address.getPort()), false);
        } catch (VerbsException e) {
            if (e.errno() == Errno.EADDRINUSE) {
                throw e;
            }
            ChannelErrors.LOGGER.debug("no IPv6: listens at {} alone", address, e);
            return begin(events, config, address, true);
        }
    }

    private static CmId begin(CmEventChannel events, RdmaServerChannelConfig config, InetSocketAddress address,
                              boolean familyOnly) throws VerbsException {
        CmId listener = CmId.create(events, CmPortSpace.TCP);
        try {
            listener.reuseAddress(config.isReuseAddress());
            if (!familyOnly) {
                listener.addressFamilyOnly(false);
            }
            listener.bind(address);
            listener.listen(config.getBacklog());
            return listener;
        } catch (Throwable e) {
            ChannelErrors.closeQuietly(listener);
            throw e;
        }
    }
}
