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
package io.nettyrdma.microbench.echo;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.nettyrdma.channel.RdmaChannelOption;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * The server's process. It listens on one transport at a time, since a busy loop takes a processor from the others even
 * if nobody connects. What its parent says on standard input:
 *
 * <pre>
 *   parent                           server
 *   ------                           ------
 *   rdma-busy round-trip 1 --------&gt; listens, on so many loops
 *                        &lt;---------- server: 40123, its port
 *   close ------------------------&gt; ends all of it
 *                        &lt;---------- server: closed
 *   end of input ------------------&gt; exits; that is also what happens when the parent dies
 * </pre>
 */
public final class Server {

    /** What the lines for the parent begin with. */
    static final String ANSWER = "server: ";
    /** As many connections as are made at once. */
    private static final int BACKLOG = 4096;

    private Server() {
    }

    public static void main(String[] none) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String[] words = line.split(" ");
            serve(Transport.of(words[0]), Kind.of(words[1]), Integer.parseInt(words[2]), input);
        }
        // Whatever still runs, nobody wants it any more.
        System.exit(0);
    }

    private static void serve(Transport transport, Kind kind, int loops, BufferedReader input) throws Exception {
        EventLoopGroup group = transport.newGroup(loops);
        try {
            Channel listener = new ServerBootstrap()
                    .group(group)
                    .channel(transport.serverChannel())
                    .option(ChannelOption.SO_BACKLOG, BACKLOG)
                    .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                    .childOption(RdmaChannelOption.ZERO_COPY_THRESHOLD, transport.zeroCopyThreshold())
                    .childHandler(new ChannelInitializer<SocketChannel>() {
                        @Override
                        protected void initChannel(SocketChannel channel) {
                            channel.pipeline().addLast(kind.serverHandler());
                        }
                    })
                    .bind(transport.localAddress(), 0).sync().channel();
            System.out.println(ANSWER + ((InetSocketAddress) listener.localAddress()).getPort());
            input.readLine();
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        }
        System.out.println(ANSWER + "closed");
    }
}
