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
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** As the proxy of Netty's examples: connects on by a channel of the class of the one that it accepted. */
public final class ProxyProgram {

    private static final int SECONDS = 20;

    private ProxyProgram() {
    }

    /** @param args none. */
    public static void main(String[] args) throws Exception {
        try (ServerSocket back = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
                Loops loops = new Loops(Transport.NIO_ALONE)) {
            new Thread(() -> echo(back)).start();
            Channel proxy = new ServerBootstrap().group(loops.boss(), loops.workers())
                    .channel(NioServerSocketChannel.class).childOption(ChannelOption.AUTO_READ, false)
                    .childHandler(new Front(new InetSocketAddress(back.getInetAddress(), back.getLocalPort())))
                    .bind("127.0.0.1", 0).sync().channel();
            CompletableFuture<Integer> answer = new CompletableFuture<>();
            Channel client = new Bootstrap().group(loops.workers()).channel(NioSocketChannel.class)
                    .handler(new ChannelInboundHandlerAdapter() {
                        @Override
                        public void channelRead(ChannelHandlerContext context, Object message) {
                            answer.complete((int) ((ByteBuf) message).readByte());
                            ((ByteBuf) message).release();
                        }
                    }).connect(proxy.localAddress()).sync().channel();
            client.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {42}));
            System.out.println("answer: " + answer.get(SECONDS, TimeUnit.SECONDS));
            client.close().sync();
            proxy.close().sync();
        }
        System.out.println("ended");
    }

    /** One byte. */
    private static void echo(ServerSocket back) {
        try (Socket socket = back.accept()) {
            socket.getOutputStream().write(socket.getInputStream().read());
            socket.getInputStream().read();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ChannelHandler.Sharable
    private static final class Front extends ChannelInboundHandlerAdapter {

        private final InetSocketAddress back;

        Front(InetSocketAddress back) {
            this.back = back;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            Channel inbound = context.channel();
            new Bootstrap().group(inbound.eventLoop()).channel(inbound.getClass())
                    .handler(new ChannelInboundHandlerAdapter() {
                        @Override
                        public void channelRead(ChannelHandlerContext own, Object message) {
                            inbound.writeAndFlush(message);
                        }
                    }).connect(back).addListener((ChannelFutureListener) connected -> {
                        if (connected.isSuccess()) {
                            inbound.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                                @Override
                                public void channelRead(ChannelHandlerContext own, Object message) {
                                    connected.channel().writeAndFlush(message);
                                }

                                @Override
                                public void channelInactive(ChannelHandlerContext own) {
                                    connected.channel().close();
                                }
                            });
                            inbound.config().setAutoRead(true);
                        } else {
                            System.out.println("failed: " + connected.cause());
                            inbound.close();
                        }
                    });
        }
    }
}
