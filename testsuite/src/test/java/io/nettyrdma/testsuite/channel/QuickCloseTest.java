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
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.util.ReferenceCountUtil;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.QueuePair;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A server closes at the first message, which may have come before the connection manager's report that the connection
 * is open. A disconnect before the report would keep the thread that destroys the id for a minute.
 */
@Tag("device")
class QuickCloseTest {

    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(10_000);
    private static final int CONNECTIONS = 200;
    private static final String CONFIRMATION_IS_LATE = "ready-late=1:300ms";
    private static final String CONFIRMATION_IS_LOST = "ready=1";
    private static final String EVERYTHING_IS_LOST = "message=1";

    private final LeakWatch leaks = new LeakWatch();

    @AfterEach
    void check() {
        leaks.close();
    }

    @Test
    void quickCloseWithLateEstablishedEvent() throws Exception {
        SoftHca.assumeItIsTheDevice();
        try (ChannelPair pair = new ChannelPair(Closer::new)) {
            SoftHca.faults(1, CONFIRMATION_IS_LATE);
            comeAndGo(pair);
        } finally {
            SoftHca.noFaults();
        }
    }

    /** Everything has been flushed before the report, and the peer does not answer: no other event comes. */
    @Test
    void lateEstablishedEventFindsAFailedConnection() throws Exception {
        SoftHca.assumeItIsTheDevice();
        TestDevice.get().assumeConnectsByHand();
        CompletableFuture<QueuePair> failed = new CompletableFuture<>();
        try (ChannelPair pair = new ChannelPair(() -> new Failer(failed))) {
            SoftHca.faults(1, CONFIRMATION_IS_LOST);
            Channel client = pair.connect(new ChannelInboundHandlerAdapter());
            client.writeAndFlush(Unpooled.wrappedBuffer(new byte[] { 1 }));
            QueuePair queuePair = failed.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
            Deadline.standard().until("the queue pair is destroyed", () -> !queuePair.isOpen());
        } finally {
            SoftHca.noFaults();
        }
    }

    @Test
    void manyQuickCloses() throws Exception {
        try (ChannelPair pair = new ChannelPair(Closer::new)) {
            for (int i = 0; i < CONNECTIONS; i++) {
                comeAndGo(pair);
            }
        }
    }

    private static void comeAndGo(ChannelPair pair) throws Exception {
        Channel client = pair.connect(new ChannelInboundHandlerAdapter());
        client.writeAndFlush(Unpooled.wrappedBuffer(new byte[] { 1, 2, 3 }));
        assertThat(client.closeFuture().await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).as("closed").isTrue();
    }

    private static final class Closer extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ReferenceCountUtil.release(message);
            context.close();
        }
    }

    /** Its queue pair fails, so that nothing completes after the report. */
    private static final class Failer extends ChannelInboundHandlerAdapter {

        private final CompletableFuture<QueuePair> failed;

        private Failer(CompletableFuture<QueuePair> failed) {
            this.failed = failed;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
            ReferenceCountUtil.release(message);
            QueuePair queuePair = QueuePairOf.channel((RdmaChannel) context.channel());
            SoftHca.faults(1, EVERYTHING_IS_LOST);
            queuePair.toError();
            context.channel().config().setOption(ChannelOption.SO_LINGER, 0);
            context.close();
            failed.complete(queuePair);
        }
    }
}
