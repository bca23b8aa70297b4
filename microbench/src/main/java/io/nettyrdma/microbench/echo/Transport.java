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
package io.nettyrdma.microbench.echo;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SelectStrategy;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.cm.DeviceAddress;
import io.nettyrdma.fallback.RdmaOrTcpChannel;
import io.nettyrdma.fallback.RdmaOrTcpServerChannel;
import io.nettyrdma.io.PollMode;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.io.RdmaIoHandlerConfig;

import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/** The transports to compare: an event loop and its channels. Everything else is the same for all. */
enum Transport {
    RDMA_BUSY(PollMode.BUSY, null),
    RDMA_ADAPTIVE(PollMode.ADAPTIVE, null),
    RDMA_EVENT(PollMode.EVENT, null),
    /** As {@link #RDMA_BUSY}, with all messages copied into staging slots. */
    RDMA_COPYING(PollMode.BUSY, Integer.MAX_VALUE),
    /** As {@link #RDMA_BUSY}, with all messages gathered by the device. */
    RDMA_GATHERING(PollMode.BUSY, 1),
    EPOLL(EpollServerSocketChannel.class, EpollSocketChannel.class, EpollIoHandler::newFactory),
    /** Never sleeps, like {@link #RDMA_BUSY}, so wakeups are not the difference between the two. */
    EPOLL_BUSY(EpollServerSocketChannel.class, EpollSocketChannel.class,
            () -> EpollIoHandler.newFactory(0, () -> (ready, hasTasks) -> SelectStrategy.BUSY_WAIT)),
    NIO(NioServerSocketChannel.class, NioSocketChannel.class, NioIoHandler::newFactory),
    /** Its kernel may refuse it. */
    IO_URING(IoUringServerSocketChannel.class, IoUringSocketChannel.class, IoUringIoHandler::newFactory),
    /** As {@link #EPOLL}, through the channel that may use RDMA. */
    EITHER_EPOLL(RdmaOrTcpServerChannel.class, RdmaOrTcpChannel.class, EpollIoHandler::newFactory),
    /** As {@link #RDMA_ADAPTIVE}, through the channel that may use TCP. */
    EITHER_RDMA(RdmaOrTcpServerChannel.class, RdmaOrTcpChannel.class, RdmaIoHandler::newFactory),
    /** Sends nothing: the least that {@link Kind#ONE_WAY} costs with any transport. */
    FLOOR(null, FloorChannel.class, EpollIoHandler::newFactory);

    /** The transports that are measured by default. */
    static final List<Transport> USUAL = List.of(RDMA_BUSY, RDMA_ADAPTIVE, RDMA_EVENT, EPOLL, EPOLL_BUSY, NIO);

    private final Class<? extends ServerSocketChannel> serverChannel;
    private final Class<? extends DuplexChannel> channel;
    /** Creates the factory when it is needed: without a device there is none for RDMA. */
    private final Supplier<IoHandlerFactory> factory;
    private final Integer zeroCopyThreshold;

    Transport(PollMode mode, Integer zeroCopyThreshold) {
        this(RdmaServerChannel.class, RdmaChannel.class,
                () -> RdmaIoHandler.newFactory(RdmaIoHandlerConfig.DEFAULT.withMode(mode)), zeroCopyThreshold);
    }

    Transport(Class<? extends ServerSocketChannel> serverChannel, Class<? extends DuplexChannel> channel,
              Supplier<IoHandlerFactory> factory) {
        this(serverChannel, channel, factory, null);
    }

    Transport(Class<? extends ServerSocketChannel> serverChannel, Class<? extends DuplexChannel> channel,
              Supplier<IoHandlerFactory> factory, Integer zeroCopyThreshold) {
        this.serverChannel = serverChannel;
        this.channel = channel;
        this.factory = factory;
        this.zeroCopyThreshold = zeroCopyThreshold;
    }

    /** The transport that {@code name} stands for in an option. */
    static Transport of(String name) {
        for (Transport transport : values()) {
            if (transport.toString().equals(name)) {
                return transport;
            }
        }
        throw new IllegalArgumentException("no transport '" + name + "'");
    }

    /** Returns why this machine lacks the transport, or {@code null}. RDMA reports this itself, with its cure. */
    Throwable unavailabilityCause() {
        return this == IO_URING ? IoUring.unavailabilityCause() : null;
    }

    /** The address that the server listens on; the same each time. */
    InetAddress localAddress() throws IOException {
        return isRdma() ? DeviceAddress.forLocalUse().address() : InetAddress.getLoopbackAddress();
    }

    EventLoopGroup newGroup(int loops) {
        return new MultiThreadIoEventLoopGroup(loops, factory.get());
    }

    Class<? extends ServerSocketChannel> serverChannel() {
        return serverChannel;
    }

    Class<? extends DuplexChannel> channel() {
        return channel;
    }

    /** Whether a client of this transport needs a server. */
    boolean hasServer() {
        return serverChannel != null;
    }

    /** A channel option; {@code null} leaves the default. */
    Integer zeroCopyThreshold() {
        return zeroCopyThreshold;
    }

    boolean isRdma() {
        return channel == RdmaChannel.class || this == EITHER_RDMA;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
