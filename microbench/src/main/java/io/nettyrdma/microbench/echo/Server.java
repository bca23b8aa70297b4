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
 * The server's process. It listens on one transport at a time, because a busy loop takes a processor from the others
 * even if no client connects. Its parent sends commands on standard input:
 *
 * <pre>
 *   parent                           server
 *   ------                           ------
 *   rdma-busy round-trip 1 --------&gt; listens, on this number of loops
 *                        &lt;---------- server: 40123, its port
 *   close -------------------------&gt; closes all channels and loops
 *                        &lt;---------- server: closed
 *   end of input ------------------&gt; exits, also when the parent dies
 * </pre>
 */
public final class Server {

    /** The beginning of lines for the parent. */
    static final String ANSWER = "server: ";
    /** Enough for the connections that are opened at once. */
    private static final int BACKLOG = 4096;

    private Server() {
    }

    public static void main(String[] none) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String[] words = line.split(" ");
            serve(Transport.of(words[0]), Kind.of(words[1]), Integer.parseInt(words[2]), input);
        }
        // Nothing that still runs is needed any more.
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
