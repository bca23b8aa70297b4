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
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.nettyrdma.example.ServerAddress;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The client of a stream, on one connection or many. */
final class EchoClient implements Client {

    private static final int END_SECONDS = 10;

    private final EventLoopGroup group;
    private final Transport transport;
    private final InetSocketAddress server;

    EchoClient(Transport transport, InetSocketAddress server) {
        this.transport = transport;
        this.server = server;
        group = transport.newGroup(1);
    }

    @Override
    public EchoResult run(EchoOptions options, int window, String what) throws Exception {
        EchoResult result = new EchoResult(what, options);
        Bootstrap bootstrap = new Bootstrap()
                .group(group)
                .channel(transport.channel())
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline().addLast(new EchoClientHandler(options.size(), window, result));
                    }
                });
        List<Channel> channels = new ArrayList<>();
        for (int i = 0; i < options.connections(); i++) {
            ChannelFuture connected = bootstrap.connect(server).await();
            if (!connected.isSuccess()) {
                throw failure(connected.cause(), !transport.usesDevices());
            }
            channels.add(connected.channel());
        }
        result.await();
        result.path(transport.path(channels.get(0)));
        for (Channel channel : channels) {
            channel.close().sync();
        }
        return result;
    }

    /**
     * Only a missing listener is cured by starting a server; other failures name their cure.
     *
     * @param tcp only the kernel refuses a connection of TCP.
     */
    static IOException failure(Throwable cause, boolean tcp) {
        String advice = "";
        if (cause instanceof ConnectTimeoutException) {
            advice = "; is the host up, and does bin/echo server run there?";
        } else if (cause instanceof ConnectException && (tcp || ServerAddress.isListenerMissing(cause))) {
            advice = "; start bin/echo server there, with the same --port and --transport";
        }
        return new IOException("cannot connect: " + cause.getMessage() + advice, cause);
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, END_SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
