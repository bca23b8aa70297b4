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
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.uring.IoUringDatagramChannel;

import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Datagrams, as a resolver of names sends them, on the loops that TCP channels have. */
public final class DatagramProgram {

    private static final int MESSAGES = 200;
    private static final int SECONDS = 20;

    private DatagramProgram() {
    }

    /** @param args NIO or IO_URING. */
    public static void main(String[] args) throws Exception {
        CountDownLatch answers = new CountDownLatch(MESSAGES);
        boolean isNio = args[0].equals("NIO");
        Class<? extends Channel> type = isNio ? NioDatagramChannel.class : IoUringDatagramChannel.class;
        try (Loops loops = new Loops(isNio ? Transport.NIO : Transport.IO_URING)) {
            Channel server = bind(loops, type, new SimpleChannelInboundHandler<DatagramPacket>() {
                @Override
                protected void channelRead0(ChannelHandlerContext context, DatagramPacket packet) {
                    context.writeAndFlush(new DatagramPacket(packet.content().retain(), packet.sender()));
                }
            });
            Channel client = bind(loops, type, new SimpleChannelInboundHandler<DatagramPacket>() {
                @Override
                protected void channelRead0(ChannelHandlerContext context, DatagramPacket packet) {
                    answers.countDown();
                }
            });
            // One at a time: each answer must wake a loop that sleeps.
            for (long left = MESSAGES; left > 0; left--) {
                client.writeAndFlush(new DatagramPacket(Unpooled.wrappedBuffer(new byte[64]),
                        (InetSocketAddress) server.localAddress()));
                long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
                while (answers.getCount() >= left && System.nanoTime() < end) {
                    Thread.onSpinWait();
                }
            }
            System.out.println("answered: " + (answers.getCount() == 0));
            client.close().sync();
            server.close().sync();
        }
        System.out.println("ended");
    }

    private static Channel bind(Loops loops, Class<? extends Channel> type, ChannelHandler handler)
            throws InterruptedException {
        return new Bootstrap().group(loops.workers()).channel(type).handler(handler)
                .bind("127.0.0.1", 0).sync().channel();
    }
}
