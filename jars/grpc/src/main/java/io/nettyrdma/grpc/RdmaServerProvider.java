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
import io.grpc.ServerProvider;

/**
 * Servers of {@code ServerBuilder.forPort} and {@code Grpc.newServerBuilderForPort}: grpc's own on Netty, which listen
 * for RDMA too. Names no class that may be missing, because grpc creates it in any case. Any thread.
 *
 * @since 0.1.0
 */
public final class RdmaServerProvider extends ServerProvider {

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
    protected ServerBuilder<?> builderForPort(int port) {
        return RdmaServers.newBuilder(port);
    }

    @Override
    protected NewServerBuilderResult newServerBuilderForPort(int port, ServerCredentials credentials) {
        return RdmaServers.newBuilder(port, credentials);
    }
}
