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
package io.nettyrdma.example.efa;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.Future;
import io.nettyrdma.io.PollMode;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.io.RdmaIoHandlerConfig;

import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/**
 * Tries on each adapter of this machine, or on the software device, what the transport needs, and says what works. The
 * other end is another process, here or on another host. A report of it helps: no adapter was available.
 */
final class SelfCheck implements AutoCloseable {

    private static final int END_SECONDS = 10;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    private final EventLoopGroup sleepers = new MultiThreadIoEventLoopGroup(1,
            RdmaIoHandler.newFactory(RdmaIoHandlerConfig.DEFAULT.withMode(PollMode.EVENT)));
    private final PrintStream out;

    SelfCheck(PrintStream out) {
        this.out = out;
    }

    /** Between two processes of this machine. */
    boolean run() throws Exception {
        try (CheckPeerProcess peer = new CheckPeerProcess()) {
            return run(peer.address());
        }
    }

    /**
     * @param target where the other end exchanges addresses. Each connection gets the next of its adapters.
     * @return whether all works that the adapters of both ends say they have.
     */
    boolean run(InetSocketAddress target) throws Exception {
        boolean allWork = true;
        CheckedAdapters.printVersions(out);
        for (String adapter : CheckedAdapters.names()) {
            try (AdapterCheck check = new AdapterCheck(adapter, CheckedAdapters.print(adapter, out), group, sleepers,
                    out)) {
                allWork &= check.run(target);
            }
        }
        return allWork;
    }

    @Override
    public void close() {
        Future<?> ended = group.shutdownGracefully(0, END_SECONDS, TimeUnit.SECONDS);
        sleepers.shutdownGracefully(0, END_SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
        ended.syncUninterruptibly();
    }
}
