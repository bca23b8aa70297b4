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
package io.nettyrdma.integrations;

import io.netty.util.NetUtil;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * The address at which programs listen, one of the device's. The software device has the loopback address. Otherwise
 * the system property {@code io.nettyrdma.integrations.host} has a literal IPv4 address.
 */
final class Host {

    static final String NAME = System.getProperty("io.nettyrdma.integrations.host", "127.0.0.1");

    private Host() {
    }

    static InetAddress address() {
        return NetUtil.createInetAddressFromIpAddressString(NAME);
    }

    /** With a port that the system chooses. */
    static InetSocketAddress anyPort() {
        return new InetSocketAddress(address(), 0);
    }
}
