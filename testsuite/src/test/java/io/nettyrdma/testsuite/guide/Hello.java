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
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.nettyrdma.fallback.RdmaOrTcp;
import io.nettyrdma.fallback.RdmaOrTcpChannel;
import io.nettyrdma.fallback.RdmaOrTcpServerChannel;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

public final class Hello {

    private Hello() {
    }

    /** The server sends back every buffer that it reads. */
    static class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }
    }

    /** The client prints the answer and the transport of its connection. */
    static class Answer extends SimpleChannelInboundHandler<ByteBuf> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            System.out.println(message.toString(StandardCharsets.UTF_8) + ", by "
                    + RdmaOrTcp.transport(context.channel()));
            context.close();
        }
    }

    public static void main(String[] args) throws Exception {
        var group = new MultiThreadIoEventLoopGroup(2, RdmaOrTcp.newIoHandlerFactory());
        Channel server = new ServerBootstrap().group(group).channel(RdmaOrTcpServerChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new Echo());
                    }
                }).bind(0).sync().channel();
        int port = ((InetSocketAddress) server.localAddress()).getPort();

        Channel client = new Bootstrap().group(group).channel(RdmaOrTcpChannel.class).handler(new Answer())
                .connect(args.length == 0 ? "localhost" : args[0], port).sync().channel();
        client.writeAndFlush(ByteBufUtil.writeUtf8(client.alloc(), "hello"));
        client.closeFuture().sync();
        group.shutdownGracefully().sync();
    }
}
