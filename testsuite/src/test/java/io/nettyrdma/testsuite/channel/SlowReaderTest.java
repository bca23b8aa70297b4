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

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.nettyrdma.io.RdmaIoHandlerConfig;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** A loop takes seconds to hand out what has arrived, and its peer has left in order. All of it is delivered. */
@Tag("device")
class SlowReaderTest {

    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(30_000);
    /** Fewer than a peer may send at first. */
    private static final int MESSAGES = 12;
    private static final int BATCH = 2;
    /** Together they take four seconds, and the wait for a peer that has left takes two at most. */
    private static final int READ_MILLIS = 400;

    private final Recorder received = new Recorder();
    private final CountDownLatch mayRead = new CountDownLatch(1);

    @Test
    void receivedDataIsDeliveredBeforeTheReset() throws Exception {
        RdmaIoHandlerConfig config = RdmaIoHandlerConfig.DEFAULT.withCompletionQueue(64, BATCH);
        try (ChannelPair pair = new ChannelPair(config, SlowReader::new, server -> { })) {
            Channel client = pair.connect(new ChannelInboundHandlerAdapter());
            Channel reader = pair.accepted();
            Deadline.standard().until("active", () -> received.events().contains("active"));
            reader.eventLoop().execute(this::block);
            for (int i = 0; i < MESSAGES; i++) {
                client.writeAndFlush(Unpooled.wrappedBuffer(new byte[] { (byte) i }));
            }
            ChannelFuture closed = client.close();
            if (!TestDevice.get().completesWhenTaken()) {
                closed.sync();
            }
            // Otherwise the close waits for an answer of the reader's loop.
            mayRead.countDown();
            assertThat(received.inactive().await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).as("the end").isTrue();
            assertThat(received.failures()).isEmpty();
            assertThat(received.bytes()).hasSize(MESSAGES);
        } finally {
            mayRead.countDown();
        }
    }

    private void block() {
        try {
            mayRead.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private final class SlowReader extends ChannelInboundHandlerAdapter {
        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            context.pipeline().addLast(received);
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) throws InterruptedException {
            // The handler itself is slow; the test waits for nothing here.
            Thread.sleep(READ_MILLIS);
            context.fireChannelRead(message);
        }
    }
}
