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
package io.nettyrdma.microbench.operations;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.io.PollMode;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.io.RdmaIoHandlerConfig;
import io.nettyrdma.microbench.echo.Figure;

import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Two connected channels on one busy loop, which thus has the work of both ends, as the thread of a {@link BindingPair}
 * has. Close it before anything else is measured: the loop polls all the time.
 */
final class ChannelPair implements AutoCloseable {

    private static final int PATIENCE_SECONDS = 20;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1,
            RdmaIoHandler.newFactory(RdmaIoHandlerConfig.DEFAULT.withMode(PollMode.BUSY)));
    /** Fails with either channel. */
    private final CompletableFuture<Object> failure = new CompletableFuture<>();
    private final ChannelEnd client;
    private final ChannelEnd server;

    /** @param size bytes of the longest operation. */
    ChannelPair(LocalPort port, int size) throws Exception {
        Arrivals atServer = new Arrivals(failure);
        Arrivals atClient = new Arrivals(failure);
        CompletableFuture<RdmaChannel> accepted = new CompletableFuture<>();
        Channel listener = new ServerBootstrap().group(group).channel(RdmaServerChannel.class)
                .childOption(RdmaChannelOption.REMOTE_ACCESS, true)
                .childHandler(new ChannelInitializer<RdmaChannel>() {
                    @Override
                    protected void initChannel(RdmaChannel channel) {
                        channel.pipeline().addLast(new ActiveNotice(accepted), atServer);
                    }
                }).bind(new InetSocketAddress(port.address(), 0)).sync().channel();
        RdmaChannel connected = (RdmaChannel) new Bootstrap().group(group).channel(RdmaChannel.class)
                .option(RdmaChannelOption.REMOTE_ACCESS, true).handler(atClient)
                .connect(listener.localAddress()).sync().channel();
        client = new ChannelEnd(connected, atClient, port, size);
        server = new ChannelEnd(accepted.get(PATIENCE_SECONDS, TimeUnit.SECONDS), atServer, port, size);
    }

    /** Measures one operation at a time. */
    Figure latency(Operation operation, int size, long nanos) throws Exception {
        CompletableFuture<Object> result = new CompletableFuture<>();
        ChannelLatency latency = new ChannelLatency(client, operation, nanos, result);
        server.begin(operation, size, client, () -> server.post(server.channel().voidPromise()));
        client.begin(operation, size, server, latency::done);
        client.channel().eventLoop().execute(latency::start);
        CompletableFuture.anyOf(result, failure).get(TimeUnit.NANOSECONDS.toSeconds(nanos) + PATIENCE_SECONDS,
                TimeUnit.SECONDS);
        server.check(latency.count(), client);
        client.check(latency.count(), server);
        client.checkOneSided(latency.count(), server);
        return latency.figure();
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, PATIENCE_SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
        client.release();
        server.release();
    }
}
