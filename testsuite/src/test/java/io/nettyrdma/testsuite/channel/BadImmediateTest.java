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

import io.netty.channel.ChannelOption;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.protocol.AbortReason;
import io.nettyrdma.protocol.FrameHeader;
import io.nettyrdma.protocol.FrameType;
import io.nettyrdma.protocol.Immediate;
import io.nettyrdma.protocol.ProtocolException;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.WorkCompletionStatus;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import static io.nettyrdma.testsuite.channel.RawPeer.frame;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** A client sends immediates that it must not send. Its connection ends, and no other. */
@Tag("device")
class BadImmediateTest {

    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(10_000);
    /** The server's initial window, which does not grow under load. */
    private static final int WINDOW = 16;

    private final LeakWatch leaks = new LeakWatch();
    private final Recorder recorder = new Recorder();
    private ChannelPair pair;
    private RawPeer peer;
    private RdmaChannel server;

    @BeforeEach
    void assumeImmediates() throws Exception {
        assumeTrue(TestDevice.get().device().capabilities().immediate(), "the device has no immediates");
    }

    private void connect(boolean remoteAccess) throws Exception {
        AtomicBoolean isFirst = new AtomicBoolean(true);
        pair = new ChannelPair(() -> isFirst.getAndSet(false) ? recorder : new EchoHandler(), bootstrap -> bootstrap
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childOption(RdmaChannelOption.INITIAL_WINDOW, WINDOW).childOption(RdmaChannelOption.MAX_WINDOW, WINDOW)
                .childOption(RdmaChannelOption.REMOTE_ACCESS, remoteAccess));
        peer = RawPeer.heard(pair.address());
        server = pair.accepted();
    }

    @AfterEach
    void close() throws Exception {
        if (pair != null) {
            peer.close();
            pair.close();
            leaks.close();
        }
    }

    @Test
    void validImmediateIsDelivered() throws Exception {
        connect(true);
        peer.sendImmediate(Immediate.ofApplication(5));
        Deadline.standard().until("the event", () -> recorder.events().contains("RdmaImmediate"));
        assertThat(server.isActive()).isTrue();
    }

    /** Without its top bit it is no value of an application, and the protocol has no other yet. */
    @Test
    void reservedImmediateEndsTheConnection() throws Exception {
        connect(true);
        peer.sendImmediate(7);
        assertViolation("immediate data 0x7");
    }

    @Test
    void immediateAfterFinEndsTheConnection() throws Exception {
        connect(true);
        peer.sendAndArrive(frame(FrameType.FIN));
        Deadline.standard().until("the end of the input", () ->
                recorder.events().contains("ChannelInputShutdownReadComplete"));
        peer.sendImmediate(Immediate.ofApplication(5));
        assertViolation("where none is taken");
    }

    /** A channel without the option is protected by its queue pair: the device refuses. */
    @Test
    void immediateWithoutRemoteAccessEndsTheConnection() throws Exception {
        connect(false);
        peer.sendImmediate(Immediate.ofApplication(5));
        assertThat(peer.sent().status()).isNotEqualTo(WorkCompletionStatus.SUCCESS);
        // rxe refuses the request and leaves this side's queue pair as it is.
        peer.disconnect();
        assertThat(recorder.inactive().await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).as("the channel ends").isTrue();
        assertThat(recorder.events()).doesNotContain("RdmaImmediate");
    }

    /** The application does not read. Messages of the peer beyond the window find no receive, and cost nothing. */
    @Test
    void aFloodIsBoundedByTheWindow() throws Exception {
        connect(true);
        server.config().setAutoRead(false);
        server.eventLoop().submit(() -> { }).sync();
        for (int i = 0; i < 2 * WINDOW; i++) {
            peer.sendImmediate(Immediate.ofApplication(i));
        }
        // Those that have a receive.
        peer.awaitArrival(WINDOW - 1);
        ChannelPair.letWork(server.eventLoop());
        assertThat(recorder.events()).doesNotContain("RdmaImmediate");
        SteadyConnection steady = new SteadyConnection(pair);
        steady.close();
        peer.disconnect();
        server.config().setAutoRead(true);
        assertThat(recorder.inactive().await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).as("the channel ends").isTrue();
        long taken = recorder.events().stream().filter("RdmaImmediate"::equals).count();
        assertThat(taken).as("immediates of the peer").isBetween(WINDOW - 1L, (long) WINDOW);
    }

    private void assertViolation(String text) throws Exception {
        assertThat(recorder.inactive().await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).as("the channel ends").isTrue();
        assertThat(recorder.failures()).singleElement().isInstanceOf(ProtocolException.class)
                .extracting(Throwable::getMessage).asString().contains(text);
        assertThat(server.loopCounters().get(RdmaCounter.PROTOCOL_VIOLATIONS)).isEqualTo(1);
        ByteBuffer abort = peer.next(FrameType.ABORT).position(FrameHeader.SIZE);
        assertThat(abort.getInt()).isEqualTo(AbortReason.PROTOCOL_VIOLATION.number());
        assertThat(StandardCharsets.UTF_8.decode(abort).toString()).contains(text);
    }
}
