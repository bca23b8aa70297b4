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

import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.protobuf.services.HealthStatusManager;
import io.nettyrdma.fallback.FallbackReason;
import io.nettyrdma.fallback.RdmaOrTcp;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** A server and a client of grpc's health service, and a count of the connections that our channels make meanwhile. */
final class HealthProgram implements AutoCloseable {

    private static final int SECONDS = 30;

    private final long rdmaBefore = RdmaOrTcp.connectionsByRdma();
    private final long tcpBefore = connectionsByTcp();
    private final Server server;
    private final ManagedChannel channel;

    /** @param clients from the port of the server. */
    HealthProgram(ServerBuilder<?> servers, IntFunction<ManagedChannelBuilder<?>> clients) throws IOException {
        server = servers.addService(new HealthStatusManager().getHealthService()).build().start();
        channel = clients.apply(server.getPort()).build();
    }

    ServingStatus check() {
        return HealthGrpc.newBlockingStub(channel).withDeadlineAfter(SECONDS, TimeUnit.SECONDS)
                .check(HealthCheckRequest.getDefaultInstance()).getStatus();
    }

    /** Makes a call, and checks how the connection was made. */
    void assertServes(int byRdma, int byTcp) {
        assertThat(check()).isEqualTo(ServingStatus.SERVING);
        assertThat(RdmaOrTcp.connectionsByRdma() - rdmaBefore).as("connections by RDMA").isEqualTo(byRdma);
        assertThat(connectionsByTcp() - tcpBefore).as("connections by TCP").isEqualTo(byTcp);
    }

    private static long connectionsByTcp() {
        return Stream.of(FallbackReason.values()).mapToLong(RdmaOrTcp::connectionsByTcp).sum();
    }

    @Override
    public void close() {
        channel.shutdownNow();
        server.shutdownNow();
        try {
            assertThat(channel.awaitTermination(SECONDS, TimeUnit.SECONDS)).as("the channel ends").isTrue();
            assertThat(server.awaitTermination(SECONDS, TimeUnit.SECONDS)).as("the server ends").isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
