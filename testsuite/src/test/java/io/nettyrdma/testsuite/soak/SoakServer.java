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
package io.nettyrdma.testsuite.soak;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.fallback.RdmaOrTcpServerChannel;
import io.nettyrdma.testsuite.support.TestDevice;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** A listener on each loop. */
final class SoakServer {

    private final List<Channel> listeners = new ArrayList<>();

    SoakServer(Run run, Loops loops) throws InterruptedException {
        for (EventLoopGroup group : loops.groups()) {
            ServerBootstrap bootstrap = new ServerBootstrap().group(group);
            if (run.options().tcp() > 0) {
                // Of the children by RDMA alone.
                bootstrap.channel(RdmaOrTcpServerChannel.class).option(RdmaChannelOption.REMOTE_ACCESS, true);
            } else {
                bootstrap.channel(RdmaServerChannel.class).childOption(RdmaChannelOption.REMOTE_ACCESS, true);
            }
            bootstrap.childHandler(new ChannelInitializer<>() {
                @Override
                protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(End.ofServer(run));
                }
            });
            listeners.add(bootstrap.bind(new InetSocketAddress(TestDevice.get().ip(), 0)).sync().channel());
        }
    }

    List<InetSocketAddress> addresses() {
        return listeners.stream().map(listener -> (InetSocketAddress) listener.localAddress()).toList();
    }

    void close() {
        listeners.forEach(listener -> listener.close().syncUninterruptibly());
    }
}
