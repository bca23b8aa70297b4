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
package io.nettyrdma.integrations;

import io.grpc.ManagedChannelBuilder;
import io.grpc.ServerBuilder;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.testing.integration.AbstractInteropTest;
import io.netty.channel.EventLoopGroup;

import java.net.InetSocketAddress;

/** grpc-java's interoperability tests, between a server and a client of a carrier. JUnit 4 makes an object for each. */
public final class GrpcInterop extends AbstractInteropTest {

    private static Carrier carrier;
    private static EventLoopGroup loops;

    private final InetSocketAddress address = new InetSocketAddress(Host.address(), Ports.next());

    /** Of all objects that are made from now on. */
    static void use(Carrier newCarrier, EventLoopGroup newLoops) {
        carrier = newCarrier;
        loops = newLoops;
    }

    @Override
    protected ServerBuilder<?> getServerBuilder() {
        return NettyServerBuilder.forAddress(address)
                .channelType(carrier.server())
                .bossEventLoopGroup(loops)
                .workerEventLoopGroup(loops)
                .flowControlWindow(TEST_FLOW_CONTROL_WINDOW)
                .maxInboundMessageSize(MAX_MESSAGE_SIZE);
    }

    @Override
    protected ManagedChannelBuilder<?> createChannelBuilder() {
        return NettyChannelBuilder.forAddress(address)
                .channelType(carrier.client())
                .eventLoopGroup(loops)
                .usePlaintext()
                .flowControlWindow(TEST_FLOW_CONTROL_WINDOW)
                .maxInboundMessageSize(MAX_MESSAGE_SIZE);
    }

    /** They are those of OpenCensus, which counts bytes of calls. */
    @Override
    protected boolean metricsExpected() {
        return false;
    }
}
