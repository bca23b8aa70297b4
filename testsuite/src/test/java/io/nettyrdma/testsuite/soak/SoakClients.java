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

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.fallback.RdmaOrTcpChannel;
import io.nettyrdma.fallback.RdmaOrTcpOption;
import io.nettyrdma.fallback.TransportPolicy;
import io.nettyrdma.testsuite.support.Deadline;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.SplittableRandom;

/** Keeps a fixed number of connections: when one ends, the next one follows. */
final class SoakClients {

    private static final int PATIENCE_MILLIS = 60_000;
    private static final int SMALL_BUFFER = 1024;
    private static final int SMALL_WINDOW = 16;
    private static final int KEEPALIVE_MILLIS = Deadline.scaledMillis(5_000);

    private final Run run;
    private final List<EventLoopGroup> groups;
    private final List<InetSocketAddress> servers;

    SoakClients(Run run, Loops loops, List<InetSocketAddress> servers) {
        this.run = run;
        groups = loops.groups();
        this.servers = servers;
    }

    void start() {
        SplittableRandom random = new SplittableRandom(run.options().seed());
        for (int i = 0; i < run.options().connections(); i++) {
            connect(i, random.split());
        }
    }

    /** Connects each client loop to each server loop. */
    private void connect(int number, SplittableRandom random) {
        Plan plan = Plan.of(random.nextLong());
        Bootstrap bootstrap = new Bootstrap().group(groups.get(number % groups.size()))
                .channel(run.options().tcp() > 0 ? RdmaOrTcpChannel.class : RdmaChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, Deadline.scaledMillis(PATIENCE_MILLIS))
                .option(RdmaChannelOption.REMOTE_ACCESS, plan.isRemote())
                .handler(End.ofClient(run, plan));
        configure(bootstrap, random);
        if (run.options().tcp() > 0) {
            // An attempt that is given up makes the server warn of a peer that has left, which counts as a failure.
            bootstrap.option(RdmaOrTcpOption.HEAD_START_MILLIS, PATIENCE_MILLIS)
                    .option(RdmaOrTcpOption.POLICY, policy(plan, random));
        }
        InetSocketAddress server = servers.get(number / groups.size() % servers.size());
        bootstrap.connect(server).addListener((ChannelFuture connected) -> {
            if (connected.isSuccess()) {
                connected.channel().closeFuture().addListener(closed -> {
                    if (!run.isStopping()) {
                        connect(number, random);
                    }
                });
            } else if (!run.isStopping()) {
                run.verdict().failed("CANNOT CONNECT connection " + number, connected.cause());
            }
        });
    }

    /** Another one for each connection, to the same servers. */
    private TransportPolicy policy(Plan plan, SplittableRandom random) {
        // Netty 4.2.17's epoll removes a descriptor that waits for nothing, and does not add it again: a half closed
        // channel with data to write fails with ENOENT.
        if (plan.isRemote() || plan.ending() == Plan.Ending.HALF_CLOSE) {
            return TransportPolicy.RDMA_REQUIRED;
        }
        return random.nextInt(SoakOptions.TCP_OF) < run.options().tcp() ? TransportPolicy.TCP_ONLY
                : TransportPolicy.RDMA_PREFERRED;
    }

    private static void configure(Bootstrap bootstrap, SplittableRandom random) {
        switch (random.nextInt(6)) {
        case 0 -> bootstrap.option(RdmaChannelOption.RECEIVE_BUFFER_SIZE, SMALL_BUFFER);
        case 1 -> bootstrap.option(RdmaChannelOption.MAX_WINDOW, SMALL_WINDOW);
        case 2 -> bootstrap.option(RdmaChannelOption.KEEPALIVE_MILLIS, KEEPALIVE_MILLIS);
        default -> { /* as it is by default */ }
        }
    }
}
