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
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.protocol.FrameType;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.Rounds;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A connection is ended by one side before the server's side is open, or while it opens. Each initialized child becomes
 * active and then inactive, so that programs can count them, and a child without a connection is not initialized.
 */
@Tag("device")
class EarlyEndTest {

    private static final int ROUNDS = Rounds.scaled(500);
    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(10_000);
    private static final byte[] BYTE = { 7 };
    /** A delay longer than any wait. */
    private static final String CONFIRMATION_IS_LATE = "ready-late=1:3s";

    private final Queue<Recorder> recorders = new ConcurrentLinkedQueue<>();

    @Test
    void anAbortAfterTheFirstByte() throws Exception {
        try (ChannelPair pair = new ChannelPair(this::recorder)) {
            for (int i = 0; i < ROUNDS; i++) {
                RdmaChannel client = pair.connect(new ChannelInboundHandlerAdapter());
                client.writeAndFlush(Unpooled.wrappedBuffer(BYTE));
                client.config().setOption(ChannelOption.SO_LINGER, 0);
                client.close().sync();
            }
            assertChildrenEnd(ROUNDS);
        }
        // An abort may overtake data that a socket would have lost as well.
        assertThat(recorders).allSatisfy(each -> assertThat(each.count()).isLessThanOrEqualTo(1))
                .allSatisfy(each -> assertThat(each.failures()).singleElement().isInstanceOf(IOException.class)
                        .extracting(Throwable::getMessage).asString().contains("reset"));
    }

    /** Data that has arrived is delivered before the reset is reported. */
    @Test
    void theFirstFramesComeBeforeTheConfirmation() throws Exception {
        assertReadBeforeReset(true);
    }

    @Test
    void theFirstFramesComeAfterTheConfirmation() throws Exception {
        assertReadBeforeReset(false);
    }

    private void assertReadBeforeReset(boolean late) throws Exception {
        try (ChannelPair pair = new ChannelPair(this::recorder)) {
            if (late) {
                SoftHca.assumeItIsTheDevice();
                SoftHca.faults(1, CONFIRMATION_IS_LATE);
            }
            try (RawPeer peer = RawPeer.connected(pair.address())) {
                peer.sendAndArrive(RawPeer.frame(FrameType.DATA, BYTE));
                peer.sendAndArrive(RawPeer.frame(FrameType.ABORT, new byte[] { 0, 0, 0, 1 }));
                assertChildrenEnd(1);
            } finally {
                endFaults(late);
            }
        }
        assertThat(recorders.element().bytes()).containsExactly(BYTE);
        assertThat(recorders.element().failures()).singleElement().isInstanceOf(IOException.class)
                .extracting(Throwable::getMessage).asString().contains("reset");
    }

    /** A confirmation that is lost every time it is sent must not keep a request waiting. */
    @Test
    void theFirstFrameOpensTheConnection() throws Exception {
        SoftHca.assumeItIsTheDevice();
        Recorder client = new Recorder();
        try (ChannelPair pair = new ChannelPair(() -> new Recorder(true))) {
            Channel channel;
            SoftHca.faults(1, "ready=1");
            try {
                channel = pair.connect(client);
                channel.writeAndFlush(Unpooled.wrappedBuffer(BYTE));
                Deadline.standard().until("the echo", () -> client.count() == 1);
            } finally {
                SoftHca.noFaults();
            }
            channel.close().sync();
        }
        assertThat(client.failures()).isEmpty();
    }

    private enum Moment {
        INITIALIZED(false), REGISTERED(false), INITIALIZED_TO_ABORT(true), REGISTERED_TO_ABORT(true);

        private final boolean aborts;

        Moment(boolean aborts) {
            this.aborts = aborts;
        }

        void closeIn(Channel channel) {
            if (aborts) {
                channel.config().setOption(ChannelOption.SO_LINGER, 0);
            }
            channel.close();
        }
    }

    /** As address filters and limiters do: they count the child and later uncount it. */
    @ParameterizedTest
    @EnumSource
    void childIsClosedByItsInitializer(Moment moment) throws Exception {
        Recorder client = new Recorder();
        try (ChannelPair pair = new ChannelPair(() -> new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(recorder(), closer(moment));
            }
        })) {
            pair.connect(client);
            assertThat(client.inactive().await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
            assertThat(client.events()).containsExactly("active", "inactive");
            assertChildrenEnd(1);
        }
        if (moment.aborts) {
            assertThat(client.failures()).singleElement().extracting(Throwable::getMessage).asString()
                    .contains("reset");
        } else {
            assertThat(client.failures()).isEmpty();
        }
        assertThat(recorders.element().failures()).isEmpty();
    }

    /** The frame that opens the connection is one of those that its end waits for. */
    @Test
    void childIsClosedByItsInitializerWhenAFrameOpensItsConnection() throws Exception {
        SoftHca.assumeItIsTheDevice();
        LeakWatch complaints = new LeakWatch();
        try (ChannelPair pair = new ChannelPair(() -> new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(recorder());
                channel.close();
            }
        })) {
            SoftHca.faults(1, CONFIRMATION_IS_LATE);
            try (RawPeer peer = RawPeer.connected(pair.address())) {
                for (int i = 0; i < 3; i++) {
                    peer.sendAndArrive(RawPeer.frame(FrameType.DATA, BYTE));
                }
                assertChildrenEnd(1);
            } finally {
                SoftHca.noFaults();
            }
        }
        complaints.close();
    }

    private static ChannelHandler closer(Moment moment) {
        return new ChannelInboundHandlerAdapter() {
            @Override
            public void handlerAdded(ChannelHandlerContext context) {
                if (moment.name().startsWith("INITIALIZED")) {
                    moment.closeIn(context.channel());
                }
            }

            @Override
            public void channelRegistered(ChannelHandlerContext context) {
                if (moment.name().startsWith("REGISTERED")) {
                    moment.closeIn(context.channel());
                }
                context.fireChannelRegistered();
            }
        };
    }

    /** The answer is on its way when the client gives up. On iWARP both devices have reported a connection by then. */
    @Test
    void programDoesNotLearnOfARequestThatIsNeverConfirmed() throws Exception {
        TestDevice.get().assumeThreeWayHandshake();
        try (ChannelPair pair = new ChannelPair(this::recorder)) {
            RawPeer peer = RawPeer.of(pair.address());
            peer.ask(RawPeer.data().encode());
            peer.close();
            Deadline.standard().until("the child", () -> pair.requested().size() == 1
                    && !pair.requested().get(0).isOpen());
            assertThat(pair.sum(RdmaCounter.CHILDREN_UNCONFIRMED)).isOne();
            // Its loop makes it look closed first.
            Deadline.standard().until("the room of the child", () -> pair.listener().acceptingChildren() == 0);
        }
        assertThat(recorders).isEmpty();
    }

    private Recorder recorder() {
        Recorder recorder = new Recorder();
        recorders.add(recorder);
        return recorder;
    }

    private void assertChildrenEnd(int count) throws Exception {
        Deadline.standard().until("the children", () -> recorders.size() == count);
        for (Recorder each : recorders) {
            assertThat(each.inactive().await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS))
                    .as("a child ends: %s, %s", each.events(), each.failures()).isTrue();
            assertThat(each.events()).containsExactly("active", "inactive");
        }
    }

    private static void endFaults(boolean were) throws Exception {
        if (were) {
            SoftHca.noFaults();
        }
    }
}
