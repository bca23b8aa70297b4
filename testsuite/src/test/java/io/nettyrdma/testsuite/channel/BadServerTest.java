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

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.cm.CmConnectionParameters;
import io.nettyrdma.cm.CmEvent;
import io.nettyrdma.cm.CmEventType;
import io.nettyrdma.cm.CmId;
import io.nettyrdma.io.ConnectRequests;
import io.nettyrdma.protocol.ConnectData;
import io.nettyrdma.protocol.ProtocolException;
import io.nettyrdma.protocol.RejectData;
import io.nettyrdma.protocol.RejectReason;
import io.nettyrdma.testsuite.support.ApiVariant;
import io.nettyrdma.testsuite.support.CmEvents;
import io.nettyrdma.testsuite.support.CmSide;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.RcSettings;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.WorkCompletionStatus;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** A server that does not speak our protocol, rejects or does not answer: the connect fails with a reason. */
@Tag("device")
class BadServerTest {

    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(10_000);
    private static final int IMPATIENCE_MILLIS = Deadline.scaledMillis(300);

    private final LeakWatch leaks = new LeakWatch();
    private final Recorder recorder = new Recorder();
    /** Provides the loops, and a server to connect to afterwards. */
    private ChannelPair pair;
    private CmEvents events;
    private CmId listener;

    @BeforeEach
    void listen() throws Exception {
        pair = new ChannelPair(EchoHandler::new);
        events = new CmEvents();
        listener = events.listen(TestDevice.get().ip(), 1);
    }

    @AfterEach
    void stop() throws Exception {
        assertThat(recorder.events()).as("what a channel reports that was never connected").isEmpty();
        assertThat(recorder.failures()).isEmpty();
        pair.connect(new Recorder()).close().sync();
        events.close();
        pair.close();
        leaks.close();
    }

    @Test
    void rejectionWithoutPrivateDataNamesTheAddress() throws Exception {
        ChannelFuture connect = connect(PATIENCE_MILLIS);
        events.awaitRequest(listener).newId().reject(new byte[0]);
        assertFails(connect, ConnectException.class, "Connection refused: ", listener.localAddress().toString());
    }

    @ParameterizedTest
    @EnumSource
    void rejectionWithRejectDataNamesReasonAndText(RejectReason reason) throws Exception {
        ChannelFuture connect = connect(PATIENCE_MILLIS);
        CmId requested = events.awaitRequest(listener).newId();
        requested.reject(new RejectData(9, reason, "try later").encode());
        assertFails(connect, ConnectException.class, "Connection refused: ", reason + ", try later");
    }

    private enum BadData {
        NONE(new byte[0], "the connection data is not of this protocol"),
        CUT(new ConnectData(1, 0, 8192, 0).encode(), "granted in the connection data is 0, not within"),
        BUFFER(new ConnectData(1, 0, 1 << 25, 16).encode(), "buffer in the connection data is 33554432"),
        VERSION_99(new ConnectData(99, 0, 8192, 16).encode(), "of version 99, 1 is spoken here");

        private final byte[] bytes;
        private final String words;

        BadData(byte[] bytes, String words) {
            this.bytes = bytes;
            this.words = words;
        }
    }

    /** The client disconnects from such a server before it sends a frame. */
    @ParameterizedTest
    @EnumSource
    void answerWithInvalidConnectDataFailsTheConnect(BadData bad) throws Exception {
        ChannelFuture connect = connect(PATIENCE_MILLIS);
        CmEvent request = events.awaitRequest(listener);
        assertThat(ConnectData.decode(request.privateData()).version()).isEqualTo(ConnectData.VERSION);
        try (CmSide side = new CmSide(events, request.newId(), RcSettings.of(ApiVariant.preferred()))) {
            side.expect(1);
            side.queuePair().accept(request, CmConnectionParameters.DEFAULT.withPrivateData(bad.bytes));
            assertFails(connect, ConnectException.class, listener.localAddress() + " accepted it, but ", bad.words,
                    "; check that the program there is one of this transport");
            assertThat(connect.cause()).hasRootCauseInstanceOf(ProtocolException.class);
            assertIsLeft(side);
            side.queuePair().queuePair().toError();
            assertThat(side.endpoint().receives().await().status()).as("no frame came")
                    .isEqualTo(WorkCompletionStatus.FLUSHED);
        }
    }

    @Test
    void missingAnswerTimesOut() throws Exception {
        ChannelFuture connect = connect(IMPATIENCE_MILLIS);
        CmEvent request = events.awaitRequest(listener);
        assertFails(connect, ConnectTimeoutException.class, "connection timed out after " + IMPATIENCE_MILLIS + " ms",
                listener.localAddress().toString());
        request.newId().close();
    }

    /** Its kernel would drop most of thousands of requests, and the client's would repeat them after seconds. */
    @Test
    void aServerThatDoesNotAnswerGetsALimitedNumberOfRequests() throws Exception {
        assumeTrue(TestDevice.get().connectsByHand(), "on iWARP a thread waits for each answer");
        Bootstrap oneLoop = new Bootstrap().group(pair.group().next()).channel(RdmaChannel.class).handler(
                new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                    }
                });
        CmId large = events.listen(TestDevice.get().ip(), 2 * ConnectRequests.MOST);
        List<ChannelFuture> connects = new ArrayList<>();
        for (int i = 0; i < ConnectRequests.MOST + 2; i++) {
            connects.add(oneLoop.connect(large.localAddress()));
        }
        List<CmId> requested = new ArrayList<>();
        while (requested.size() < ConnectRequests.MOST) {
            requested.add(events.awaitRequest(large).newId());
        }
        // Its steps are behind those of the others.
        oneLoop.connect(pair.address()).sync().channel().close().sync();
        events.assertNoMore();
        requested.get(0).reject(new byte[0]);
        requested.add(events.awaitRequest(large).newId());
        // A kernel may hand out requests in another order than they were sent.
        int port = requested.get(1).peerAddress().getPort();
        connects.stream().map(ChannelFuture::channel)
                .filter(each -> each.localAddress() instanceof InetSocketAddress local && local.getPort() == port)
                .findFirst().orElseThrow().close().sync();
        requested.add(events.awaitRequest(large).newId());
        for (CmId each : requested.subList(2, requested.size())) {
            each.reject(new byte[0]);
        }
        for (ChannelFuture each : connects) {
            assertThat(each.await(PATIENCE_MILLIS)).as("connecting ends").isTrue();
            assertThat(each.channel().closeFuture().await(PATIENCE_MILLIS)).as("the channel is closed").isTrue();
        }
    }

    /** The server's text is logged on one line and without control characters. */
    @Test
    void controlCharactersOfARejectionAreEscaped() throws Exception {
        ChannelFuture connect = connect(PATIENCE_MILLIS);
        events.awaitRequest(listener).newId().reject(new RejectData(1, RejectReason.CLOSING,
                "later\r\nWARN all is lost\u001b[2J").encode());
        assertFails(connect, ConnectException.class, "CLOSING, later\\u000d\\u000aWARN all is lost\\u001b[2J");
    }

    private ChannelFuture connect(int timeoutMillis) {
        return pair.bootstrap(recorder).option(ChannelOption.CONNECT_TIMEOUT_MILLIS, timeoutMillis)
                .connect(listener.localAddress());
    }

    /** The accepting side is rejected or, on iWARP, where the device established the connection, disconnected. */
    private void assertIsLeft(CmSide side) throws IOException {
        CmEvent event = events.await(side.id());
        if (TestDevice.get().connectsByHand()) {
            assertThat(event.type()).as("%s", event).isEqualTo(CmEventType.REJECTED);
            assertThat(RejectData.decodeOrNull(event.privateData()).reason()).isEqualTo(RejectReason.NOT_OURS);
            return;
        }
        assertThat(event.type()).as("%s", event).isEqualTo(CmEventType.ESTABLISHED);
        side.await(CmEventType.DISCONNECTED);
    }

    private static void assertFails(ChannelFuture connect, Class<? extends IOException> failure, String... words)
            throws Exception {
        assertThat(connect.await(PATIENCE_MILLIS)).as("connecting ends").isTrue();
        assertThat(connect.cause()).isInstanceOf(failure).hasMessageContainingAll(words);
        assertThat(connect.channel().closeFuture().await(PATIENCE_MILLIS)).as("the channel is closed").isTrue();
    }
}
