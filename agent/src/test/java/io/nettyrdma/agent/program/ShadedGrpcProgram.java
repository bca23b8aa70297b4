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
package io.nettyrdma.agent.program;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/** Calls of gRPC on the Netty that comes with it under another name. */
public final class ShadedGrpcProgram {

    private static final int SECONDS = 20;
    private static final int CALLS = 100;
    private static final MethodDescriptor<byte[], byte[]> ECHO = MethodDescriptor
            .<byte[], byte[]>newBuilder(new Bytes(), new Bytes())
            .setType(MethodDescriptor.MethodType.UNARY).setFullMethodName("echo/Echo").build();

    private ShadedGrpcProgram() {
    }

    /** @param args none. */
    public static void main(String[] args) throws Exception {
        Server server = NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                .addService(ServerServiceDefinition.builder("echo").addMethod(ECHO,
                        ServerCalls.asyncUnaryCall((request, answer) -> {
                            answer.onNext(request);
                            answer.onCompleted();
                        })).build())
                .build().start();
        ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", server.getPort()).usePlaintext().build();
        boolean isEchoed = true;
        for (int i = 0; i < CALLS; i++) {
            byte[] request = new byte[i * 100];
            Arrays.fill(request, (byte) i);
            isEchoed &= Arrays.equals(request,
                    ClientCalls.blockingUnaryCall(channel, ECHO, CallOptions.DEFAULT, request));
        }
        System.out.println("echoed: " + isEchoed);
        channel.shutdown().awaitTermination(SECONDS, TimeUnit.SECONDS);
        server.shutdown().awaitTermination(SECONDS, TimeUnit.SECONDS);
        System.out.println("ended");
    }

    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {

        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
