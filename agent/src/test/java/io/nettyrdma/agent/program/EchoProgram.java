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
package io.nettyrdma.agent.program;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.SocketChannel;

import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** An echo over TCP, as a user of Netty writes it: knows neither RDMA nor the agent. */
public final class EchoProgram {

    private static final int BYTES = 1 << 20;
    private static final int SECONDS = 20;

    private EchoProgram() {
    }

    /** @param args the name of a {@link Transport}, and a host. */
    public static void main(String[] args) throws Exception {
        Transport transport = Transport.valueOf(args[0]);
        String host = args.length > 1 ? args[1] : "127.0.0.1";
        try (Loops loops = new Loops(transport)) {
            transport.examine(loops.workers());
            Channel server = listen(transport, loops, host);
            System.out.println("listens: " + server.getClass().getSimpleName());
            CountDownLatch received = new CountDownLatch(BYTES);
            Channel client = connect(transport, loops, (InetSocketAddress) server.localAddress(), received);
            System.out.println("connected: " + client.getClass().getSimpleName());
            client.writeAndFlush(Unpooled.wrappedBuffer(new byte[BYTES])).sync();
            System.out.println("echoed: " + received.await(SECONDS, TimeUnit.SECONDS));
            client.close().sync();
            server.close().sync();
        }
        System.out.println("ended");
    }

    private static Channel listen(Transport transport, Loops loops, String host) throws InterruptedException {
        return transport.listen(new ServerBootstrap())
                .group(loops.boss(), loops.workers())
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                            @Override
                            public void channelRead(ChannelHandlerContext context, Object message) {
                                context.writeAndFlush(message);
                            }
                        });
                    }
                })
                .bind(host, 0).sync().channel();
    }

    private static Channel connect(Transport transport, Loops loops, InetSocketAddress address,
            CountDownLatch received) throws InterruptedException {
        return transport.connect(new Bootstrap())
                .group(loops.workers())
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(new SimpleChannelInboundHandler<ByteBuf>() {
                    @Override
                    protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
                        for (int i = bytes.readableBytes(); i > 0; i--) {
                            received.countDown();
                        }
                    }
                })
                .connect(address).sync().channel();
    }
}
