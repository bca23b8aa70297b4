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
package io.nettyrdma.spring;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ReflectiveChannelFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.unix.DomainSocketChannel;
import io.netty.channel.unix.ServerDomainSocketChannel;
import io.netty.util.concurrent.Future;
import io.nettyrdma.fallback.RdmaOrTcp;
import io.nettyrdma.fallback.RdmaOrTcpChannel;
import io.nettyrdma.fallback.RdmaOrTcpServerChannel;
import reactor.core.publisher.Mono;
import reactor.netty.FutureMono;
import reactor.netty.resources.LoopResources;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * As many loops as Reactor Netty's own, and channels that use RDMA if their peers have it. Datagrams and domain sockets
 * are epoll's, which these loops accept, or NIO's where there is no epoll. Any thread.
 */
final class RdmaLoopResources implements LoopResources {

    /** Of the kinds of channels that Reactor Netty does not know on our loops. */
    private static final Map<Class<? extends Channel>, Class<? extends Channel>> CLASSES = Epoll.isAvailable()
            ? Map.of(SocketChannel.class, RdmaOrTcpChannel.class,
                    ServerSocketChannel.class, RdmaOrTcpServerChannel.class,
                    DatagramChannel.class, EpollDatagramChannel.class,
                    DomainSocketChannel.class, EpollDomainSocketChannel.class,
                    ServerDomainSocketChannel.class, EpollServerDomainSocketChannel.class)
            : Map.of(SocketChannel.class, RdmaOrTcpChannel.class,
                    ServerSocketChannel.class, RdmaOrTcpServerChannel.class);

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(DEFAULT_IO_WORKER_COUNT,
            new LoopThreads("reactor-rdma"), RdmaOrTcp.newIoHandlerFactory());
    /** The same: a client that is used on a loop stays there. */
    private final EventLoopGroup clientLoops = LoopResources.colocate(loops);

    @Override
    public EventLoopGroup onServer(boolean useNative) {
        return loops;
    }

    @Override
    public EventLoopGroup onClient(boolean useNative) {
        return clientLoops;
    }

    @Override
    public <C extends Channel> C onChannel(Class<C> type, EventLoopGroup group) {
        return new ReflectiveChannelFactory<>(onChannelClass(type, group)).newChannel();
    }

    @Override
    public <C extends Channel> Class<? extends C> onChannelClass(Class<C> type, EventLoopGroup group) {
        Class<? extends Channel> own = CLASSES.get(type);
        return own == null ? LoopResources.super.onChannelClass(type, group) : own.asSubclass(type);
    }

    @Override
    public Mono<Void> disposeLater(Duration quietPeriod, Duration timeout) {
        return Mono.defer(() -> FutureMono.from(shutdown(quietPeriod, timeout)));
    }

    @SuppressWarnings("unchecked")
    private Future<Void> shutdown(Duration quietPeriod, Duration timeout) {
        return (Future<Void>) loops.shutdownGracefully(quietPeriod.toMillis(),
                timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public boolean isDisposed() {
        return loops.isShuttingDown();
    }
}
