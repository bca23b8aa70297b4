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
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.protocol.FrameType;
import io.nettyrdma.testsuite.channel.EitherPair.Carrier;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A channel without half closure closes at the end of its input. A handler that answers in a task of its loop must have
 * answered by then, however closely the end follows the bytes: over NIO the end comes in another turn.
 */
@Tag("device")
class EndOfInputTest {

    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(30_000);
    private static final byte[] BYTE = { 7 };
    private static final int WINDOW = 16;
    /** More than a window holds. */
    private static final int MUCH = 1 << 20;
    /** A delay longer than any wait. */
    private static final String CONFIRMATION_IS_LATE = "ready-late=1:3s";

    @ParameterizedTest
    @EnumSource
    void endOfInputFollowsTheTasksOfChannelRead(Carrier carrier) throws Exception {
        Recorder client = new Recorder();
        try (EitherPair pair = new EitherPair(carrier, () -> new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                ReferenceCountUtil.release(message);
                answer(context);
            }
        }, server -> { }, bootstrap -> { })) {
            DuplexChannel channel = (DuplexChannel) pair.connect(client);
            CountDownLatch arrived = new CountDownLatch(1);
            Future<?> blocked = pair.accepted().eventLoop().submit(() -> {
                arrived.await();
                return null;
            });
            channel.writeAndFlush(Unpooled.wrappedBuffer(BYTE)).sync();
            ChannelFuture end = channel.shutdownOutput();
            if (carrier == Carrier.RDMA && TestDevice.get().completesWhenTaken()) {
                // FIN is confirmed only by the peer's frame, and the peer's loop is blocked.
                ChannelPair.letWork(channel.eventLoop());
            } else {
                end.sync();
            }
            arrived.countDown();
            blocked.get();
            Deadline.standard().until("the answer", () -> client.count() == 1);
        }
    }

    /** The confirmation is late, so FIN opens the connection. */
    @Test
    void endOfInputFollowsTheTasksOfChannelActive() throws Exception {
        SoftHca.assumeItIsTheDevice();
        try (ChannelPair pair = new ChannelPair(() -> new ChannelInboundHandlerAdapter() {
            @Override
            public void channelActive(ChannelHandlerContext context) {
                answer(context);
            }
        })) {
            SoftHca.faults(1, CONFIRMATION_IS_LATE);
            try (RawPeer peer = RawPeer.connected(pair.address())) {
                peer.sendAndArrive(RawPeer.frame(FrameType.FIN));
                peer.next(FrameType.DATA);
            } finally {
                SoftHca.noFaults();
            }
        }
    }

    /** The peer is not stopped, however much it sends. */
    @Test
    void dataAfterInputShutdownIsDropped() throws Exception {
        Recorder client = new Recorder();
        Recorder server = new Recorder();
        try (ChannelPair pair = new ChannelPair(() -> server, bootstrap ->
                bootstrap.childOption(RdmaChannelOption.MAX_WINDOW, WINDOW))) {
            Channel channel = pair.connect(client);
            DuplexChannel child = pair.acceptedAndActive();
            child.shutdownInput().sync();
            ChannelFuture sent = channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[MUCH]));
            assertThat(sent.await(PATIENCE_MILLIS) && sent.isSuccess()).as("everything is sent").isTrue();
            child.writeAndFlush(Unpooled.wrappedBuffer(BYTE)).sync();
            Deadline.standard().until("the answer", () -> client.count() == 1);
            assertThat(server.count()).isZero();
        }
    }

    private static void answer(ChannelHandlerContext context) {
        context.executor().execute(() -> context.writeAndFlush(Unpooled.wrappedBuffer(BYTE)));
    }
}
