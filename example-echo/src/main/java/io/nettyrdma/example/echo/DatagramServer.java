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

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.AddressedEnvelope;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.DefaultAddressedEnvelope;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.nettyrdma.channel.DatagramExchange;
import io.nettyrdma.datagram.DatagramAddress;
import io.nettyrdma.efa.EfaDatagramChannel;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;

/** Sends every datagram back. Clients learn of it over TCP, on the same event loop. */
final class DatagramServer {

    private DatagramServer() {
    }

    static Server start(InetSocketAddress address) throws IOException, InterruptedException {
        EventLoopGroup group = Transport.EFA.newGroup(1);
        ChannelFuture datagrams = new Bootstrap().group(group).channel(EfaDatagramChannel.class).handler(new Echo())
                .bind(DatagramAddress.any()).await();
        EfaDatagramChannel channel = (EfaDatagramChannel) datagrams.channel();
        ChannelFuture bound = datagrams.isSuccess() ? new ServerBootstrap()
                .group(group)
                .channel(EpollServerSocketChannel.class)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel tcp) {
                        tcp.pipeline().addLast(new DatagramExchange(channel, List.of()));
                    }
                })
                .bind(address).await() : datagrams;
        if (!bound.isSuccess()) {
            group.shutdownGracefully();
            throw new IOException("cannot serve on " + address + ": " + bound.cause().getMessage(), bound.cause());
        }
        return new Server(group, bound.channel());
    }

    private static final class Echo extends ChannelInboundHandlerAdapter {

        @Override
        @SuppressWarnings("unchecked")
        public void channelRead(ChannelHandlerContext context, Object message) {
            AddressedEnvelope<ByteBuf, DatagramAddress> datagram =
                    (AddressedEnvelope<ByteBuf, DatagramAddress>) message;
            context.write(new DefaultAddressedEnvelope<>(datagram.content(), datagram.sender()))
                    .addListener(sent -> {
                        if (!sent.isSuccess()) {
                            System.err.println("bin/echo: " + sent.cause().getMessage());
                        }
                    });
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }
    }
}
