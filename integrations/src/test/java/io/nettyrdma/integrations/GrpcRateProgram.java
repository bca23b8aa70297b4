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
import io.grpc.Server;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.netty.channel.EventLoop;

import java.util.ArrayList;
import java.util.List;

/** A grpc-java server and its clients, configured as little as possible. */
final class GrpcRateProgram implements RateProgram {

    private final Server server;
    private final List<Connection> connections = new ArrayList<>();

    /** @param direct whether calls run on the loops instead of gRPC's executor. */
    GrpcRateProgram(RateLoops loops, boolean direct) throws Exception {
        NettyServerBuilder servers = NettyServerBuilder.forAddress(loops.carrier().anyAddress())
                .channelType(loops.carrier().server())
                .bossEventLoopGroup(loops.server())
                .workerEventLoopGroup(loops.server())
                .addService(new GrpcService().definition());
        if (direct) {
            servers.directExecutor();
        }
        server = servers.build().start();
        for (EventLoop loop : loops.clients()) {
            NettyChannelBuilder clients = NettyChannelBuilder
                    .forAddress(server.getListenSockets().get(0))
                    .overrideAuthority(Host.NAME)
                    .channelType(loops.carrier().client())
                    .eventLoopGroup(loop)
                    .usePlaintext();
            if (direct) {
                clients.directExecutor();
            }
            connections.add(new Connection(clients.build()));
        }
    }

    @Override
    public List<Connection> connections() {
        return connections;
    }

    @Override
    public void close() {
        connections.forEach(each -> each.channel.shutdownNow());
        server.shutdownNow();
        connections.forEach(each -> Waiting.until("a client's end", each.channel::isTerminated));
        Waiting.until("the server's end", server::isTerminated);
    }

    private static final class Connection extends RateConnection {

        private final byte[] message = new byte[SIZE];
        private final ManagedChannel channel;

        Connection(ManagedChannel channel) {
            this.channel = channel;
            // gRPC connects at the first call.
            ClientCalls.blockingUnaryCall(channel, GrpcMethods.ECHO, GrpcProgram.options(), message);
        }

        @Override
        void request() {
            ClientCalls.asyncUnaryCall(channel.newCall(GrpcMethods.ECHO, CallOptions.DEFAULT), message, new Answer());
        }

        private final class Answer implements StreamObserver<byte[]> {

            private int size;

            @Override
            public void onNext(byte[] answer) {
                size = answer.length;
            }

            @Override
            public void onError(Throwable cause) {
                failed(cause);
            }

            @Override
            public void onCompleted() {
                answered(size);
            }
        }
    }
}
