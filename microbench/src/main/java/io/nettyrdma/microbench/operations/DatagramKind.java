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
package io.nettyrdma.microbench.operations;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SelectStrategy;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.nettyrdma.channel.RdmaDatagramChannel;
import io.nettyrdma.datagram.DatagramAddress;
import io.nettyrdma.efa.EfaDatagramChannel;
import io.nettyrdma.io.PollMode;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.io.RdmaIoHandlerConfig;
import io.nettyrdma.verbs.QueuePairType;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.function.Supplier;

/** Two kinds of datagrams. */
enum DatagramKind {
    RDMA(() -> RdmaIoHandler.newFactory(RdmaIoHandlerConfig.DEFAULT.withMode(PollMode.BUSY)),
            RdmaIoHandler::newFactory) {
        @Override
        Bootstrap bootstrap(EventLoopGroup group, LocalPort port) {
            return new Bootstrap().group(group).channel(port.datagrams() == QueuePairType.SRD
                    ? EfaDatagramChannel.class : RdmaDatagramChannel.class);
        }

        @Override
        SocketAddress anyAddress(LocalPort port) {
            return DatagramAddress.any(port.device());
        }
    },
    UDP(() -> EpollIoHandler.newFactory(0, () -> (ready, hasTasks) -> SelectStrategy.BUSY_WAIT),
            EpollIoHandler::newFactory) {
        /** A datagram that is longer than the buffer is cut. */
        @Override
        Bootstrap bootstrap(EventLoopGroup group, LocalPort port) {
            return new Bootstrap().group(group).channel(EpollDatagramChannel.class)
                    .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(LONGEST));
        }

        @Override
        SocketAddress anyAddress(LocalPort port) {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        }
    };

    private static final int LONGEST = 8192;

    private final Supplier<IoHandlerFactory> busy;
    private final Supplier<IoHandlerFactory> usual;

    DatagramKind(Supplier<IoHandlerFactory> busy, Supplier<IoHandlerFactory> usual) {
        this.busy = busy;
        this.usual = usual;
    }

    /** One loop never sleeps. Several are as programs have them: two that never sleep need two processors. */
    EventLoopGroup newGroup(int loops) {
        return new MultiThreadIoEventLoopGroup(loops, (loops == 1 ? busy : usual).get());
    }

    abstract Bootstrap bootstrap(EventLoopGroup group, LocalPort port);

    /** To bind to. */
    abstract SocketAddress anyAddress(LocalPort port);
}
