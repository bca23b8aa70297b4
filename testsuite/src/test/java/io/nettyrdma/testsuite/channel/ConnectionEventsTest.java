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
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.protocol.RejectReason;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.FlightRecording;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.AsyncEventType;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** JFR events of connections, listeners and devices. docs/observability.md has the table. */
@Tag("device")
class ConnectionEventsTest {

    /** More than the receives and SO_RCVBUF of a server that does not read. */
    private static final int BYTES = 8 << 20;

    @Test
    void connectAndAcceptHaveBothEndsAndADuration() throws Exception {
        try (FlightRecording recording = FlightRecording.of("Connect", "Accept");
             ChannelPair pair = new ChannelPair(ChannelInboundHandlerAdapter::new)) {
            RdmaChannel client = pair.connect(new ChannelInboundHandlerAdapter());
            RdmaChannel child = pair.accepted();
            for (RdmaChannel end : new RdmaChannel[] { client, child }) {
                RecordedEvent event = recording.await(end == client ? "Connect" : "Accept", of(end));
                assertThat(event.getString("peer")).isEqualTo(end.remoteAddress().toString());
                assertThat(event.getString("device")).isEqualTo(TestDevice.get().device().name());
                assertThat(event.getString("outcome")).isEqualTo("open");
                assertThat(event.getDuration()).isPositive();
                assertThat(event.getThread().getJavaName()).as("the loop").isNotEqualTo(
                        Thread.currentThread().getName());
            }
        }
    }

    @Test
    void refusedConnectHasTheExceptionAsItsOutcome() throws Exception {
        try (FlightRecording recording = FlightRecording.of("Connect");
             ChannelPair pair = new ChannelPair(ChannelInboundHandlerAdapter::new)) {
            pair.listener().close().sync();
            assertThatThrownBy(() -> pair.connect(new ChannelInboundHandlerAdapter()))
                    .isInstanceOf(ConnectException.class);
            RecordedEvent event = recording.await("Connect",
                    each -> pair.address().toString().equals(each.getString("peer")));
            assertThat(event.getString("outcome")).contains("Connection refused");
        }
    }

    @Test
    void peerWithoutOurProtocolIsRefusedWithTheReason() throws Exception {
        try (FlightRecording recording = FlightRecording.of("Refusal");
             ChannelPair pair = new ChannelPair(ChannelInboundHandlerAdapter::new);
             RawPeer peer = RawPeer.of(pair.address())) {
            peer.ask(new byte[0]);
            RecordedEvent event = recording.await("Refusal",
                    each -> pair.address().toString().equals(each.getString("local")));
            assertThat(event.getString("reason")).isEqualTo(RejectReason.NOT_OURS.toString());
            assertThat(event.getString("text")).contains("not of this protocol");
            assertThat(event.getString("peer")).contains(pair.address().getAddress().getHostAddress());
        }
    }

    @Test
    void closeNamesTheEndThatBegan() throws Exception {
        try (FlightRecording recording = FlightRecording.of("Close");
             ChannelPair pair = new ChannelPair(ChannelInboundHandlerAdapter::new)) {
            RdmaChannel client = pair.connect(new ChannelInboundHandlerAdapter());
            RdmaChannel child = pair.acceptedAndActive();
            client.close().sync();
            assertReason(recording, client, "closed by the program");
            assertReason(recording, child, "closed after the peer's FIN");
        }
    }

    @Test
    void abortHasItsReasonAtBothEnds() throws Exception {
        try (FlightRecording recording = FlightRecording.of("Close");
             ChannelPair pair = new ChannelPair(ChannelInboundHandlerAdapter::new)) {
            RdmaChannel client = pair.connect(new ChannelInboundHandlerAdapter(),
                    bootstrap -> bootstrap.option(ChannelOption.SO_LINGER, 0));
            RdmaChannel child = pair.acceptedAndActive();
            client.close().sync();
            assertReason(recording, client, "aborted by the program");
            assertThat(recording.await("Close", of(child)).getString("reason")).contains("Connection reset by peer");
        }
    }

    @Test
    void loopThatEndsIsAReason() throws Exception {
        try (FlightRecording recording = FlightRecording.of("Close")) {
            RdmaChannel client;
            RdmaChannel child;
            try (ChannelPair pair = new ChannelPair(ChannelInboundHandlerAdapter::new)) {
                client = pair.connect(new ChannelInboundHandlerAdapter());
                child = pair.acceptedAndActive();
            }
            // One of them may have got the other's FIN before its loop ended.
            assertThat(List.of(recording.await("Close", of(client)).getString("reason"),
                    recording.await("Close", of(child)).getString("reason"))).contains("the event loop ends");
        }
    }

    private static void assertReason(FlightRecording recording, RdmaChannel channel, String reason) throws Exception {
        assertThat(recording.await("Close", of(channel)).getString("reason")).isEqualTo(reason);
    }

    @Test
    void stallLastsUntilThePeerReads() throws Exception {
        Recorder recorder = new Recorder();
        try (FlightRecording recording = FlightRecording.of("Stall");
             ChannelPair pair = withoutReads(recorder)) {
            RdmaChannel client = pair.connect(new ChannelInboundHandlerAdapter());
            long atLeast = stall(client, pair.acceptedAndActive(), recorder);
            RecordedEvent event = recording.await("Stall",
                    of(client).and(each -> each.getDuration().toNanos() >= atLeast));
            assertThat(event.getString("device")).isEqualTo(TestDevice.get().device().name());
        }
    }

    @Test
    void stallBelowTheThresholdIsNotRecorded() throws Exception {
        Recorder recorder = new Recorder();
        try (FlightRecording recording = new FlightRecording(Duration.ofDays(1), "Stall");
             ChannelPair pair = withoutReads(recorder)) {
            RdmaChannel client = pair.connect(new ChannelInboundHandlerAdapter());
            stall(client, pair.acceptedAndActive(), recorder);
            assertThat(recording.events()).filteredOn(of(client)).isEmpty();
        }
    }

    private static ChannelPair withoutReads(Recorder recorder) throws Exception {
        return new ChannelPair(() -> recorder, server -> server.childOption(ChannelOption.AUTO_READ, false));
    }

    /**
     * A client sends to a server that does not read, and later reads all.
     *
     * @return nanoseconds that the stall has lasted at least.
     */
    private static long stall(RdmaChannel client, RdmaChannel child, Recorder recorder) throws Exception {
        client.writeAndFlush(Unpooled.wrappedBuffer(new byte[BYTES]));
        Deadline.standard().until("a stall", () -> child.loopCounters().get(RdmaCounter.PEERS_STOPPED) > 0
                && client.loopCounters().get(RdmaCounter.FLUSHES_WITHOUT_CREDIT) > 0);
        ChannelPair.letWork(client.eventLoop());
        long begin = System.nanoTime();
        ChannelPair.letWork(client.eventLoop());
        long atLeast = System.nanoTime() - begin;
        child.config().setAutoRead(true);
        Deadline.standard().until("all is read", () -> recorder.count() == BYTES);
        return atLeast;
    }

    @Test
    void windowThatGrowsIsRecorded() throws Exception {
        Recorder recorder = new Recorder();
        try (FlightRecording recording = FlightRecording.of("WindowChange");
             ChannelPair pair = new ChannelPair(() -> recorder)) {
            RdmaChannel client = pair.connect(new ChannelInboundHandlerAdapter());
            RdmaChannel child = pair.acceptedAndActive();
            client.writeAndFlush(Unpooled.wrappedBuffer(new byte[BYTES]));
            Deadline.standard().until("all is read", () -> recorder.count() == BYTES);
            RecordedEvent event = recording.await("WindowChange", of(child));
            assertThat(event.getInt("receives") > event.getInt("receivesBefore")
                    || event.getInt("bytes") > event.getInt("bytesBefore")).as("%s", event).isTrue();
        }
    }

    @Test
    void deviceEventHasItsTypeAndItsPort() throws Exception {
        SoftHca.assumeItIsTheDevice();
        try (FlightRecording recording = FlightRecording.of("DeviceEvent");
             ChannelPair pair = new ChannelPair(ChannelInboundHandlerAdapter::new)) {
            pair.connect(new ChannelInboundHandlerAdapter());
            SoftHca.control("port-down");
            SoftHca.control("port-up");
            RecordedEvent event = recording.await("DeviceEvent",
                    each -> each.getString("type").equals(AsyncEventType.PORT_ACTIVE.toString()));
            assertThat(event.getString("device")).isEqualTo(TestDevice.get().device().name());
            assertThat(event.getInt("port")).isEqualTo(1);
        }
    }

    /** Both ends are in this process: the local address distinguishes them. */
    private static Predicate<RecordedEvent> of(Channel channel) {
        InetSocketAddress local = (InetSocketAddress) channel.localAddress();
        InetSocketAddress remote = (InetSocketAddress) channel.remoteAddress();
        return event -> local.toString().equals(event.getString("local"))
                && remote.toString().equals(event.getString("peer"));
    }
}
