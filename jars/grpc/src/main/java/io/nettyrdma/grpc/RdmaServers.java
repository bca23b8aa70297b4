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

import io.grpc.ServerBuilder;
import io.grpc.ServerCredentials;
import io.grpc.ServerProvider.NewServerBuilderResult;
import io.grpc.netty.NettyServerBuilder;
import io.nettyrdma.fallback.RdmaOrTcpServerChannel;

/** grpc's builders of servers, with our channels and loops, which a program may replace. Any thread. */
final class RdmaServers {

    private static final LoopPool BOSSES = new LoopPool(NettyServerBuilder.class, "bossEventLoopGroupPool",
            LoopResource.BOSSES);
    private static final LoopPool WORKERS = new LoopPool(NettyServerBuilder.class, "workerEventLoopGroupPool",
            LoopResource.WORKERS);

    private RdmaServers() {
    }

    static ServerBuilder<?> newBuilder(int port) {
        return withRdma(NettyServerBuilder.forPort(port));
    }

    static NewServerBuilderResult newBuilder(int port, ServerCredentials credentials) {
        NettyServerBuilder builder;
        try {
            builder = NettyServerBuilder.forPort(port, credentials);
        } catch (IllegalArgumentException e) {
            // Credentials that Netty's servers do not know: grpc asks the next provider.
            return NewServerBuilderResult.error(e.getMessage());
        }
        return NewServerBuilderResult.serverBuilder(withRdma(builder));
    }

    private static NettyServerBuilder withRdma(NettyServerBuilder builder) {
        BOSSES.setFor(builder);
        WORKERS.setFor(builder);
        return builder.channelType(RdmaOrTcpServerChannel.class);
    }
}
