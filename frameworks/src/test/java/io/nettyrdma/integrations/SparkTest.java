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

import io.netty.channel.socket.SocketChannel;
import org.apache.spark.network.TransportContext;
import org.apache.spark.network.client.TransportClient;
import org.apache.spark.network.server.OneForOneStreamManager;
import org.apache.spark.network.util.MapConfigProvider;
import org.apache.spark.network.util.TransportConf;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * `network-common`, by which Spark's drivers, executors and shuffle services communicate: calls, chunks of memory and
 * of files, streams and uploads, plain and encrypted.
 */
@Tag("device")
@Tested(TransportContext.class)
@CallsNioByName("org.apache.spark.network.")
class SparkTest {

    private static final int CALLS = 200;
    private static final int LARGE = 2 << 20;

    private final RandomBytes random = new RandomBytes();

    @EachCarrier
    void plain(Carrier carrier, @TempDir Path directory) throws Exception {
        assertAll(carrier, directory, Map.of());
    }

    @EachCarrier
    void aes(Carrier carrier, @TempDir Path directory) throws Exception {
        assertAll(carrier, directory, Map.of("spark.network.crypto.enabled", "true"));
    }

    /** For its messages, `count()` returns what is still to be sent. */
    @EachCarrier
    void sasl(Carrier carrier, @TempDir Path directory) throws Exception {
        assertAll(carrier, directory, Map.of("spark.authenticate.enableSaslEncryption", "true",
                "spark.network.sasl.serverAlwaysEncrypt", "true"));
    }

    @EachCarrier
    void tls(Carrier carrier, @TempDir Path directory) throws Exception {
        Identity identity = new Identity(directory);
        assertAll(carrier, directory, Map.of("spark.ssl.rpc.enabled", "true", "spark.ssl.rpc.protocol", "TLSv1.3",
                "spark.ssl.rpc.keyStore", identity.file().toString(),
                "spark.ssl.rpc.keyStorePassword", Identity.PASSWORD, "spark.ssl.rpc.keyPassword", Identity.PASSWORD,
                "spark.ssl.rpc.trustStore", identity.trusted().toString(),
                "spark.ssl.rpc.trustStorePassword", Identity.PASSWORD));
    }

    /** Spark's protocol on a bootstrap of ours, by Spark's method for that: two lines, and no name replaced. */
    @EachCarrier
    void onOurBootstrap(Carrier carrier) throws Exception {
        TransportContext context = new TransportContext(new TransportConf("test", MapConfigProvider.EMPTY),
                new SparkServer(new OneForOneStreamManager()));
        CompletableFuture<TransportClient> client = new CompletableFuture<>();
        try (NettyProgram program = new NettyProgram(carrier,
                channel -> context.initializePipeline((SocketChannel) channel, false))) {
            program.connect(channel -> client.complete(
                    context.initializePipeline((SocketChannel) channel, true).getClient()));
            assertCalls(Waiting.get(client));
        }
        context.close();
    }

    private void assertAll(Carrier carrier, Path directory, Map<String, String> settings) throws Exception {
        try (SparkProgram program = new SparkProgram(carrier, directory, settings, random)) {
            TransportClient client = program.connect();
            program.checkSockets();
            assertCalls(client);
            for (int i = 0; i < SparkBlocks.CHUNKS; i++) {
                program.fetch(client, i);
            }
            for (int i = 0; i < SparkBlocks.CHUNKS; i++) {
                assertThat(program.fetched(i)).as("chunk %d", i).isEqualTo(program.blocks().content(i));
            }
            assertThat(program.stream(client)).isEqualTo(program.blocks().large());
            byte[] uploaded = random.next(LARGE);
            assertThat(program.upload(client, uploaded)).isEqualTo(uploaded);
        }
    }

    private void assertCalls(TransportClient client) throws Exception {
        byte[][] sent = new byte[CALLS][];
        SparkAnswer[] answers = new SparkAnswer[CALLS];
        for (int i = 0; i < CALLS; i++) {
            sent[i] = i == 0 ? random.next(LARGE) : random.nextUpTo(LARGE / CALLS);
            answers[i] = SparkAnswer.to(client, sent[i]);
        }
        for (int i = 0; i < CALLS; i++) {
            CompletableFuture<byte[]> answer = answers[i].bytes();
            assertThat(Waiting.get(answer)).as("answer %d", i).isEqualTo(sent[i]);
        }
    }
}
