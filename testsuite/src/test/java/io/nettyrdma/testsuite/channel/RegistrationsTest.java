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
package io.nettyrdma.testsuite.channel;

import io.netty.bootstrap.AbstractBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.util.ResourceLeakDetector;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.buffer.RdmaByteBufAllocatorMetric;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.Rounds;
import io.nettyrdma.testsuite.support.Seeds;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Registering memory is slow. Once all chunks are registered, no message registers one. Only an unused chunk may serve
 * another loop next, which then has to register it; that is all that happens after the warm-up.
 */
@Tag("device")
@Tag("any-device")
@Tag("native-speed")
class RegistrationsTest {

    private static final int MESSAGES =
            Rounds.scaled(Integer.getInteger("io.nettyrdma.testsuite.messages", 200_000));
    private static final int WARM_UP = Math.max(1_000, MESSAGES / 10);
    private static final int CONNECTIONS = 4;
    private static final int LOOPS = 2;
    private static final int CHUNK = 2 << 20;
    /** The allocator keeps that many, and one more. */
    private static final int MOST_CHUNKS = 15;
    private static final int SMALLEST = 64;
    private static final int DOUBLINGS = 10;
    /** Over all connections. Bounds the memory in use, and with it the number of chunks. */
    private static final int AT_ONCE = 64;
    private static final int PATIENCE_SECONDS = 60;

    private final Random random = Seeds.newRandom();
    private final RdmaByteBufAllocator allocator =
            RdmaByteBufAllocator.builder().chunkBytes(CHUNK).idleBytes((MOST_CHUNKS + 1) * CHUNK).build();
    private final RdmaByteBufAllocatorMetric metric = allocator.metric();
    private final Semaphore mayWrite = new Semaphore(AT_ONCE);
    private final AtomicLong received = new AtomicLong();
    private final byte[] content = new byte[SMALLEST << DOUBLINGS];
    private long sent;

    /** Half of the buffers are allocated by the loop that sends them, the others here, to where they return. */
    @Test
    void manyMessagesRegisterNothing() throws Exception {
        ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
        // Leaks are counted at the end; tracking each buffer takes longer than sending it.
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.SIMPLE);
        try {
            sendAll();
        } finally {
            ResourceLeakDetector.setLevel(level);
        }
    }

    private void sendAll() throws Exception {
        random.nextBytes(content);
        try (ChannelPair pair = new ChannelPair(Sink::new,
                bootstrap -> bootstrap.childOption(ChannelOption.ALLOCATOR, allocator))) {
            List<RdmaChannel> clients = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                clients.add(pair.connect(new ChannelInboundHandlerAdapter(), this::configure));
            }
            send(clients, WARM_UP);
            long warm = metric.registrations();
            send(clients, MESSAGES);
            System.out.printf("%d messages after %d of warm-up: %d registrations, then %d; %s%n", MESSAGES, WARM_UP,
                    warm, metric.registrations(), metric);
            long chunks = metric.committedBytes() / CHUNK;
            assertThat(chunks).as("all that there ever were: so few are kept").isLessThanOrEqualTo(MOST_CHUNKS);
            assertThat(metric.registrations()).as("each chunk once with each loop, at most")
                    .isLessThanOrEqualTo(LOOPS * chunks);
            assertThat(metric.registeredBytes()).as("all that were ever made, none is made again")
                    .isEqualTo(metric.registrations() * CHUNK);
            assertThat(metric.registrationRefusals()).isZero();
            if (TestDevice.get().capabilities().maxSendSge() > 1) {
                assertThat(pair.sum(RdmaCounter.BYTES_GATHERED)).as("most bytes are in large messages")
                        .isGreaterThan(pair.sum(RdmaCounter.BYTES_COPIED_OUT));
            }
        }
        assertThat(metric.inUseBytes()).isZero();
    }

    private void configure(AbstractBootstrap<?, ?> bootstrap) {
        bootstrap.option(ChannelOption.ALLOCATOR, allocator);
    }

    private void send(List<RdmaChannel> clients, int count) throws Exception {
        for (int i = 0; i < count; i++) {
            RdmaChannel client = clients.get(random.nextInt(CONNECTIONS));
            // Sizes are distributed evenly on a logarithmic scale.
            int size = (int) (SMALLEST * Math.pow(2, random.nextDouble() * DOUBLINGS));
            sent += size;
            assertThat(mayWrite.tryAcquire(Deadline.scaledMillis(PATIENCE_SECONDS * 1000), TimeUnit.MILLISECONDS))
                    .as("message %d of %d", i, count).isTrue();
            if (random.nextBoolean()) {
                write(client, message(size));
            } else {
                client.eventLoop().execute(() -> write(client, message(size)));
            }
        }
        Deadline.ofSeconds(PATIENCE_SECONDS).until("all bytes", () -> received.get() == sent);
        Deadline.ofSeconds(PATIENCE_SECONDS).until("all promises", () -> mayWrite.availablePermits() == AT_ONCE);
    }

    private ByteBuf message(int size) {
        return allocator.directBuffer(size, size).writeBytes(content, 0, size);
    }

    private void write(RdmaChannel client, ByteBuf message) {
        client.writeAndFlush(message).addListener(written -> {
            if (written.isSuccess()) {
                mayWrite.release();
            }
        });
    }

    /** Only counts. Other tests check the content. */
    private final class Sink extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf buffer = (ByteBuf) message;
            received.addAndGet(buffer.readableBytes());
            buffer.release();
        }
    }
}
