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
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.AttributeKey;

import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/** A server that keeps what it knows in the attributes of its channel, where its children look for it. */
public final class ParentProgram {

    private static final AttributeKey<String> KNOWN = AttributeKey.valueOf("known");
    private static final int SECONDS = 20;

    private ParentProgram() {
    }

    /** @param args the name of a {@link Transport}. */
    public static void main(String[] args) throws Exception {
        Transport transport = Transport.valueOf(args[0]);
        BlockingQueue<SocketChannel> children = new ArrayBlockingQueue<>(1);
        try (Loops loops = new Loops(transport)) {
            Channel server = transport.listen(new ServerBootstrap()).group(loops.boss(), loops.workers())
                    .attr(KNOWN, "attribute")
                    .childHandler(new ChannelInitializer<SocketChannel>() {
                        @Override
                        protected void initChannel(SocketChannel child) {
                            children.add(child);
                        }
                    })
                    .bind("127.0.0.1", 0).sync().channel();
            InetSocketAddress address = (InetSocketAddress) server.localAddress();
            Channel client = transport.connect(new Bootstrap()).group(loops.workers())
                    .handler(new ChannelInboundHandlerAdapter()).connect(address).sync().channel();
            System.out.println("parent of " + client.getClass().getSimpleName() + ": " + client.parent());
            print(children, server);
            client.close().sync();
            Socket byTcp = new Socket(address.getAddress(), address.getPort());
            print(children, server);
            byTcp.close();
            server.close().sync();
        }
        System.out.println("ended");
    }

    private static void print(BlockingQueue<SocketChannel> children, Channel server) throws InterruptedException {
        SocketChannel child = children.poll(SECONDS, TimeUnit.SECONDS);
        System.out.println("parent of " + child.getClass().getSimpleName() + ": " + (child.parent() == server) + ' '
                + child.parent().attr(KNOWN).get());
    }
}
