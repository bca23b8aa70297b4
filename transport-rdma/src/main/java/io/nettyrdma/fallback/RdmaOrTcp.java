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
package io.nettyrdma.fallback;

import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.nettyrdma.Rdma;
import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.recorder.Recorder;

import java.net.InetSocketAddress;
import java.util.concurrent.atomic.LongAdder;

/**
 * RDMA where it can be had, else TCP: the event loops, and what was chosen. Any thread.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class RdmaOrTcp {

    /** How a connection is made. */
    public enum Transport {
        /** By RDMA. */
        RDMA,
        /** By TCP. */
        TCP
    }

    private static final LongAdder BY_RDMA = new LongAdder();
    private static final LongAdder[] BY_TCP = new LongAdder[FallbackReason.values().length];

    static {
        for (int i = 0; i < BY_TCP.length; i++) {
            BY_TCP[i] = new LongAdder();
        }
    }

    private RdmaOrTcp() {
    }

    /**
     * {@return a factory for loops that have RDMA and epoll if {@link Rdma#isAvailable}, else of epoll, and where that
     * is not available either, of NIO} Channels of this package work on other loops as well.
     */
    public static IoHandlerFactory newIoHandlerFactory() {
        Throwable cause = Rdma.unavailabilityCause();
        Fallbacks.unavailable(cause);
        if (cause == null) {
            return RdmaIoHandler.newFactory();
        }
        return Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    }

    /**
     * Says how the connection of a channel is made.
     *
     * @param channel a {@link RdmaOrTcpChannel}, a child of a {@link RdmaOrTcpServerChannel}, or another channel of
     *        this library or of Netty.
     * @return {@code null} of a {@link RdmaOrTcpChannel} that never was active.
     */
    public static Transport transport(Channel channel) {
        Channel own = channel;
        if (channel instanceof RdmaOrTcpChannel either) {
            if (!either.isSettled()) {
                return null;
            }
            own = either.current();
        }
        return own instanceof RdmaChannel || own instanceof RdmaServerChannel ? Transport.RDMA : Transport.TCP;
    }

    /**
     * {@return the server channel of a child, by either transport; {@code null} if it is no child of one}
     *
     * @param parent the child's. By RDMA it is the server channel already, by TCP a listener of the server's.
     */
    public static RdmaOrTcpServerChannel server(Channel parent) {
        if (parent instanceof RdmaOrTcpServerChannel server) {
            return server;
        }
        return parent == null ? null : RdmaOrTcpServerChannel.of(parent);
    }

    /** {@return the connections that {@link RdmaOrTcpChannel}s of this process have made by RDMA} */
    public static long connectionsByRdma() {
        return BY_RDMA.sum();
    }

    /**
     * {@return the connections that {@link RdmaOrTcpChannel}s of this process have made by TCP}
     *
     * @param reason for which they were.
     */
    public static long connectionsByTcp(FallbackReason reason) {
        return BY_TCP[reason.ordinal()].sum();
    }

    /** @param fallback {@code null} if it is by RDMA. */
    static void connected(Channel by, InetSocketAddress peer, Fallback fallback) {
        if (fallback == null) {
            BY_RDMA.increment();
            Fallbacks.PEERS.useRdma(peer, ((RdmaChannel) by).device().toString());
            return;
        }
        BY_TCP[fallback.reason().ordinal()].increment();
        Recorder.fellBack(by.localAddress(), peer, fallback.text());
        Fallbacks.PEERS.useTcp(peer, fallback);
    }
}
