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
package io.nettyrdma.agent.beside;

import io.netty.bootstrap.AbstractBootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.ReflectiveChannelFactory;
import io.netty.channel.ServerChannel;
import io.netty.util.concurrent.EventExecutor;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.fallback.RdmaOrTcpChannel;
import io.nettyrdma.fallback.RdmaOrTcpServerChannel;
import io.nettyrdma.io.RdmaIoHandle;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.util.Iterator;
import java.util.Set;
import java.util.function.Consumer;

/** Swaps channels of TCP whose event loops, and those of their children, have RDMA; no others. */
final class ChannelSwaps {

    private static final Set<String> CLIENTS = Set.of("io.netty.channel.socket.nio.NioSocketChannel",
            "io.netty.channel.epoll.EpollSocketChannel", "io.netty.channel.uring.IoUringSocketChannel");
    private static final Set<String> SERVERS = Set.of("io.netty.channel.socket.nio.NioServerSocketChannel",
            "io.netty.channel.epoll.EpollServerSocketChannel", "io.netty.channel.uring.IoUringServerSocketChannel");

    private final Consumer<String> report;
    private final AddressRules addresses;
    private final boolean isRequired;

    /** @param isRequired then channels are swapped on any loop, so that none connects without RDMA. */
    ChannelSwaps(Consumer<String> report, AddressRules addresses, boolean isRequired) {
        this.report = report;
        this.addresses = addresses;
        this.isRequired = isRequired;
    }

    /**
     * The factory to use instead.
     *
     * @param factory the program's.
     * @param owner a bootstrap, or the event loop of the channel.
     */
    Object swap(Object factory, Object owner) {
        Class<?> type = typeOf(factory);
        if (type != null && !isSwapped(type)) {
            return factory;
        }
        if (!isRequired && !hasRdma(owner)) {
            report.accept("left alone: TCP channels on event loops without RDMA"
                    + (type == null ? "" : ", such as " + type.getSimpleName()));
            return factory;
        }
        ChannelFactory<?> own = (ChannelFactory<?>) factory;
        return type == null ? (ChannelFactory<Channel>) () -> swapNew(own.newChannel())
                : (ChannelFactory<Channel>) () -> newChannel(type, own);
    }

    /** The class of which the factory creates channels; {@code null} if only its channels show that. */
    private static Class<?> typeOf(Object factory) {
        if (factory.getClass() != ReflectiveChannelFactory.class) {
            return null;
        }
        try {
            Field constructor = ReflectiveChannelFactory.class.getDeclaredField("constructor");
            constructor.setAccessible(true);
            return ((Constructor<?>) constructor.get(factory)).getDeclaringClass();
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }

    private static boolean isSwapped(Class<?> type) {
        return CLIENTS.contains(type.getName()) || SERVERS.contains(type.getName()) || isOfChild(type);
    }

    /** A proxy connects by the class of the child that it serves. A program with a transport of its own means it. */
    private static boolean isOfChild(Class<?> type) {
        return type == RdmaChannel.class && type.getClassLoader() == ChannelSwaps.class.getClassLoader();
    }

    private static boolean hasRdma(Object owner) {
        if (owner instanceof AbstractBootstrap<?, ?> bootstrap) {
            return hasRdma(bootstrap.config().group()) && (!(bootstrap instanceof ServerBootstrap server)
                    || hasRdma(server.config().childGroup()));
        }
        return owner instanceof EventLoopGroup group && hasRdma(group);
    }

    /** Asks one loop, and not with {@code next}: the program's turn order stays. */
    private static boolean hasRdma(EventLoopGroup group) {
        Iterator<EventExecutor> loops = group.iterator();
        return loops.hasNext() && loops.next() instanceof IoEventLoop loop && loop.isCompatible(RdmaIoHandle.class);
    }

    /** @param own of the program, for the case that ours fails. */
    private Channel newChannel(Class<?> type, ChannelFactory<?> own) {
        try {
            return newChannel(type);
        } catch (RuntimeException | LinkageError e) {
            if (isRequired) {
                throw e;
            }
            report.accept("left alone: a " + type.getSimpleName() + " (" + e + ")");
            return own.newChannel();
        }
    }

    private Channel newChannel(Class<?> type) {
        boolean isServer = ServerChannel.class.isAssignableFrom(type);
        report.accept("swapped: " + type.getSimpleName() + " by " + (isServer ? "RdmaOrTcpServerChannel"
                : "RdmaOrTcpChannel"));
        Channel channel = isServer ? new RdmaOrTcpServerChannel() : new RdmaOrTcpChannel();
        addresses.applyTo(channel);
        return channel;
    }

    /** A channel that the program's factory has created. */
    private Channel swapNew(Channel channel) {
        if (!isSwapped(channel.getClass())) {
            return channel;
        }
        if (!NewChannels.isUntouched(channel)) {
            report.accept("left alone: a " + channel.getClass().getSimpleName() + " that was created with an address, "
                    + "handlers, attributes or options");
            return channel;
        }
        Channel swapped = newChannel(channel.getClass(), () -> channel);
        if (swapped != channel) {
            channel.unsafe().closeForcibly();
        }
        return swapped;
    }
}
