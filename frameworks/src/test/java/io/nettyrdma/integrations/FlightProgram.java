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

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightGrpcUtils;
import org.apache.arrow.flight.FlightProducer;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.NoOpFlightProducer;
import org.apache.arrow.flight.auth.ServerAuthHandler;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A service of Arrow Flight that returns each batch of a table, and a client that sends one column. */
final class FlightProgram implements AutoCloseable {

    private static final FlightDescriptor NUMBERS = FlightDescriptor.path("numbers");

    private final BufferAllocator memory = new RootAllocator();
    private final ExecutorService calls = Executors.newCachedThreadPool();
    private final Loops loops;
    private final Server server;
    private final ManagedChannel channel;
    private final FlightClient client;

    // The class that names no authentication is deprecated, and the service takes no other.
    @SuppressWarnings("deprecation")
    FlightProgram(Carrier carrier) throws Exception {
        loops = new Loops(carrier);
        server = NettyServerBuilder.forAddress(Host.anyPort())
                .channelType(carrier.server())
                .bossEventLoopGroup(loops.group())
                .workerEventLoopGroup(loops.group())
                .maxInboundMessageSize(Integer.MAX_VALUE)
                .addService(FlightGrpcUtils.createFlightService(memory, new Echo(), ServerAuthHandler.NO_OP, calls))
                .build().start();
        channel = NettyChannelBuilder.forAddress(new InetSocketAddress(Host.address(), server.getPort()))
                .channelType(carrier.client())
                .eventLoopGroup(loops.group())
                .maxInboundMessageSize(Integer.MAX_VALUE)
                .usePlaintext().build();
        client = FlightGrpcUtils.createFlightClientWithSharedChannel(memory, channel);
    }

    /** Answers each batch of an exchange with the same. */
    private static final class Echo extends NoOpFlightProducer {

        @Override
        public void doExchange(FlightProducer.CallContext context, FlightStream reader,
                               FlightProducer.ServerStreamListener writer) {
            writer.start(reader.getRoot());
            while (reader.next()) {
                writer.putNext();
            }
            writer.completed();
        }
    }

    /** Sends one batch of one column and returns the answer. */
    long[] echo(long[] column) throws Exception {
        FlightClient.ExchangeReaderWriter exchange = client.doExchange(NUMBERS);
        try (BigIntVector sent = new BigIntVector("n", memory)) {
            sent.allocateNew(column.length);
            for (int i = 0; i < column.length; i++) {
                sent.set(i, column[i]);
            }
            sent.setValueCount(column.length);
            try (VectorSchemaRoot table = new VectorSchemaRoot(List.of(sent))) {
                table.setRowCount(column.length);
                exchange.getWriter().start(table);
                exchange.getWriter().putNext();
                exchange.getWriter().completed();
                FlightStream answer = exchange.getReader();
                long[] received = null;
                while (answer.next()) {
                    BigIntVector vector = (BigIntVector) answer.getRoot().getVector("n");
                    received = new long[answer.getRoot().getRowCount()];
                    for (int i = 0; i < received.length; i++) {
                        received[i] = vector.get(i);
                    }
                }
                return received;
            }
        } finally {
            exchange.close();
        }
    }

    void checkSockets() {
        loops.checkSockets();
    }

    void stopServer() {
        server.shutdownNow();
        Waiting.until("the server's end", server::isTerminated);
    }

    @Override
    public void close() {
        try {
            client.close();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        channel.shutdownNow();
        server.shutdownNow();
        Waiting.until("the client's end", channel::isTerminated);
        Waiting.until("the server's end", server::isTerminated);
        calls.shutdown();
        memory.close();
        loops.close();
    }
}
