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
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.SocketChannel;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * An instance of a service on several machines, over TCP as a user of Netty writes it: it echoes, and has its peers
 * echo. It ends when its input does.
 */
public final class ServiceProgram {

    private static final int ROUNDS = 2_000;
    private static final int BYTES = 4096;
    private static final int SECONDS = 60;
    private static final int PAUSE_MILLIS = 100;

    private ServiceProgram() {
    }

    /** @param args the name of a {@link Transport}, a port, the own address, and those of the others. */
    public static void main(String[] args) throws Exception {
        Transport transport = Transport.valueOf(args[0]);
        int port = Integer.parseInt(args[1]);
        try (Loops loops = new Loops(transport)) {
            transport.listen(new ServerBootstrap()).group(loops.boss(), loops.workers())
                    .childHandler(new ChannelInitializer<SocketChannel>() {
                        @Override
                        protected void initChannel(SocketChannel child) {
                            child.pipeline().addLast(new Echo());
                        }
                    }).bind(args[2], port).sync();
            for (int i = 3; i < args.length; i++) {
                BlockingQueue<Integer> answers = new LinkedBlockingQueue<>();
                Channel peer = connect(transport, loops, args[i], port, answers);
                long start = System.nanoTime();
                for (int round = 0; round < ROUNDS; round++) {
                    peer.writeAndFlush(Unpooled.wrappedBuffer(new byte[BYTES]));
                    awaitAnswer(answers);
                }
                System.out.println("peer " + args[i] + ": " + TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - start)
                        / ROUNDS + " us");
                peer.close().sync();
            }
            System.out.println("done");
            while (System.in.read() >= 0) {
                continue;
            }
        }
    }

    /** Again until the peer listens. */
    private static Channel connect(Transport transport, Loops loops, String host, int port,
            BlockingQueue<Integer> answers) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        while (true) {
            var connect = transport.connect(new Bootstrap()).group(loops.workers())
                    .handler(new SimpleChannelInboundHandler<ByteBuf>() {
                        @Override
                        protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
                            answers.add(bytes.readableBytes());
                        }
                    }).connect(host, port).await();
            if (connect.isSuccess()) {
                return connect.channel();
            }
            if (System.nanoTime() > end) {
                throw new IllegalStateException("cannot connect to " + host, connect.cause());
            }
            Thread.sleep(PAUSE_MILLIS);
        }
    }

    private static void awaitAnswer(BlockingQueue<Integer> answers) throws InterruptedException {
        int missing = BYTES;
        while (missing > 0) {
            Integer next = answers.poll(SECONDS, TimeUnit.SECONDS);
            if (next == null) {
                throw new IllegalStateException("no answer");
            }
            missing -= next;
        }
    }

    private static final class Echo extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }
    }
}
