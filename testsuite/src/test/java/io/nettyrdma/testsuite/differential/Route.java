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
package io.nettyrdma.testsuite.differential;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** How the client of a program names its peer and itself. */
enum Route {
    /** By the address alone. */
    BY_ADDRESS,
    /** By a host's name, which a resolver has resolved. */
    BY_NAME,
    /** From a local address. */
    FROM_ADDRESS,
    /** From a local address that may be in use, which is bound before the connect. */
    FROM_REUSED_ADDRESS;

    private static final String NAME = "peer.example";

    ChannelFuture connect(Bootstrap client, InetSocketAddress listener) throws InterruptedException {
        InetSocketAddress local = new InetSocketAddress(listener.getAddress(), 0);
        return switch (this) {
        case BY_ADDRESS -> client.connect(listener);
        case BY_NAME -> client.connect(named(listener));
        case FROM_ADDRESS -> client.connect(listener, local);
        case FROM_REUSED_ADDRESS -> client.option(ChannelOption.SO_REUSEADDR, true).bind(local).sync().channel()
                .connect(named(listener));
        };
    }

    private static InetSocketAddress named(InetSocketAddress listener) {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(NAME, listener.getAddress().getAddress()),
                    listener.getPort());
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** What a connected channel says of its addresses. Both ends of a program have the same one. */
    static String addresses(Channel channel) {
        InetSocketAddress local = (InetSocketAddress) channel.localAddress();
        InetSocketAddress remote = (InetSocketAddress) channel.remoteAddress();
        String host = remote.getHostString();
        return "to " + (host.equals(remote.getAddress().getHostAddress()) ? "an address" : host) + ", from "
                + (local.getAddress().equals(remote.getAddress()) ? "the same" : "another one")
                + (local.getPort() == 0 || remote.getPort() == 0 ? ", without a port" : "");
    }
}
