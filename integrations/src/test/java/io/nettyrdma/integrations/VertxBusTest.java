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

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBusOptions;
import io.vertx.core.transport.Transport;
import org.junit.jupiter.api.Tag;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** Vert.x's event bus between two nodes, which connect by their transports. */
@Tag("device")
@Tested(Vertx.class)
class VertxBusTest {

    private static final int MESSAGES = 100;
    private static final int LENGTH = 20_000;
    private static final DeliveryOptions PATIENTLY =
            new DeliveryOptions().setSendTimeout(TimeUnit.SECONDS.toMillis(Waiting.SECONDS));

    private final RandomBytes random = new RandomBytes();

    /** One node answers the other's requests. */
    @EachCarrier
    void requests(Carrier carrier) throws Exception {
        try (Nodes nodes = new Nodes(carrier)) {
            Nodes.get(nodes.one.eventBus().<Buffer>consumer("echo", message -> message.reply(message.body()))
                    .completion());
            List<Buffer> bodies = new ArrayList<>();
            List<Future<Buffer>> answers = new ArrayList<>();
            for (int i = 0; i < MESSAGES; i++) {
                bodies.add(Buffer.buffer(random.nextUpTo(LENGTH)));
                answers.add(nodes.other.eventBus().<Buffer>request("echo", bodies.get(i), PATIENTLY)
                        .map(message -> message.body()));
            }
            for (int i = 0; i < MESSAGES; i++) {
                assertThat(Nodes.get(answers.get(i))).as("answer %d", i).isEqualTo(bodies.get(i));
            }
        }
    }

    /** In the order in which they were published. */
    @EachCarrier
    void publications(Carrier carrier) throws Exception {
        BlockingQueue<Buffer> heard = new LinkedBlockingQueue<>();
        try (Nodes nodes = new Nodes(carrier)) {
            Nodes.get(nodes.one.eventBus().<Buffer>consumer("news", message -> heard.add(message.body()))
                    .completion());
            List<Buffer> bodies = new ArrayList<>();
            for (int i = 0; i < MESSAGES; i++) {
                bodies.add(Buffer.buffer(random.nextUpTo(LENGTH)));
                nodes.other.eventBus().publish("news", bodies.get(i));
            }
            for (Buffer body : bodies) {
                assertThat(Waiting.next(heard)).isEqualTo(body);
            }
        }
    }

    private static final class Nodes implements AutoCloseable {

        private final Remains remains = new Remains();
        private final TcpSockets sockets = new TcpSockets();
        private final Carrier carrier;
        private final Vertx one;
        private final Vertx other;

        private Nodes(Carrier carrier) throws Exception {
            this.carrier = carrier;
            VertxCluster cluster = new VertxCluster();
            one = start(cluster, "one");
            other = start(cluster, "other");
        }

        private Vertx start(VertxCluster cluster, String name) throws Exception {
            return get(Vertx.builder().with(new VertxOptions().setEventLoopPoolSize(1)
                            .setEventBusOptions(new EventBusOptions().setHost(Host.NAME)))
                    .withTransport(carrier == Carrier.RDMA ? new RdmaTransport() : Transport.NIO)
                    .withClusterManager(cluster.node(name)).buildClustered());
        }

        private static <T> T get(Future<T> future) throws Exception {
            return Waiting.get(future.toCompletionStage().toCompletableFuture());
        }

        @Override
        public void close() {
            try {
                sockets.check(carrier);
            } finally {
                Future<Void> closed = Future.join(other.close(), one.close()).mapEmpty();
                Waiting.until("the end of Vert.x", closed::isComplete);
                assertThat(closed.succeeded()).isTrue();
                remains.close();
            }
        }
    }
}
