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

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.Seeds;
import io.nettyrdma.testsuite.support.SoftHca;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A slow device, as adapters and current kernels are, and as softhca is with faults: acting too early loses messages or
 * bytes.
 */
@Tag("device")
class LateDeviceTest {

    private static final int PATIENCE_SECONDS = 30;
    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(PATIENCE_SECONDS * 1_000);
    private static final int ROUNDS = 50;
    /** Gathered into one frame. */
    private static final int MESSAGE = 8_000;
    /** 17 ms, so that lost packets are retransmitted before either side gives up. */
    private static final int ACK_TIMEOUT = 12;
    /** Frames of more than a page. */
    private static final int LARGE = 65_536;

    private final Random random = Seeds.newRandom();

    @BeforeEach
    void needsFaults() {
        SoftHca.assumeItIsTheDevice();
    }

    @AfterEach
    void noFaults() throws Exception {
        SoftHca.noFaults();
    }

    /** The peer has read it and disconnects in order before the device processes the acknowledgement. */
    @Test
    void acknowledgedWriteSucceeds() throws Exception {
        assertIsWritten("acknowledge=0.5:20ms");
    }

    /** The packet is sent again, and a peer that has disconnected acknowledges until its disconnect is answered. */
    @Test
    void writesSucceedDespiteLostPackets() throws Exception {
        assertIsWritten("drop=0.1");
    }

    private static void assertIsWritten(String faults) throws Exception {
        try (ChannelPair pair = new ChannelPair(() -> new CloserAfter(MESSAGE))) {
            SoftHca.faults(1, faults);
            for (int i = 0; i < ROUNDS; i++) {
                Channel client = pair.connect(new ChannelInboundHandlerAdapter(),
                        bootstrap -> bootstrap.option(RdmaChannelOption.ACK_TIMEOUT_EXPONENT, ACK_TIMEOUT));
                ByteBuf message = RdmaByteBufAllocator.DEFAULT.buffer(MESSAGE).writeZero(MESSAGE);
                ChannelFuture written = client.writeAndFlush(message);
                assertThat(written.await(PATIENCE_MILLIS)).as("round %d", i).isTrue();
                assertThat(written.cause()).as("why the write of round %d failed", i).isNull();
                assertThat(client.closeFuture().await(PATIENCE_MILLIS)).as("end of round %d", i).isTrue();
            }
        }
    }

    /** The peer answers FIN with a close, which arrives before the acknowledgement. */
    @Test
    void shutdownSucceedsWhenThePeerClosesAtOnce() throws Exception {
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            SoftHca.faults(1, "acknowledge=1:20ms");
            for (int i = 0; i < ROUNDS / 10; i++) {
                RdmaChannel client = pair.connect(new ChannelInboundHandlerAdapter());
                ChannelFuture shutdown = client.shutdown();
                assertThat(shutdown.await(PATIENCE_MILLIS)).as("round %d", i).isTrue();
                assertThat(shutdown.cause()).as("why the shutdown of round %d failed", i).isNull();
                assertThat(client.closeFuture().await(PATIENCE_MILLIS)).as("end of round %d", i).isTrue();
            }
        }
    }

    /** The reason is in flight when the connection ends. */
    @Test
    void abortReasonArrives() throws Exception {
        BlockingQueue<Recorder> servers = new LinkedBlockingQueue<>();
        try (ChannelPair pair = new ChannelPair(() -> {
            Recorder server = new Recorder();
            servers.add(server);
            return server;
        })) {
            SoftHca.faults(1, "begin=1:5ms");
            for (int i = 0; i < ROUNDS; i++) {
                Channel client = pair.connect(new ChannelInboundHandlerAdapter());
                Recorder server = servers.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
                Deadline.ofSeconds(PATIENCE_SECONDS).until("it is active", () -> server.events().contains("active"));
                client.config().setOption(ChannelOption.SO_LINGER, 0);
                client.close().sync();
                assertThat(server.inactive().await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
                assertThat(server.failures()).as("round %d", i).singleElement().extracting(Throwable::getMessage)
                        .asString().contains("reason RESET");
            }
        }
    }

    /** On iWARP the device may read memory after a later request has completed, so each frame is signaled. */
    @Test
    void lateReadBytesAreIntact() throws Exception {
        byte[] sent = new byte[LARGE];
        random.nextBytes(sent);
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            SoftHca.faults(1, "read=0.5:2ms");
            for (int i = 0; i < ROUNDS; i++) {
                SameBytes echoed = new SameBytes(sent);
                Channel client = pair.connect(new Recorder());
                client.pipeline().addFirst(echoed);
                client.writeAndFlush(RdmaByteBufAllocator.DEFAULT.buffer(LARGE).writeBytes(sent)).sync();
                // Most likely reuses the memory of the message.
                RdmaByteBufAllocator.DEFAULT.buffer(LARGE).writeZero(LARGE).release();
                Deadline.ofSeconds(PATIENCE_SECONDS).until("the echo", () -> echoed.count() == LARGE);
                assertThat(echoed.firstDifference()).as("the same bytes, round %d", i).isEqualTo(-1);
                client.close().sync();
            }
        }
    }

    /** Closes after that many bytes. */
    private static final class CloserAfter extends ChannelInboundHandlerAdapter {

        private int left;

        CloserAfter(int bytes) {
            left = bytes;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf received = (ByteBuf) message;
            left -= received.readableBytes();
            received.release();
            if (left == 0) {
                context.close();
            }
        }
    }
}
