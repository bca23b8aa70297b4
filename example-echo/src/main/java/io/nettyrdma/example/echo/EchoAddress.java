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
import io.nettyrdma.example.ServerAddress;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** The address of the server. */
final class EchoAddress {

    private EchoAddress() {
    }

    /**
     * Without a host: all addresses for a server that clients come to, and for the others one at which two programs of
     * this machine can meet.
     *
     * @throws IOException if the host has no address, or no host is given and no local address leads to a device.
     */
    static InetSocketAddress of(EchoOptions options) throws IOException {
        if (options.host() != null) {
            return new InetSocketAddress(ServerAddress.resolve("--host", options.host()), options.port());
        }
        if (options.role() == EchoOptions.Role.SERVER) {
            return new InetSocketAddress(options.port());
        }
        if (options.transport() != Transport.RDMA) {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), options.port());
        }
        DeviceAddress found = DeviceAddress.forLocalUse();
        System.out.println("echo address: " + found.address().getHostAddress() + " of device " + found.device());
        return new InetSocketAddress(found.address(), options.port());
    }
}
