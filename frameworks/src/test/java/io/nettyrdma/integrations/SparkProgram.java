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

import org.apache.spark.network.TransportContext;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.network.client.ChunkReceivedCallback;
import org.apache.spark.network.client.TransportClient;
import org.apache.spark.network.client.TransportClientBootstrap;
import org.apache.spark.network.client.TransportClientFactory;
import org.apache.spark.network.crypto.AuthClientBootstrap;
import org.apache.spark.network.crypto.AuthServerBootstrap;
import org.apache.spark.network.sasl.SecretKeyHolder;
import org.apache.spark.network.server.TransportServer;
import org.apache.spark.network.server.TransportServerBootstrap;
import org.apache.spark.network.util.MapConfigProvider;
import org.apache.spark.network.util.TransportConf;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** A server and a client factory, both created as in Spark. */
final class SparkProgram implements AutoCloseable {

    private static final String HOST = "127.0.0.1";
    private static final String APPLICATION = "application";

    private final OwnLoops loops;
    private final SparkBlocks blocks;
    private final TransportContext context;
    private final TransportServer server;
    private final TransportClientFactory clients;
    private final Map<Integer, CompletableFuture<byte[]>> chunks = new ConcurrentHashMap<>();

    SparkProgram(Carrier carrier, Path directory, Map<String, String> settings, RandomBytes random) throws Exception {
        loops = new OwnLoops(carrier);
        Map<String, String> all = new HashMap<>(settings);
        all.put("spark.test.io.mode", "NIO");
        all.put("spark.test.io.clientThreads", "2");
        all.put("spark.test.io.serverThreads", "2");
        TransportConf conf = new TransportConf("test", new MapConfigProvider(all));
        blocks = new SparkBlocks(directory, conf, random);
        context = new TransportContext(conf, new SparkServer(blocks));
        boolean authenticated = conf.encryptionEnabled() || conf.saslEncryption();
        SecretKeyHolder secrets = new Secrets();
        List<TransportServerBootstrap> ofServer = authenticated
                ? List.of(new AuthServerBootstrap(conf, secrets)) : List.of();
        List<TransportClientBootstrap> ofClient = authenticated
                ? List.of(new AuthClientBootstrap(conf, APPLICATION, secrets)) : List.of();
        server = context.createServer(HOST, 0, ofServer);
        clients = context.createClientFactory(ofClient);
    }

    SparkBlocks blocks() {
        return blocks;
    }

    void checkSockets() {
        loops.checkSockets();
    }

    TransportClient connect() throws Exception {
        return clients.createClient(HOST, server.getPort());
    }

    void fetch(TransportClient client, int chunk) {
        CompletableFuture<byte[]> content = new CompletableFuture<>();
        chunks.put(chunk, content);
        client.fetchChunk(0, chunk, new ChunkReceivedCallback() {
            @Override
            public void onSuccess(int index, ManagedBuffer buffer) {
                try {
                    content.complete(SparkAnswer.copy(buffer.nioByteBuffer()));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }

            @Override
            public void onFailure(int index, Throwable cause) {
                content.completeExceptionally(cause);
            }
        });
    }

    byte[] fetched(int chunk) throws Exception {
        return Waiting.get(chunks.get(chunk));
    }

    byte[] stream(TransportClient client) throws Exception {
        SparkBytes bytes = new SparkBytes();
        client.stream("large", bytes);
        return Waiting.get(bytes.all());
    }

    byte[] upload(TransportClient client, byte[] bytes) throws Exception {
        SparkAnswer answer = new SparkAnswer();
        client.uploadStream(new NioManagedBuffer(ByteBuffer.allocate(1)),
                new NioManagedBuffer(ByteBuffer.wrap(bytes)), answer);
        return Waiting.get(answer.bytes());
    }

    @Override
    public void close() {
        clients.close();
        server.close();
        context.close();
        loops.close();
    }

    private static final class Secrets implements SecretKeyHolder {

        @Override
        public String getSaslUser(String application) {
            return application;
        }

        @Override
        public String getSecretKey(String application) {
            return "secret of " + application;
        }
    }
}
