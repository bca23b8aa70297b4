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
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultFileRegion;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.protocol.FrameType;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.QueuePair;
import io.nettyrdma.verbs.QueuePairState;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import static org.assertj.core.api.Assertions.assertThat;

/** A peer disconnects without sending a frame, while its channel is open and while it closes. */
@Tag("device")
class DepartedPeerTest {

    private static final double SECONDS = 30;
    private static final int MESSAGES = 3;

    /** A peer that has left sends nothing more. */
    @Test
    void peerLeavesInsteadOfAnswering() throws Exception {
        try (ChannelPair pair = new ChannelPair(ChannelInboundHandlerAdapter::new);
             RawPeer peer = RawPeer.heard(pair.address())) {
            ChannelFuture closed = pair.accepted().close();
            peer.next(FrameType.FIN);
            peer.disconnect();
            Deadline.ofSeconds(SECONDS).until("the close", closed::isSuccess);
        }
    }

    /** The peer waits for our answer, which waits for an acknowledgement. */
    @Test
    void departedPeerConfirmsNoFin() throws Exception {
        SoftHca.assumeItIsTheDevice();
        try (ChannelPair pair = new ChannelPair(ChannelInboundHandlerAdapter::new);
             RawPeer peer = RawPeer.heard(pair.address())) {
            RdmaChannel left = pair.accepted();
            SoftHca.faults(1, "acknowledge=1:3s");
            left.shutdownOutput();
            peer.next(FrameType.FIN);
            peer.leave();
            Deadline.ofSeconds(SECONDS).until("the news", () -> QueuePairOf.peerHasLeft(left));
            left.config().setOption(ChannelOption.SO_LINGER, 0);
            left.close().sync();
            Deadline.ofSeconds(SECONDS).until("its queue pair to go", () -> QueuePairOf.isGone(left));
            assertThat(left.loopCounters().get(RdmaCounter.DEPARTURES_TIMED_OUT)).isZero();
        } finally {
            SoftHca.noFaults();
        }
    }

    /** Receives may have been flushed before the event; the channel must still detect that nothing more comes. */
    @Test
    void peerLeavesWithoutAFrame() throws Exception {
        Recorder left = new Recorder();
        try (ChannelPair pair = new ChannelPair(() -> left); RawPeer peer = RawPeer.heard(pair.address())) {
            peer.disconnect();
            Deadline.ofSeconds(SECONDS).until("the end", () -> left.inactive().getCount() == 0);
            assertThat(left.failures()).hasSize(1);
        }
    }

    /** The peer has filled every receive, so none is flushed; and what siw is given after the end never completes. */
    @Test
    void peerLeavesWhenNoReceiveIsPosted() throws Exception {
        Recorder left = new Recorder();
        CountDownLatch busy = new CountDownLatch(1);
        try (ChannelPair pair = new ChannelPair(() -> new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel child) {
                child.pipeline().addLast(left, new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelActive(ChannelHandlerContext context) {
                        awaitUninterruptibly(busy);
                    }
                });
            }
        }); RawPeer peer = RawPeer.connected(pair.address())) {
            int frames = peer.offer().granted();
            if (TestDevice.get().completesWhenTaken()) {
                // It opens the connection, and its receive is not posted again before the handlers return.
                peer.sendAndArrive(RawPeer.frame(FrameType.CREDIT));
                frames--;
            }
            RdmaChannel channel = pair.accepted();
            Deadline.ofSeconds(SECONDS).until("it is active", () -> left.events().contains("active"));
            QueuePair queuePair = QueuePairOf.channel(channel);
            SoftHca.faultsWhereItIsTheDevice(1, "swallow=1");
            for (int i = 0; i < frames; i++) {
                peer.send(RawPeer.frame(FrameType.CREDIT));
            }
            peer.awaitArrival(frames);
            peer.disconnect();
            if (TestDevice.get().completesWhenTaken()) {
                Deadline.ofSeconds(SECONDS).until("the end", () ->
                        queuePair.query().state() == QueuePairState.ERR);
            }
            busy.countDown();
            Deadline.ofSeconds(SECONDS).until("the channel's end", () -> left.inactive().getCount() == 0);
            assertThat(left.failures()).singleElement().extracting(Throwable::getMessage).asString()
                    .startsWith("Connection reset by peer: ");
        } finally {
            busy.countDown();
            SoftHca.noFaults();
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void emptyWriteSucceedsAfterPeerLeft() throws Exception {
        try (ChannelPair pair = new ChannelPair(ChannelInboundHandlerAdapter::new, server ->
                server.childOption(ChannelOption.AUTO_READ, false))) {
            RdmaChannel left = unreadWhenLeft(pair);
            assertThat(left.writeAndFlush(Unpooled.directBuffer(1)).await().cause()).isNull();
            assertThat(left.writeAndFlush(new DefaultFileRegion(new File("/dev/null"), 0, 0)).await().cause()).isNull();
            left.write(Unpooled.EMPTY_BUFFER);
            assertThat(left.writeAndFlush(Unpooled.directBuffer(1).writeZero(1)).await().cause())
                    .isInstanceOf(IOException.class);
        }
    }

    /** The first answer cannot be sent because the peer has left, but what it sent before is still read. */
    @Test
    void dataBeforeDisconnectIsReadAfterOurAnswer() throws Exception {
        List<Object> read = new CopyOnWriteArrayList<>();
        List<ChannelFuture> answers = new CopyOnWriteArrayList<>();
        try (ChannelPair pair = new ChannelPair(() -> new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                read.add(message);
                answers.add(context.writeAndFlush(message));
            }
        }, server -> server.childOption(ChannelOption.AUTO_READ, false))) {
            RdmaChannel left = unreadWhenLeft(pair);
            left.config().setAutoRead(true);
            assertThat(left.closeFuture().await(Deadline.scaledMillis((int) (1000 * SECONDS)))).isTrue();
            assertThat(read).hasSize(MESSAGES);
            // A channel is closed before its write promises fail.
            assertThat(answers).allSatisfy(each -> assertThat(each.await().cause()).isInstanceOf(IOException.class));
        }
    }

    /** The server's end, which does not read. It has received all messages and knows that the peer has left. */
    private static RdmaChannel unreadWhenLeft(ChannelPair pair) throws Exception {
        RdmaChannel client = pair.connect(new ChannelInboundHandlerAdapter());
        for (int i = 0; i < MESSAGES; i++) {
            client.writeAndFlush(Unpooled.wrappedBuffer(new byte[] { 1, 2, 3 })).sync();
        }
        client.close().sync();
        RdmaChannel left = pair.accepted();
        QueuePair queuePair = QueuePairOf.channel(left);
        Deadline.ofSeconds(SECONDS).until("the word that it has left", () ->
                queuePair.state() == QueuePairState.ERR);
        ChannelPair.letWork(left.eventLoop());
        return left;
    }
}
