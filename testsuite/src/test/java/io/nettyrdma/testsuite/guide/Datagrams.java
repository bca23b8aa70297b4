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
package io.nettyrdma.testsuite.guide;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.AddressedEnvelope;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.DefaultAddressedEnvelope;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.nettyrdma.channel.DatagramExchange;
import io.nettyrdma.channel.DatagramPeer;
import io.nettyrdma.channel.RdmaDatagramChannel;
import io.nettyrdma.datagram.DatagramAddress;
import io.nettyrdma.remote.RemoteMemory;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Snippets of docs/guide.md: datagrams between channels that exchange their addresses over TCP. */
final class Datagrams {

    private Datagrams() {
    }

    static class Printer extends SimpleChannelInboundHandler<AddressedEnvelope<ByteBuf, DatagramAddress>> {
        @Override
        protected void channelRead0(ChannelHandlerContext context,
                                    AddressedEnvelope<ByteBuf, DatagramAddress> datagram) {
            System.out.println(datagram.content().toString(StandardCharsets.UTF_8) + " from " + datagram.sender());
        }
    }

    static RdmaDatagramChannel bind(EventLoopGroup group, Class<? extends RdmaDatagramChannel> type)
            throws InterruptedException {
        return (RdmaDatagramChannel) new Bootstrap().group(group)
                .channel(type)                               // RdmaDatagramChannel or EfaDatagramChannel
                .handler(new Printer())
                .bind(DatagramAddress.any()).sync().channel();
    }

    static Channel publish(EventLoopGroup group, InetSocketAddress address, RdmaDatagramChannel channel,
                           List<RemoteMemory> memories) throws InterruptedException {
        return new ServerBootstrap().group(group).channel(EpollServerSocketChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel connection) {
                        connection.pipeline().addLast(new DatagramExchange(channel, memories));
                    }
                }).bind(address).sync().channel();
    }

    static void send(EventLoopGroup group, InetSocketAddress server, RdmaDatagramChannel channel, ByteBuf data)
            throws InterruptedException {
        Bootstrap connections = new Bootstrap().group(group).channel(EpollSocketChannel.class);
        try (DatagramPeer peer = DatagramExchange.connect(connections, server, channel, List.of(), 30_000)
                .sync().getNow()) {
            channel.writeAndFlush(new DefaultAddressedEnvelope<>(data, peer.address())).sync();
        }
    }
}
