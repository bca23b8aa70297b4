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

import io.grpc.ChannelCredentials;
import io.grpc.ManagedChannelBuilder;
import io.grpc.ManagedChannelProvider.NewChannelBuilderResult;
import io.grpc.NameResolverProvider;
import io.grpc.NameResolverRegistry;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyChannelProvider;
import io.nettyrdma.fallback.RdmaOrTcpChannel;

import java.net.InetSocketAddress;

/** grpc's builders of channels, with our channels and loops, which a program may replace. Any thread. */
final class RdmaChannels {

    private static final LoopPool WORKERS = new LoopPool(NettyChannelBuilder.class, "eventLoopGroupPool",
            LoopResource.WORKERS);

    private RdmaChannels() {
    }

    static ManagedChannelBuilder<?> newBuilder(String name, int port) {
        return withRdma(NettyChannelBuilder.forAddress(name, port));
    }

    static ManagedChannelBuilder<?> newBuilder(String target) {
        return withRdma(NettyChannelBuilder.forTarget(target));
    }

    static NewChannelBuilderResult newBuilder(String target, ChannelCredentials credentials) {
        return withRdma(new NettyChannelProvider().newChannelBuilder(target, credentials));
    }

    static NewChannelBuilderResult newBuilder(String target, ChannelCredentials credentials,
            NameResolverRegistry resolvers, NameResolverProvider resolver) {
        return withRdma(new NettyChannelProvider().newChannelBuilder(target, credentials, resolvers, resolver));
    }

    /** @param result without a builder if grpc does not know the credentials. */
    private static NewChannelBuilderResult withRdma(NewChannelBuilderResult result) {
        if (result.getChannelBuilder() != null) {
            withRdma((NettyChannelBuilder) result.getChannelBuilder());
        }
        return result;
    }

    private static NettyChannelBuilder withRdma(NettyChannelBuilder builder) {
        WORKERS.setFor(builder);
        return builder.channelType(RdmaOrTcpChannel.class, InetSocketAddress.class);
    }
}
