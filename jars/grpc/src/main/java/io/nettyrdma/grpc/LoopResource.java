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
package io.nettyrdma.grpc;

import io.grpc.internal.SharedResourceHolder.Resource;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.NettyRuntime;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.internal.SystemPropertyUtil;
import io.nettyrdma.fallback.RdmaOrTcp;

import java.util.concurrent.TimeUnit;

/**
 * Loops that all servers and channels of this process share. They are as many as grpc's own, their threads do not keep
 * the JVM alive either, and grpc ends them a second after their last user has ended. Any thread.
 */
enum LoopResource implements Resource<EventLoopGroup> {

    /** Accepts. */
    BOSSES("grpc-rdma-boss") {
        @Override
        int threads() {
            return 1;
        }
    },

    /** Has the connections. */
    WORKERS("grpc-rdma-worker") {
        @Override
        int threads() {
            return SystemPropertyUtil.getInt("io.netty.eventLoopThreads", NettyRuntime.availableProcessors());
        }
    };

    private final String threadName;

    LoopResource(String threadName) {
        this.threadName = threadName;
    }

    abstract int threads();

    @Override
    public EventLoopGroup create() {
        return new MultiThreadIoEventLoopGroup(threads(), new DefaultThreadFactory(threadName, true),
                RdmaOrTcp.newIoHandlerFactory());
    }

    @Override
    public void close(EventLoopGroup loops) {
        loops.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }
}
