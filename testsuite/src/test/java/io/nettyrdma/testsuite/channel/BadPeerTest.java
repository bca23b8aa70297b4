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
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.cm.CmEvent;
import io.nettyrdma.cm.CmEventType;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.protocol.AbortReason;
import io.nettyrdma.protocol.ConnectData;
import io.nettyrdma.protocol.FrameHeader;
import io.nettyrdma.protocol.FrameType;
import io.nettyrdma.protocol.ProtocolException;
import io.nettyrdma.protocol.RejectData;
import io.nettyrdma.protocol.RejectReason;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.LogLines;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;

import static io.nettyrdma.testsuite.channel.RawPeer.RECEIVES;
import static io.nettyrdma.testsuite.channel.RawPeer.frame;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A client connects that does not speak our protocol or violates it. Its connection ends with a reason; the server and
 * a connection that is open all the time continue.
 */
@Tag("device")
class BadPeerTest {

    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(10_000);
    /** The server's initial window, which does not grow under load. */
    private static final int WINDOW = 16;
    /** Must take a moment, not ten seconds. */
    private static final int REFUSALS = 20;
    private static final byte[] LETTERS = "abc".getBytes(StandardCharsets.US_ASCII);

    private final LeakWatch leaks = new LeakWatch();
    private final BlockingQueue<Recorder> recorders = new LinkedBlockingQueue<>();
    private ChannelPair pair;
    private SteadyConnection steady;

    @BeforeEach
    void startServer() throws Exception {
        pair = new ChannelPair(() -> new ChannelInitializer<SocketChannel>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                Recorder recorder = new Recorder();
                channel.pipeline().addLast(new EchoHandler(), recorder);
                recorders.add(recorder);
            }
        }, bootstrap -> bootstrap.childOption(RdmaChannelOption.MAX_WINDOW, WINDOW));
        steady = new SteadyConnection(pair);
        pair.accepted();
        recorders.take();
    }

    @AfterEach
    void stopServer() throws Exception {
        steady.close();
        pair.close();
        leaks.close();
    }

    private enum BadData {
        NONE("", RejectReason.NOT_OURS, "not of this protocol"),
        MAGIC("4e52444e 01 20 0000 00002000 00000010", RejectReason.NOT_OURS, "not of this protocol"),
        VERSION_2("4e52444d 02 20 0000 00002000 00000010", RejectReason.VERSION, "of version 2, 1 is spoken here"),
        VERSION_0("4e52444d 00 20 0000 00002000 00000010", RejectReason.VERSION, "of version 0"),
        LENGTH("4e52444d 01 1f 0000 00002000 00000010", RejectReason.BAD_DATA, "says 31, version 1 has 32"),
        CUT("4e52444d 01 20 0000 00002000", RejectReason.BAD_DATA, ""),
        NO_BUFFER("4e52444d 01 20 0000 00000000 00000010", RejectReason.BAD_DATA, "buffer in the connection data is 0"),
        SMALL_BUFFER("4e52444d 01 20 0000 0000003f 00000010", RejectReason.BAD_DATA, "not within 64 to 16777216"),
        HUGE_BUFFER("4e52444d 01 20 0000 ffffffff 00000010", RejectReason.BAD_DATA, "4294967295, not within"),
        NO_RECEIVE("4e52444d 01 20 0000 00002000 00000000", RejectReason.BAD_DATA, "granted in the connection data "),
        FEW_RECEIVES("4e52444d 01 20 0000 00002000 00000004", RejectReason.BAD_DATA, "not within 5 to 65536"),
        MANY_RECEIVES("4e52444d 01 20 0000 00002000 80000000", RejectReason.BAD_DATA, "2147483648, not within");

        private final byte[] bytes;
        private final RejectReason reason;
        private final String words;

        /** Pads with zeros to the length of the record, except where missing bytes are the error. */
        BadData(String hex, RejectReason reason, String words) {
            byte[] given = hex(hex);
            bytes = name().equals("CUT") || given.length == 0 ? given : Arrays.copyOf(given, ConnectData.SIZE);
            this.reason = reason;
            this.words = words;
        }
    }

    @ParameterizedTest
    @EnumSource
    void badConnectionDataIsRejectedWithTheReason(BadData bad) throws Exception {
        try (RawPeer peer = RawPeer.of(pair.address())) {
            CmEvent answer = peer.ask(bad.bytes);
            assertThat(answer.type()).as("%s", answer).isEqualTo(CmEventType.REJECTED);
            RejectData said = RejectData.decodeOrNull(answer.privateData());
            assertThat(said).as("%s", answer).isNotNull();
            assertThat(said.reason()).isEqualTo(bad.reason);
            assertThat(said.version()).isEqualTo(ConnectData.VERSION);
            assertThat(said.text()).contains(bad.words);
        }
        steady.assertGoesOn();
        assertThat(pair.listener().loopCounters().get(RdmaCounter.REQUESTS_REFUSED)).isEqualTo(1);
        assertThat(recorders).as("channels of the server").isEmpty();
        assertNewcomersAreServed();
    }

    private enum BadFrame {
        SHORT("01", "short frame: 1 bytes"),
        HALF_A_HEADER("01000000 000000", "short frame: 7 bytes"),
        TOO_LITTLE_CAME("01000000 00000004 00000010 00000000 616263", "the header says 4 bytes of payload, 3 came"),
        TOO_MUCH_CAME("01000000 00000002 00000010 00000000 616263", "the header says 2 bytes of payload, 3 came"),
        HUGE_LENGTH("01000000 ffffffff 00000010 00000000 616263", "wrong length: the header says 4294967295 bytes"),
        NO_TYPE("00000000 00000003 00000010 00000000 616263", "unknown type 0"),
        UNKNOWN_TYPE("07000000 00000003 00000010 00000000 616263", "unknown type 7"),
        FLAG("01010000 00000003 00000010 00000000 616263", "flags or reserved bytes"),
        RESERVED("01000001 00000003 00000010 00000000 616263", "flags or reserved bytes"),
        RECEIVES_OF_ONE_BYTE("01000000 00000003 00000010 00000001 616263", "receives of 1 bytes, not within 64 to "),
        EMPTY_DATA("01000000 00000000 00000010 00000000", "payload: DATA cannot have 0 bytes"),
        CREDIT_WITH_DATA("02000000 00000003 00000010 00000000 616263", "payload: CREDIT cannot have 3 bytes"),
        FIN_WITH_DATA("03000000 00000001 00000010 00000000 61", "payload: FIN cannot have 1 bytes"),
        ABORT_WITHOUT_REASON("04000000 00000003 00000010 00000000 616263", "payload: ABORT cannot have 3 bytes"),
        LONG_PING("05000000 00000009 00000010 00000000 010203040506070809", "payload: PING cannot have 9 bytes");

        private final byte[] bytes;
        private final String words;

        BadFrame(String hex, String words) {
            bytes = hex(hex);
            this.words = words;
        }
    }

    @ParameterizedTest
    @EnumSource
    void invalidFrameEndsItsConnection(BadFrame bad) throws Exception {
        try (RawPeer peer = connectAndEcho()) {
            peer.send(bad.bytes);
            assertViolation(peer, bad.words, "it begins " + HexFormat.of().formatHex(bad.bytes));
        }
    }

    /** The device itself rejects the frame, so no ABORT can be sent. */
    @Test
    void aFrameLongerThanTheBufferEndsItsConnection() throws Exception {
        try (RawPeer peer = connectAndEcho()) {
            peer.send(frame(FrameType.DATA, new byte[8192 - FrameHeader.SIZE + 1]));
            Recorder recorder = awaitEnd();
            assertThat(recorder.failures()).singleElement().isInstanceOf(IOException.class)
                    .extracting(Throwable::getMessage).asString()
                    .satisfies(text -> assertThat(FrameOracle.TOO_LONG_ENDS).anyMatch(text::startsWith));
        }
        steady.assertGoesOn();
    }

    @Test
    void decreasingAdvertisedCreditsEndTheConnection() throws Exception {
        try (RawPeer peer = connectAndEcho()) {
            peer.send(frame(FrameType.CREDIT.number(), 0, 0, RECEIVES - 1));
            assertViolation(peer, "credit goes back: " + (RECEIVES - 1) + " granted, it was " + RECEIVES);
        }
    }

    @Test
    void advertisedCreditsTooFarAheadEndTheConnection() throws Exception {
        try (RawPeer peer = connectAndEcho()) {
            peer.send(frame(FrameType.CREDIT.number(), 0, 0, Integer.MAX_VALUE));
            assertViolation(peer, "credit leaps: 2147483647 granted, ");
        }
    }

    /**
     * Control frames consume receives, which are posted again. But the server has nothing to send, so the peer does not
     * learn of them. On iWARP the peer does not even learn that the frames have arrived, and a frame that finds no
     * receive terminates the connection before the reason is sent.
     */
    @Test
    void moreFramesThanCreditsEndTheConnection() throws Exception {
        try (RawPeer peer = connectAndEcho()) {
            peer.sendAndArrive(frame(FrameType.PING, new byte[8]));
            int granted = FrameHeader.granted(peer.next(FrameType.PONG), 0);
            for (int sent = 2; sent < granted; sent++) {
                peer.sendAndArrive(frame(FrameType.CREDIT));
                if (sent % 8 == 0) {
                    letServerWork();
                }
            }
            letServerWork();
            peer.send(frame(FrameType.CREDIT));
            if (!TestDevice.get().waitsForReceives()) {
                // FrameFuzzTest checks the message at either end.
                assertEnds(IOException.class, "");
                peer.awaitDisconnected();
                steady.assertGoesOn();
                return;
            }
            assertViolation(peer, "credit overrun: " + (granted + 1) + " frames came, " + granted + " were granted");
        }
    }

    @Test
    void dataAfterFinEndsItsConnection() throws Exception {
        assertEndsAfterFin(frame(FrameType.DATA, LETTERS));
    }

    @Test
    void aSecondFinEndsItsConnection() throws Exception {
        assertEndsAfterFin(frame(FrameType.FIN));
    }

    private void assertEndsAfterFin(byte[] frame) throws Exception {
        try (RawPeer peer = connectAndEcho()) {
            pair.accepted().config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
            peer.sendAndArrive(frame(FrameType.FIN));
            Recorder recorder = recorders.element();
            Deadline.standard().until("the end", () ->
                    recorder.events().contains("ChannelInputShutdownReadComplete"));
            peer.send(frame);
            assertViolation(peer, "data after fin", "it begins " + HexFormat.of().formatHex(frame));
        }
    }

    @Test
    void abortIsSeenAsReset() throws Exception {
        try (RawPeer peer = connectAndEcho()) {
            peer.send(frame(FrameType.ABORT, hex("00000003 6c617465")));
            assertThat(awaitEnd().failures()).singleElement().isInstanceOf(IOException.class)
                    .extracting(Throwable::getMessage).asString().startsWith("Connection reset by peer: ")
                    .endsWith("reason TIMEOUT: late");
            peer.awaitDisconnected();
        }
        steady.assertGoesOn();
    }

    /** Otherwise it could add a line of its own to a log, or clear the terminal that shows it. */
    @Test
    void abortTextIsShownOnOneLine() throws Exception {
        try (RawPeer peer = connectAndEcho()) {
            peer.send(frame(FrameType.ABORT, abortSaying("late\r\nWARN all is lost\u001b[2J\u202e" + "x".repeat(800))));
            assertEnds(IOException.class, "Connection reset by peer: ", "TIMEOUT: late\\u000d\\u000aWARN all is lost"
                    + "\\u001b[2J\\u202exxx");
            peer.awaitDisconnected();
        }
        steady.assertGoesOn();
    }

    private static byte[] abortSaying(String words) {
        byte[] text = words.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(Integer.BYTES + text.length).putInt(AbortReason.TIMEOUT.number()).put(text).array();
    }

    /** All are counted, but a peer cannot fill a log by connecting repeatedly. */
    @Test
    void repeatedRejectionsAreRateLimitedInTheLog() throws Exception {
        try (LogLines warnings = new LogLines(RdmaServerChannel.class.getName(), Level.WARNING)) {
            for (int i = 1; i <= REFUSALS; i++) {
                try (RawPeer peer = RawPeer.of(pair.address())) {
                    assertThat(peer.ask(BadData.MAGIC.bytes).type()).isEqualTo(CmEventType.REJECTED);
                }
            }
            assertThat(pair.listener().loopCounters().get(RdmaCounter.REQUESTS_REFUSED)).isEqualTo(REFUSALS);
            assertThat(warnings.messages()).as("warnings in less than ten seconds").singleElement().asString()
                    .contains("refuses", "not of this protocol");
        }
    }

    /** A connection that an echo has shown to work. */
    private RawPeer connectAndEcho() throws Exception {
        RawPeer peer = RawPeer.connected(pair.address());
        try {
            peer.sendAndArrive(frame(FrameType.DATA, LETTERS));
            ByteBuffer echo = peer.next(FrameType.DATA).position(FrameHeader.SIZE);
            assertThat(StandardCharsets.US_ASCII.decode(echo).toString()).isEqualTo("abc");
            return peer;
        } catch (Throwable e) {
            peer.close();
            throw e;
        }
    }

    private void assertViolation(RawPeer peer, String... words) throws Exception {
        assertEnds(ProtocolException.class, words);
        ByteBuffer abort = peer.next(FrameType.ABORT).position(FrameHeader.SIZE);
        assertThat(abort.getInt()).isEqualTo(AbortReason.PROTOCOL_VIOLATION.number());
        assertThat(StandardCharsets.UTF_8.decode(abort).toString()).contains(words);
        peer.awaitDisconnected();
        steady.assertGoesOn();
    }

    /** Asserts that the server's only other channel fails and is closed. */
    private void assertEnds(Class<? extends IOException> failure, String... words) throws Exception {
        assertThat(awaitEnd().failures()).singleElement().isInstanceOf(failure)
                .extracting(Throwable::getMessage).asString().contains(words);
    }

    private Recorder awaitEnd() throws Exception {
        Recorder recorder = recorders.take();
        assertThat(recorder.inactive().await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS))
                .as("the channel ends, %s, %s", recorder.events(), recorder.failures()).isTrue();
        return recorder;
    }

    private void assertNewcomersAreServed() throws Exception {
        Recorder recorder = new Recorder();
        Channel newcomer = pair.connect(recorder);
        newcomer.writeAndFlush(Unpooled.wrappedBuffer(LETTERS)).sync();
        Deadline.standard().until("the echo of a newcomer", () -> recorder.count() == LETTERS.length);
        newcomer.close().sync();
        assertThat(recorder.failures()).isEmpty();
    }

    private void letServerWork() throws Exception {
        for (var loop : pair.group()) {
            ChannelPair.letWork((EventLoop) loop);
        }
    }

    private static byte[] hex(String digits) {
        return HexFormat.of().parseHex(digits.replace(" ", ""));
    }

}
