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
package io.nettyrdma.example;

import io.nettyrdma.cm.DeviceAddress;

import java.io.IOException;
import java.net.ConnectException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.stream.Collectors;

/** Where a server of the examples listens, and how it reports that to its clients. */
public final class ServerAddress {

    private ServerAddress() {
    }

    /**
     * Resolves a host of the command line.
     *
     * @param what how the user calls it.
     * @throws UnknownHostException with the cure.
     */
    public static InetAddress resolve(String what, String host) throws UnknownHostException {
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            throw new UnknownHostException(what + ' ' + host
                    + " has no address: give a name that resolves, or an address");
        }
    }

    /** Whether a connect failed because no program listens, and not because a program has refused it. */
    public static boolean isListenerMissing(Throwable failure) {
        return failure instanceof ConnectException && failure.getMessage().contains("no program listens");
    }

    /**
     * The bound address, and for all addresses the port with those that lead to an RDMA device.
     *
     * @throws IOException if none does: no client could connect.
     */
    public static String describe(InetSocketAddress bound) throws IOException {
        if (!bound.getAddress().isAnyLocalAddress()) {
            return bound.toString();
        }
        List<DeviceAddress> addresses = DeviceAddress.list().stream().filter(each ->
                each.address() instanceof Inet4Address || bound.getAddress() instanceof Inet6Address).toList();
        if (addresses.isEmpty()) {
            throw new NoRouteToHostException("no address of this machine leads to an RDMA device: assign one to the "
                    + "network interface of a device; rdma-info shows the devices");
        }
        return "port " + bound.getPort() + " of " + addresses.stream()
                .map(each -> each.address().getHostAddress() + " (" + each.device() + ')')
                .collect(Collectors.joining(", "));
    }
}
