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

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.SocketChannel;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;

/** The server of a stream. Only two lines of {@link Transport#RDMA} differ between RDMA and TCP. */
final class EchoServer {

    private EchoServer() {
    }

    static Server start(Transport transport, InetSocketAddress address) throws IOException, InterruptedException {
        EventLoopGroup group = transport.newGroup(1);
        ChannelFuture bound = new ServerBootstrap()
                .group(group)
                .channel(transport.serverChannel())
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline().addLast(new EchoServerHandler());
                    }
                })
                .bind(address).await();
        if (!bound.isSuccess()) {
            group.shutdownGracefully();
            // An address that is taken, or not of this machine; other failures name their cure.
            throw new IOException("cannot listen on " + address + ": " + bound.cause().getMessage()
                    + (bound.cause() instanceof BindException
                            ? "; give another --port, or an address of this machine as --host" : ""), bound.cause());
        }
        return new Server(group, bound.channel());
    }
}
