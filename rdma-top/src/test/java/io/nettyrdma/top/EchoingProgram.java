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
package io.nettyrdma.top;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.cm.DeviceAddress;
import io.nettyrdma.io.PollMode;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.io.RdmaIoHandlerConfig;

import java.net.InetSocketAddress;

/**
 * Two loops that send a message to and fro, until the standard input ends. Its argument, if there is one, names the
 * packages of a {@link RelocatedBean}.
 */
final class EchoingProgram {

    static final int BYTES = 4096;

    private EchoingProgram() {
    }

    public static void main(String[] arguments) throws Exception {
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> {
            System.err.println(failure);
            // The loops would keep the process, and the test would wait for its output.
            System.exit(1);
        });
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(2,
                RdmaIoHandler.newFactory(RdmaIoHandlerConfig.DEFAULT.withMode(PollMode.EVENT)));
        Channel server = new ServerBootstrap().group(group).channel(RdmaServerChannel.class).childHandler(new Echo())
                .bind(new InetSocketAddress(DeviceAddress.forLocalUse().address(), 0)).sync().channel();
        Channel client = new Bootstrap().group(group).channel(RdmaChannel.class).handler(new Echo())
                .connect(server.localAddress()).sync().channel();
        ByteBuf message = client.alloc().directBuffer(BYTES).writeZero(BYTES);
        client.writeAndFlush(message).sync();
        if (arguments.length > 0) {
            RelocatedBean.register(arguments[0]);
        }
        System.out.println("echoes");
        while (System.in.read() >= 0) {
            continue;
        }
        System.exit(0);
    }

    @ChannelHandler.Sharable
    private static final class Echo extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }
    }
}
