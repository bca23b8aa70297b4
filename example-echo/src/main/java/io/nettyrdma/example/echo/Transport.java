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
package io.nettyrdma.example.echo;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaCounters;

import java.io.IOException;
import java.net.InetSocketAddress;

/** What a program changes to use RDMA in place of TCP: the factory of I/O handlers and the channel classes. */
enum Transport {
    RDMA(RdmaServerChannel.class, RdmaChannel.class) {
        @Override
        IoHandlerFactory newFactory() {
            return RdmaIoHandler.newFactory();
        }

        @Override
        String path(Channel channel) {
            RdmaCounters counters = ((RdmaChannel) channel).loopCounters();
            long copied = counters.get(RdmaCounter.BYTES_COPIED_OUT);
            long sent = copied + counters.get(RdmaCounter.BYTES_GATHERED);
            return "SEND frames of " + channel.config().getOption(RdmaChannelOption.MAX_RECEIVE_BUFFER_SIZE)
                    + " bytes at most; " + copied * 100 / sent + " % copied into registered memory";
        }
    },
    /** Datagrams, which no stream's channel is for. */
    EFA(null, null) {
        @Override
        IoHandlerFactory newFactory() {
            return RdmaIoHandler.newFactory();
        }

        @Override
        Server newServer(InetSocketAddress address) throws IOException, InterruptedException {
            return DatagramServer.start(address);
        }

        @Override
        Client newClient(InetSocketAddress server) {
            return new DatagramClient(server);
        }
    },
    EPOLL(EpollServerSocketChannel.class, EpollSocketChannel.class) {
        @Override
        IoHandlerFactory newFactory() {
            return EpollIoHandler.newFactory();
        }
    },
    NIO(NioServerSocketChannel.class, NioSocketChannel.class) {
        @Override
        IoHandlerFactory newFactory() {
            return NioIoHandler.newFactory();
        }
    };

    private final Class<? extends ServerSocketChannel> serverChannel;
    private final Class<? extends SocketChannel> channel;

    Transport(Class<? extends ServerSocketChannel> serverChannel, Class<? extends SocketChannel> channel) {
        this.serverChannel = serverChannel;
        this.channel = channel;
    }

    abstract IoHandlerFactory newFactory();

    Server newServer(InetSocketAddress address) throws IOException, InterruptedException {
        return EchoServer.start(this, address);
    }

    Client newClient(InetSocketAddress server) {
        return new EchoClient(this, server);
    }

    boolean usesDevices() {
        return this == RDMA || this == EFA;
    }

    /** Describes how the channel has sent its bytes. It must have sent some. */
    String path(Channel sender) {
        return "the kernel's TCP";
    }

    EventLoopGroup newGroup(int threads) {
        return new MultiThreadIoEventLoopGroup(threads, newFactory());
    }

    Class<? extends ServerSocketChannel> serverChannel() {
        return serverChannel;
    }

    Class<? extends SocketChannel> channel() {
        return channel;
    }
}
