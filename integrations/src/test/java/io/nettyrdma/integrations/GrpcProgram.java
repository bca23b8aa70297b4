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

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.netty.channel.ChannelOption;
import io.netty.handler.ssl.SslProvider;
import io.nettyrdma.buffer.RdmaByteBufAllocator;

import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** A grpc-java server and client, which differ from others in two lines each, or in none. */
final class GrpcProgram implements AutoCloseable {

    /** The window of a call's receiver, in bytes. Fixed, because grpc would otherwise let it grow. */
    static final int WINDOW = 256 << 10;

    private static final String POLICY = "io.nettyrdma.policy";

    private final GrpcService service = new GrpcService();
    private final Loops loops;
    private final Server server;
    private final ManagedChannel client;

    /** How a connection is configured. */
    enum Way {
        PLAIN,
        TLS,
        /** grpc's own allocator is not the channel's: without this everything is copied into registered memory. */
        REGISTERED,
        /** By the jar for grpc, which gives grpc loops and channels. Its policy is the carrier. */
        JAR
    }

    GrpcProgram(Carrier carrier, Way way, Identity identity) throws Exception {
        loops = new Loops(carrier);
        if (way == Way.JAR) {
            System.setProperty(POLICY, carrier == Carrier.RDMA ? "required" : "tcp");
        }
        NettyServerBuilder servers = newServer(carrier, way)
                .flowControlWindow(WINDOW)
                .addService(service.definition());
        if (way == Way.TLS) {
            servers.sslContext(GrpcSslContexts.configure(identity.server(), SslProvider.JDK).build());
        } else if (way == Way.REGISTERED) {
            servers.withChildOption(ChannelOption.ALLOCATOR, RdmaByteBufAllocator.DEFAULT);
        }
        server = servers.build().start();
        NettyChannelBuilder clients = newClient(carrier, way)
                .flowControlWindow(WINDOW)
                .keepAliveTime(1, TimeUnit.MINUTES);
        if (way == Way.TLS) {
            clients.sslContext(GrpcSslContexts.configure(identity.client(), SslProvider.JDK).build());
        } else {
            clients.usePlaintext();
        }
        if (way == Way.REGISTERED) {
            clients.withOption(ChannelOption.ALLOCATOR, RdmaByteBufAllocator.DEFAULT);
        }
        client = clients.build();
    }

    private NettyServerBuilder newServer(Carrier carrier, Way way) {
        return way == Way.JAR ? (NettyServerBuilder) ServerBuilder.forPort(0) : NettyServerBuilder
                .forAddress(Host.anyPort())
                .channelType(carrier.server())
                .bossEventLoopGroup(loops.group())
                .workerEventLoopGroup(loops.group());
    }

    private NettyChannelBuilder newClient(Carrier carrier, Way way) {
        return way == Way.JAR
                ? (NettyChannelBuilder) ManagedChannelBuilder.forAddress(Host.NAME, server.getPort())
                : NettyChannelBuilder.forAddress(new InetSocketAddress(Host.address(), server.getPort()))
                .channelType(carrier.client())
                .eventLoopGroup(loops.group());
    }

    GrpcService service() {
        return service;
    }

    Server server() {
        return server;
    }

    ManagedChannel client() {
        return client;
    }

    /** Calls a method with one request and one answer. */
    byte[] call(MethodDescriptor<byte[], byte[]> method, byte[] request) {
        return ClientCalls.blockingUnaryCall(client, method, options(), request);
    }

    /** No call of a test waits without limit. */
    static CallOptions options() {
        return CallOptions.DEFAULT.withDeadlineAfter(Waiting.SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        try {
            if (!server.isShutdown()) {
                loops.checkSockets();
            }
        } finally {
            client.shutdownNow();
            server.shutdownNow();
            Waiting.until("the client's end", client::isTerminated);
            Waiting.until("the server's end", server::isTerminated);
            System.clearProperty(POLICY);
            Waiting.until("the end of the jar's loops", GrpcProgram::areLoopsOfJarOver);
            loops.close();
        }
    }

    private static boolean areLoopsOfJarOver() {
        return Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("grpc-rdma-"));
    }
}
