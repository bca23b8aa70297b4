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
package io.nettyrdma.agent.program;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;

import java.nio.channels.spi.SelectorProvider;
import java.util.function.Supplier;

/** How a program may use Netty's TCP. */
enum Transport {

    NIO(() -> NioServerSocketChannel.class, () -> NioSocketChannel.class, () -> NioIoHandler.newFactory()),
    /** Of a program that has no epoll. */
    NIO_ALONE(() -> NioServerSocketChannel.class, () -> NioSocketChannel.class, () -> NioIoHandler.newFactory()) {
        @Override
        void examine(EventLoopGroup group) {
            // It knows its transport.
        }
    },
    EPOLL(() -> EpollServerSocketChannel.class, () -> EpollSocketChannel.class, () -> EpollIoHandler.newFactory()),
    IO_URING(() -> IoUringServerSocketChannel.class, () -> IoUringSocketChannel.class,
            () -> IoUringIoHandler.newFactory()),

    /** As programs of Netty 4.1. */
    @SuppressWarnings("deprecation")
    NIO_GROUP(() -> NioServerSocketChannel.class, () -> NioSocketChannel.class, null) {
        @Override
        EventLoopGroup newGroup(int threads) {
            return new io.netty.channel.nio.NioEventLoopGroup(threads);
        }

        @Override
        void examine(EventLoopGroup group) {
            super.examine(group);
            ((io.netty.channel.nio.NioEventLoopGroup) group).rebuildSelectors();
            System.out.println("provider: " + (((io.netty.channel.nio.NioEventLoop) group.next()).selectorProvider()
                    == SelectorProvider.provider()));
            System.out.println("registered: " + ((SingleThreadEventLoop) group.next()).registeredChannels());
        }
    },
    @SuppressWarnings("deprecation")
    EPOLL_GROUP(() -> EpollServerSocketChannel.class, () -> EpollSocketChannel.class, null) {
        @Override
        EventLoopGroup newGroup(int threads) {
            return new io.netty.channel.epoll.EpollEventLoopGroup(threads);
        }
    },

    /** Without a class. */
    NIO_CONSTRUCTORS(null, null, () -> NioIoHandler.newFactory()) {
        @Override
        ServerBootstrap listen(ServerBootstrap bootstrap) {
            return bootstrap.channelFactory(NioServerSocketChannel::new);
        }

        @Override
        Bootstrap connect(Bootstrap bootstrap) {
            return bootstrap.channelFactory(NioSocketChannel::new);
        }
    },

    /** Classes of the program. */
    NIO_SUBCLASSES(() -> OwnServerChannel.class, () -> OwnChannel.class, () -> NioIoHandler.newFactory()),

    NIO_OF_ANOTHER_PROVIDER(() -> NioServerSocketChannel.class, () -> NioSocketChannel.class,
            () -> NioIoHandler.newFactory(new OtherProvider(), DefaultSelectStrategyFactory.INSTANCE));

    private final Supplier<Class<? extends ServerChannel>> server;
    private final Supplier<Class<? extends Channel>> client;
    private final Supplier<IoHandlerFactory> handlers;

    /** Classes that are not used may be missing. */
    Transport(Supplier<Class<? extends ServerChannel>> server, Supplier<Class<? extends Channel>> client,
            Supplier<IoHandlerFactory> handlers) {
        this.server = server;
        this.client = client;
        this.handlers = handlers;
    }

    EventLoopGroup newGroup(int threads) {
        return new MultiThreadIoEventLoopGroup(threads, handlers.get());
    }

    ServerBootstrap listen(ServerBootstrap bootstrap) {
        return bootstrap.channel(server.get());
    }

    Bootstrap connect(Bootstrap bootstrap) {
        return bootstrap.channel(client.get());
    }

    /** What frameworks ask to detect the transport. */
    void examine(EventLoopGroup group) {
        IoEventLoopGroup loops = (IoEventLoopGroup) group;
        System.out.println("asks: " + loops.isIoType(NioIoHandler.class) + ' ' + loops.isIoType(EpollIoHandler.class)
                + ' ' + loops.isCompatible(NioIoHandle.class) + ' ' + loops.isCompatible(EpollIoHandle.class)
                + ' ' + (group.next() instanceof IoEventLoop));
    }
}
