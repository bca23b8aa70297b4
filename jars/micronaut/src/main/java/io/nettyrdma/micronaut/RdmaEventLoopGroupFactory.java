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
package io.nettyrdma.micronaut;

import io.micronaut.context.annotation.BootstrapContextCompatible;
import io.micronaut.context.annotation.Primary;
import io.micronaut.context.annotation.Replaces;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.netty.channel.DefaultEventLoopGroupFactory;
import io.micronaut.http.netty.channel.EventLoopGroupConfiguration;
import io.micronaut.http.netty.channel.EventLoopGroupFactory;
import io.micronaut.http.netty.channel.NettyChannelType;
import io.micronaut.http.netty.configuration.NettyGlobalConfiguration;
import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ReflectiveChannelFactory;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.nettyrdma.Rdma;
import io.nettyrdma.fallback.RdmaOrTcp;
import io.nettyrdma.fallback.RdmaOrTcpChannel;
import io.nettyrdma.fallback.RdmaOrTcpServerChannel;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import java.util.Map;
import java.util.Set;

/**
 * The loops and channels of Micronaut's servers and clients. Those that its configuration gives NIO or epoll use RDMA
 * if their peers have it. Without RDMA the loops are Micronaut's own. Any thread.
 *
 * @since 0.1.0
 */
@Primary
@Singleton
@BootstrapContextCompatible
@Replaces(DefaultEventLoopGroupFactory.class)
public class RdmaEventLoopGroupFactory extends DefaultEventLoopGroupFactory {

    private static final Set<Class<?>> TCP = Set.of(NioSocketChannel.class, EpollSocketChannel.class);

    /**
     * Creates the factory.
     *
     * @param factories Micronaut's own, by the names of their transports.
     * @param configuration of Netty; {@code null} if there is none.
     */
    @Inject
    public RdmaEventLoopGroupFactory(Map<String, EventLoopGroupFactory> factories,
            @Nullable NettyGlobalConfiguration configuration) {
        super(factories, configuration);
    }

    /** Whether our channels work on the loops of a configuration. */
    private boolean isTcp(EventLoopGroupConfiguration configuration) {
        return TCP.contains(super.channelClass(NettyChannelType.CLIENT_SOCKET, configuration));
    }

    @Override
    public IoHandlerFactory createIoHandlerFactory(EventLoopGroupConfiguration configuration) {
        return isTcp(configuration) && Rdma.isAvailable() ? RdmaOrTcp.newIoHandlerFactory()
                : super.createIoHandlerFactory(configuration);
    }

    @Override
    public Class<? extends Channel> channelClass(NettyChannelType type,
            @Nullable EventLoopGroupConfiguration configuration) {
        Class<? extends Channel> own = ownClass(type, configuration);
        return own == null ? super.channelClass(type, configuration) : own;
    }

    @Override
    public Channel channelInstance(NettyChannelType type, @Nullable EventLoopGroupConfiguration configuration) {
        Class<? extends Channel> own = ownClass(type, configuration);
        return own == null ? super.channelInstance(type, configuration)
                : new ReflectiveChannelFactory<>(own).newChannel();
    }

    /** {@code null} if it is Micronaut's. Loops with RDMA accept epoll's channels, and not NIO's. */
    private Class<? extends Channel> ownClass(NettyChannelType type, EventLoopGroupConfiguration configuration) {
        if (!isTcp(configuration)) {
            return null;
        }
        return switch (type) {
            case SERVER_SOCKET -> RdmaOrTcpServerChannel.class;
            case CLIENT_SOCKET -> RdmaOrTcpChannel.class;
            case DATAGRAM_SOCKET -> Rdma.isAvailable() ? EpollDatagramChannel.class : null;
            case DOMAIN_SOCKET -> Rdma.isAvailable() ? EpollDomainSocketChannel.class : null;
            case DOMAIN_SERVER_SOCKET -> Rdma.isAvailable() ? EpollServerDomainSocketChannel.class : null;
        };
    }
}
