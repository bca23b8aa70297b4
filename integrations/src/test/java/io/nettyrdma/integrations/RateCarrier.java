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

import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.local.LocalServerChannel;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.io.PollMode;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.io.RdmaIoHandlerConfig;

import java.net.SocketAddress;
import java.util.Locale;

/** The transports that {@link RequestRates} compares. */
enum RateCarrier {
    RDMA_ADAPTIVE(RdmaServerChannel.class, RdmaChannel.class, rdma(PollMode.ADAPTIVE)),
    RDMA_BUSY(RdmaServerChannel.class, RdmaChannel.class, rdma(PollMode.BUSY)),
    RDMA_EVENT(RdmaServerChannel.class, RdmaChannel.class, rdma(PollMode.EVENT)),
    /** Messages are handed over, and the other loop is woken: what is left is the framework, Netty and the threads. */
    LOCAL(LocalServerChannel.class, LocalChannel.class, LocalIoHandler.newFactory()),
    /** What the others are compared with. */
    EPOLL(EpollServerSocketChannel.class, EpollSocketChannel.class, EpollIoHandler.newFactory());

    private final Class<? extends ServerChannel> server;
    private final Class<? extends Channel> client;
    private final IoHandlerFactory ioHandlers;

    RateCarrier(Class<? extends ServerChannel> server, Class<? extends Channel> client, IoHandlerFactory ioHandlers) {
        this.server = server;
        this.client = client;
        this.ioHandlers = ioHandlers;
    }

    private static IoHandlerFactory rdma(PollMode mode) {
        return RdmaIoHandler.newFactory(RdmaIoHandlerConfig.DEFAULT.withMode(mode));
    }

    IoHandlerFactory ioHandlers() {
        return ioHandlers;
    }

    Class<? extends ServerChannel> server() {
        return server;
    }

    Class<? extends Channel> client() {
        return client;
    }

    /** For a server. */
    SocketAddress anyAddress() {
        return this == LOCAL ? LocalAddress.ANY : Host.anyPort();
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
