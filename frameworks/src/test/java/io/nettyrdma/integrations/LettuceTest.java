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

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.netty.channel.Channel;
import io.netty.handler.ssl.SslContext;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Lettuce, with a small Redis server based on Netty's codec. */
@Tag("device")
@Tested(RedisClient.class)
class LettuceTest {

    private static final int COMMANDS = 200;
    private static final int LENGTH = 2_000;
    private static final int LARGE = 1 << 20;
    private static final RedisCodec<String, byte[]> CODEC = RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE);

    private final RandomBytes random = new RandomBytes();

    @EachCarrier
    void commands(Carrier carrier) throws Exception {
        try (Program program = new Program(carrier, channel -> { }, null)) {
            assertCommands(program);
        }
    }

    @EachCarrier
    void overTls(Carrier carrier, @TempDir Path directory) throws Exception {
        Identity identity = new Identity(directory);
        SslContext tls = identity.server().build();
        try (Program program = new Program(carrier, channel -> channel.pipeline().addLast(
                tls.newHandler(channel.alloc())), identity)) {
            assertCommands(program);
        }
    }

    /** All commands are written before the first answer is read. */
    @EachCarrier
    void pipeline(Carrier carrier) throws Exception {
        try (Program program = new Program(carrier, channel -> { }, null);
             StatefulRedisConnection<String, byte[]> connection = program.client.connect(CODEC)) {
            connection.setAutoFlushCommands(false);
            List<byte[]> values = new ArrayList<>();
            List<RedisFuture<byte[]>> answers = new ArrayList<>();
            for (int i = 0; i < COMMANDS; i++) {
                values.add(random.nextUpTo(LENGTH));
                connection.async().set("key" + i, values.get(i));
                answers.add(connection.async().get("key" + i));
            }
            connection.flushCommands();
            for (int i = 0; i < COMMANDS; i++) {
                assertThat(Waiting.get(answers.get(i))).as("value %d", i).isEqualTo(values.get(i));
            }
        }
    }

    @EachCarrier
    void channels(Carrier carrier) throws Exception {
        BlockingQueue<byte[]> received = new LinkedBlockingQueue<>();
        try (Program program = new Program(carrier, channel -> { }, null);
             StatefulRedisPubSubConnection<String, byte[]> subscriber = program.client.connectPubSub(CODEC);
             StatefulRedisConnection<String, byte[]> publisher = program.client.connect(CODEC)) {
            subscriber.addListener(new RedisPubSubAdapter<>() {
                @Override
                public void message(String channel, byte[] message) {
                    received.add(message);
                }
            });
            subscriber.sync().subscribe("news");
            for (int i = 0; i < COMMANDS; i++) {
                byte[] message = random.nextUpTo(LENGTH);
                assertThat(publisher.sync().publish("news", message)).isEqualTo(1);
                assertThat(Waiting.next(received)).isEqualTo(message);
            }
            subscriber.sync().unsubscribe("news");
        }
    }

    private void assertCommands(Program program) {
        try (StatefulRedisConnection<String, byte[]> connection = program.client.connect(CODEC)) {
            assertThat(connection.sync().ping()).isEqualTo("PONG");
            for (int length : new int[] {0, 1, LENGTH, LARGE}) {
                byte[] value = random.next(length);
                assertThat(connection.sync().echo(value)).isEqualTo(value);
                assertThat(connection.sync().set("key", value)).isEqualTo("OK");
                assertThat(connection.sync().get("key")).isEqualTo(value);
            }
            assertThat(connection.sync().get("nothing")).isNull();
            for (long i = 1; i <= 3; i++) {
                assertThat(connection.sync().incr("number")).isEqualTo(i);
            }
            assertThatThrownBy(() -> connection.sync().flushall()).isInstanceOf(RedisCommandExecutionException.class)
                    .hasMessageContaining("unknown command");
        }
    }

    /** A server and a client on the same loops. */
    private static final class Program implements AutoCloseable {

        private final RedisServer redis = new RedisServer();
        private final ClientResources resources = ClientResources.create();
        private final NettyProgram server;
        private final RedisClient client;

        /** @param identity for TLS, or null */
        private Program(Carrier carrier, Consumer<Channel> first, Identity identity) throws Exception {
            server = new NettyProgram(carrier, first.andThen(redis::accept));
            RedisURI address = RedisURI.builder()
                    .withHost("127.0.0.1").withPort(server.address().getPort()).withSsl(identity != null)
                    .withTimeout(Duration.ofSeconds(Waiting.SECONDS)).build();
            client = carrier == Carrier.AGENT ? RedisClient.create(resources, address)
                    : new LettuceClient(resources, address, server.loops(), carrier.client());
            if (identity != null) {
                client.setOptions(ClientOptions.builder().sslOptions(
                        SslOptions.builder().jdkSslProvider().trustManager(identity.trust()).build()).build());
            }
        }

        @Override
        public void close() {
            client.shutdown(0, Waiting.SECONDS, TimeUnit.SECONDS);
            assertThat(resources.shutdown(0, Waiting.SECONDS, TimeUnit.SECONDS).awaitUninterruptibly(Waiting.SECONDS,
                    TimeUnit.SECONDS)).isTrue();
            server.close();
        }
    }
}
