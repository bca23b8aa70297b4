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

import org.junit.jupiter.api.Tag;
import org.redisson.Redisson;
import org.redisson.api.BatchResult;
import org.redisson.api.RBatch;
import org.redisson.api.RBucket;
import org.redisson.api.RTopic;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.ByteArrayCodec;
import org.redisson.config.Config;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** Redisson, which accepts our loops, but registers NIO's channels with them; and a small Redis server. */
@Tag("device")
@Tested(Redisson.class)
@CallsNioByName("org.redisson.")
class RedissonTest {

    private static final int COMMANDS = 100;
    private static final int LENGTH = 2_000;
    private static final int LARGE = 1 << 20;
    private static final int MILLIS = Waiting.SECONDS * 1_000;

    private final RandomBytes random = new RandomBytes();

    @EachCarrier
    void values(Carrier carrier) throws Exception {
        try (Program program = new Program(carrier)) {
            RBucket<byte[]> bucket = program.client.getBucket("key");
            assertThat(bucket.get()).isNull();
            for (int length : new int[] {0, 1, LENGTH, LARGE}) {
                byte[] value = random.next(length);
                bucket.set(value);
                assertThat(bucket.get()).isEqualTo(value);
            }
            for (long i = 1; i <= 3; i++) {
                assertThat(program.client.getAtomicLong("number").incrementAndGet()).isEqualTo(i);
            }
        }
    }

    /** Many commands in one request. */
    @EachCarrier
    void batch(Carrier carrier) throws Exception {
        try (Program program = new Program(carrier)) {
            RBatch batch = program.client.createBatch();
            List<byte[]> values = new ArrayList<>();
            for (int i = 0; i < COMMANDS; i++) {
                values.add(random.next(1 + i * LENGTH / COMMANDS));
                batch.<byte[]>getBucket("key" + i).setAsync(values.get(i));
                batch.<byte[]>getBucket("key" + i).getAsync();
            }
            BatchResult<?> answers = batch.execute();
            for (int i = 0; i < COMMANDS; i++) {
                assertThat(answers.getResponses().get(2 * i + 1)).as("value %d", i).isEqualTo(values.get(i));
            }
        }
    }

    @EachCarrier
    void topic(Carrier carrier) throws Exception {
        BlockingQueue<byte[]> received = new LinkedBlockingQueue<>();
        try (Program program = new Program(carrier)) {
            RTopic topic = program.client.getTopic("news");
            topic.addListener(byte[].class, (channel, message) -> received.add(message));
            for (int i = 0; i < COMMANDS; i++) {
                byte[] message = random.next(1 + i * LENGTH / COMMANDS);
                assertThat(topic.publish(message)).isEqualTo(1);
                assertThat(Waiting.next(received)).isEqualTo(message);
            }
        }
    }

    /** A server and a client on the same loops. */
    private static final class Program implements AutoCloseable {

        private final NettyProgram server;
        private final RedissonClient client;

        private Program(Carrier carrier) throws Exception {
            server = new NettyProgram(carrier, new RedisServer()::accept);
            Config config = new Config();
            config.setEventLoopGroup(server.loops()).setCodec(ByteArrayCodec.INSTANCE);
            config.useSingleServer().setAddress("redis://127.0.0.1:" + server.address().getPort())
                    .setConnectionMinimumIdleSize(1).setConnectionPoolSize(2)
                    .setSubscriptionConnectionMinimumIdleSize(1).setSubscriptionConnectionPoolSize(1)
                    .setTimeout(MILLIS).setConnectTimeout(MILLIS).setDnsMonitoringInterval(-1);
            client = Redisson.create(config);
        }

        @Override
        public void close() {
            client.shutdown(0, Waiting.SECONDS, TimeUnit.SECONDS);
            server.close();
        }
    }
}
