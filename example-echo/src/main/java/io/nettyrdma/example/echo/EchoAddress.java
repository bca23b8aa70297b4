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
package io.nettyrdma.example.echo;

import io.nettyrdma.cm.DeviceAddress;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** The address of the server. */
final class EchoAddress {

    private EchoAddress() {
    }

    /** @throws IOException if the host has no address, or no host is given and no local address leads to a device. */
    static InetSocketAddress of(EchoOptions options) throws IOException {
        if (options.host() != null) {
            return new InetSocketAddress(resolve(options.host()), options.port());
        }
        if (options.transport() != Transport.RDMA) {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), options.port());
        }
        DeviceAddress found = DeviceAddress.forLocalUse();
        System.out.println("echo address: " + found.address().getHostAddress() + " of device " + found.device());
        return new InetSocketAddress(found.address(), options.port());
    }

    private static InetAddress resolve(String host) throws UnknownHostException {
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            throw new UnknownHostException("--host " + host
                    + " has no address: give a name that resolves, or an address");
        }
    }
}
