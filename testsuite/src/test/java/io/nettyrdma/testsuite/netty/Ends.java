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
package io.nettyrdma.testsuite.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.fallback.RdmaOrTcpChannel;
import io.nettyrdma.fallback.RdmaOrTcpOption;
import io.nettyrdma.fallback.RdmaOrTcpServerChannel;
import io.nettyrdma.fallback.TransportPolicy;

/** The channels of a lane. Their loops have RDMA, and epoll's channels too. */
enum Ends {

    RDMA(RdmaServerChannel.class, RdmaChannel.class, false),
    /** Both may use either transport, and use RDMA. */
    EITHER(RdmaOrTcpServerChannel.class, RdmaOrTcpChannel.class, false),
    /** Both may use either transport, and the client is to use TCP. */
    EITHER_BY_TCP(RdmaOrTcpServerChannel.class, RdmaOrTcpChannel.class, true),
    TCP_CLIENT(RdmaOrTcpServerChannel.class, EpollSocketChannel.class, true),
    TCP_SERVER(EpollServerSocketChannel.class, RdmaOrTcpChannel.class, true);

    /** Longer than a machine stands still. What needs a shorter one is tested in testsuite.fallback. */
    private static final int HEAD_START_MILLIS = 20_000;
    private static final Ends OF_LANE = valueOf(System.getProperty("io.nettyrdma.testsuite.ends", RDMA.name()));

    private final Class<? extends ServerChannel> server;
    private final Class<? extends Channel> client;
    private final boolean areByTcp;

    Ends(Class<? extends ServerChannel> server, Class<? extends Channel> client, boolean areByTcp) {
        this.server = server;
        this.client = client;
        this.areByTcp = areByTcp;
    }

    /** Whether connections are by TCP, whose rules Netty's tests are written for. */
    static boolean areByTcp() {
        return OF_LANE.areByTcp;
    }

    /** Whether a client that RDMA does not connect tries TCP. */
    static boolean mayUseTcp() {
        return OF_LANE != RDMA;
    }

    static ServerBootstrap newServer(EventLoopGroup group) {
        return new ServerBootstrap().group(group).channel(OF_LANE.server);
    }

    static Bootstrap newClient(EventLoopGroup group) {
        Bootstrap bootstrap = new Bootstrap().group(group).channel(OF_LANE.client);
        if (OF_LANE == EITHER) {
            bootstrap.option(RdmaOrTcpOption.HEAD_START_MILLIS, HEAD_START_MILLIS);
        }
        if (OF_LANE == EITHER_BY_TCP) {
            bootstrap.option(RdmaOrTcpOption.POLICY, TransportPolicy.TCP_ONLY);
        }
        return bootstrap;
    }
}
