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
import io.grpc.ManagedChannelProvider;
import io.grpc.NameResolverProvider;
import io.grpc.NameResolverRegistry;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Collection;
import java.util.Set;

/**
 * Channels of {@code ManagedChannelBuilder} and {@code Grpc.newChannelBuilder}: grpc's own on Netty, which use RDMA if
 * the server has it. Domain sockets stay with grpc's provider for them. Names no class that may be missing, because
 * grpc creates it in any case. Any thread.
 *
 * @since 0.1.0
 */
public final class RdmaChannelProvider extends ManagedChannelProvider {

    @Override
    protected boolean isAvailable() {
        return Usability.isUsable();
    }

    /** {@inheritDoc} One more than that of grpc's own provider for Netty. */
    @Override
    protected int priority() {
        return Usability.PRIORITY;
    }

    @Override
    protected ManagedChannelBuilder<?> builderForAddress(String name, int port) {
        return RdmaChannels.newBuilder(name, port);
    }

    @Override
    protected ManagedChannelBuilder<?> builderForTarget(String target) {
        return RdmaChannels.newBuilder(target);
    }

    @Override
    protected NewChannelBuilderResult newChannelBuilder(String target, ChannelCredentials credentials) {
        return RdmaChannels.newBuilder(target, credentials);
    }

    @Override
    protected NewChannelBuilderResult newChannelBuilder(String target, ChannelCredentials credentials,
            NameResolverRegistry resolvers, NameResolverProvider resolver) {
        return RdmaChannels.newBuilder(target, credentials, resolvers, resolver);
    }

    @Override
    protected Collection<Class<? extends SocketAddress>> getSupportedSocketAddressTypes() {
        return Set.of(InetSocketAddress.class);
    }
}
