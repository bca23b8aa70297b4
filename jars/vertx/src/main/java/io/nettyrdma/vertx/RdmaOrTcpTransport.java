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
package io.nettyrdma.vertx;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.InternetProtocolFamily;
import io.nettyrdma.Rdma;
import io.nettyrdma.fallback.RdmaOrTcp;
import io.nettyrdma.fallback.RdmaOrTcpChannel;
import io.nettyrdma.fallback.RdmaOrTcpServerChannel;
import io.vertx.core.datagram.DatagramSocketOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.net.TcpConfig;
import io.vertx.core.spi.transport.Transport;

/**
 * Streams by RDMA or TCP. The rest is another transport's, on the same loops: datagrams, domain sockets, options. That
 * is epoll's if there is RDMA, whose loops accept epoll's channels, else the program's own. Any thread.
 */
final class RdmaOrTcpTransport implements Transport {

    private final IoHandlerFactory loops;
    private final Transport rest;

    private RdmaOrTcpTransport(IoHandlerFactory loops, Transport rest) {
        this.loops = loops;
        this.rest = rest;
    }

    /** @param chosen NIO or epoll. Without RDMA its own loops remain. */
    static Transport instead(Transport chosen) {
        return Rdma.isAvailable()
                ? new RdmaOrTcpTransport(RdmaOrTcp.newIoHandlerFactory(),
                        io.vertx.core.transport.Transport.EPOLL.implementation())
                : new RdmaOrTcpTransport(chosen.ioHandlerFactory(), chosen);
    }

    @Override
    public IoHandlerFactory ioHandlerFactory() {
        return loops;
    }

    @Override
    public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
        return domainSocket ? rest.channelFactory(true) : RdmaOrTcpChannel::new;
    }

    @Override
    public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
        return domainSocket ? rest.serverChannelFactory(true) : RdmaOrTcpServerChannel::new;
    }

    @Override
    @SuppressWarnings("deprecation")
    public DatagramChannel datagramChannel(InternetProtocolFamily family) {
        return rest.datagramChannel(family);
    }

    @Override
    public ChannelFactory<? extends DatagramChannel> datagramChannelFactory() {
        return rest.datagramChannelFactory();
    }

    @Override
    public boolean isAvailable() {
        return rest.isAvailable();
    }

    @Override
    public Throwable unavailabilityCause() {
        return rest.unavailabilityCause();
    }

    @Override
    public boolean supportsDomainSockets() {
        return rest.supportsDomainSockets();
    }

    @Override
    public boolean supportFileRegion() {
        return rest.supportFileRegion();
    }

    @Override
    public java.net.SocketAddress convert(SocketAddress address) {
        return rest.convert(address);
    }

    @Override
    public SocketAddress convert(java.net.SocketAddress address) {
        return rest.convert(address);
    }

    @Override
    public void configure(DatagramChannel channel, DatagramSocketOptions options) {
        rest.configure(channel, options);
    }

    @Override
    public void configure(TcpConfig config, boolean domainSocket, Bootstrap bootstrap) {
        rest.configure(config, domainSocket, bootstrap);
    }

    @Override
    public void configure(TcpConfig config, boolean domainSocket, ServerBootstrap bootstrap) {
        rest.configure(config, domainSocket, bootstrap);
    }

    @Override
    public String toString() {
        return "RDMA or TCP";
    }
}
