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
package io.nettyrdma.microbench;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.io.RdmaIoHandler;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

import java.lang.management.ClassLoadingMXBean;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.function.Supplier;

/** What the first connect of a process costs, when both ends are in it and the server listens already. */
public final class FirstConnect {

    private enum Transport {
        EPOLL(EpollIoHandler::newFactory, EpollServerSocketChannel.class, EpollSocketChannel.class),
        RDMA(RdmaIoHandler::newFactory, RdmaServerChannel.class, RdmaChannel.class);

        private final Supplier<IoHandlerFactory> handlers;
        private final Class<? extends ServerChannel> listener;
        private final Class<? extends Channel> channel;

        Transport(Supplier<IoHandlerFactory> handlers, Class<? extends ServerChannel> listener,
                  Class<? extends Channel> channel) {
            this.handlers = handlers;
            this.listener = listener;
            this.channel = channel;
        }
    }

    /** Of one of the processes that the script starts. */
    @Command(name = "microbench/first-connect", description = "Measures the first connect of this process.")
    private static final class Options extends io.nettyrdma.program.Options {

        @Parameters(paramLabel = "TRANSPORT", index = "0", description = "epoll or rdma")
        private Transport transport;

        @Parameters(paramLabel = "ADDRESS", arity = "0..1", index = "1", defaultValue = "127.0.0.1",
                description = "of the device")
        private String host;
    }

    private FirstConnect() {
    }

    public static void main(String[] words) throws Exception {
        Options options = new Options();
        Program.run(options, words, () -> {
            Transport transport = options.transport;
            EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, transport.handlers.get());
            Channel listener = new ServerBootstrap().group(group).channel(transport.listener)
                    .childHandler(new Silent()).bind(Program.address(options.host)).sync().channel();
            Bootstrap bootstrap = new Bootstrap().group(group).channel(transport.channel).handler(new Silent());
            ClassLoadingMXBean classes = ManagementFactory.getClassLoadingMXBean();
            long loaded = classes.getTotalLoadedClassCount();
            long begin = System.nanoTime();
            bootstrap.connect(listener.localAddress()).sync();
            long first = System.nanoTime() - begin;
            long loadedByFirst = classes.getTotalLoadedClassCount() - loaded;
            begin = System.nanoTime();
            bootstrap.connect(listener.localAddress()).sync();
            long second = System.nanoTime() - begin;
            System.out.printf(Locale.ROOT, "%s %.1f %.1f %d%n", transport.name().toLowerCase(Locale.ROOT), first / 1e6,
                    second / 1e6, loadedByFirst);
        });
    }

    @ChannelHandler.Sharable
    private static final class Silent extends ChannelInboundHandlerAdapter {
    }
}
