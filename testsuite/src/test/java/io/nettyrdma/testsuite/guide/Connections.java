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
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.handler.ssl.SslContext;
import io.nettyrdma.Rdma;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.cm.DeviceAddress;
import io.nettyrdma.io.PollMode;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.io.RdmaIoHandlerConfig;

import java.io.IOException;
import java.net.InetSocketAddress;

/** Snippets of docs/guide.md: servers and clients by RDMA alone, and TLS. */
final class Connections {

    private Connections() {
    }

    static EventLoopGroup loops() throws IOException {
        Rdma.ensureAvailability();                           // throws, and names what is missing
        for (DeviceAddress each : DeviceAddress.list()) {    // the addresses at which a server can listen
            System.out.println(each.address() + " of " + each.device());
        }
        return new MultiThreadIoEventLoopGroup(2,
                RdmaIoHandler.newFactory(RdmaIoHandlerConfig.DEFAULT.withMode(PollMode.EVENT)));
    }

    static Channel listen(EventLoopGroup group, InetSocketAddress address) throws InterruptedException {
        return new ServerBootstrap().group(group)
                .channel(RdmaServerChannel.class)
                .option(ChannelOption.SO_BACKLOG, 400)
                .childOption(RdmaChannelOption.MAX_WINDOW, 64)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new Hello.Echo());
                    }
                })
                .bind(address).sync().channel();
    }

    static RdmaChannel connect(EventLoopGroup group, InetSocketAddress server, ChannelHandler handler)
            throws InterruptedException {
        RdmaChannel channel = (RdmaChannel) new Bootstrap().group(group)
                .channel(RdmaChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 5_000)
                .handler(handler)
                .connect(server).sync().channel();           // throws a ConnectException with the reason
        System.out.println("connected by " + channel.device().name());
        return channel;
    }

    static ChannelInitializer<Channel> secured(SslContext tls, ChannelHandler handler) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(tls.newHandler(channel.alloc()), handler);
            }
        };
    }
}
