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
package io.nettyrdma.example.efa;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.nettyrdma.Rdma;
import io.nettyrdma.channel.DatagramExchange;
import io.nettyrdma.io.RdmaIoHandler;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The end of a self-check that answers. Each connection gets the next of its adapters. */
final class CheckPeer implements AutoCloseable {

    private static final int END_SECONDS = 10;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    private final List<CheckPeerAdapter> adapters = new ArrayList<>();
    private final Channel listener;

    CheckPeer(InetSocketAddress wish) throws Exception {
        try {
            for (String name : CheckedAdapters.names()) {
                adapters.add(new CheckPeerAdapter(group, name));
            }
            AtomicInteger next = new AtomicInteger();
            listener = new ServerBootstrap().group(group).channel(EpollServerSocketChannel.class)
                    .childHandler(new ChannelInitializer<Channel>() {
                        @Override
                        protected void initChannel(Channel tcp) {
                            CheckPeerAdapter adapter = adapters.get(Math.floorMod(next.getAndIncrement(),
                                    adapters.size()));
                            tcp.pipeline().addLast(new DatagramExchange(adapter.channel(), adapter.memories()));
                        }
                    }).bind(wish).sync().channel();
        } catch (Exception e) {
            close();
            throw e;
        }
    }

    /** For another process of this machine, which starts this one: prints the port, and ends with its input. */
    public static void main(String[] words) throws Exception {
        Rdma.ensureAvailability();
        try (CheckPeer peer = new CheckPeer(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            System.out.println(peer.port());
            while (System.in.read() >= 0) {
                continue;
            }
        }
    }

    int port() {
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    /** Serves until the program is ended. */
    void await() throws InterruptedException {
        listener.closeFuture().sync();
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, END_SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
        adapters.forEach(CheckPeerAdapter::release);
    }
}
