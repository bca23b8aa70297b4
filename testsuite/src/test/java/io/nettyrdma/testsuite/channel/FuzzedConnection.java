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

import io.netty.channel.Channel;
import io.nettyrdma.protocol.AbortReason;
import io.nettyrdma.protocol.ConnectData;
import io.nettyrdma.protocol.FrameHeader;
import io.nettyrdma.protocol.FrameType;
import io.nettyrdma.protocol.ProtocolException;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.TestDevice;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** A connection between a channel of ours and a peer that sooner or later violates the protocol. */
final class FuzzedConnection implements AutoCloseable {

    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(10_000);
    private static final int MOST_TURNS = 400;
    private static final int SELDOM = 300;
    private static final FrameOracle.Verdict OVERRUN_OR_RESET = new FrameOracle.Verdict(FrameOracle.Judgement.ABORT,
            List.of("credit overrun: ", "Connection reset by peer: "));

    /** Our end. */
    static final class Victim {

        private final Channel channel;
        private final Digest digest = new Digest();
        private final Recorder recorder = new Recorder();

        Victim(Channel channel) {
            this.channel = channel;
            channel.pipeline().addLast(digest, recorder);
        }

        private boolean wasActive() {
            return recorder.events().contains("active");
        }
    }

    private final RawPeer peer;
    private final Victim victim;
    private final Random random;
    private final FrameOracle oracle;
    private final FrameFuzzer fuzzer;
    /** Whether our end is certain to be able to send the reason for an abort. */
    private boolean maySpeak;
    /** Frames sent since our end was last heard. */
    private final List<byte[]> frames = new ArrayList<>();

    /**
     * @param peer closed with this object.
     * @param maySpeak whether our end may send from the beginning, and not only after it has received a frame and knows
     *        that the connection is established.
     */
    FuzzedConnection(RawPeer peer, Victim victim, boolean maySpeak, Random random) {
        this.peer = peer;
        this.victim = victim;
        this.maySpeak = maySpeak;
        this.random = random;
        ConnectData offer = peer.offer();
        oracle = new FrameOracle(offer.buffer(), offer.granted(), RawPeer.RECEIVES,
                peer.granted() - RawPeer.RECEIVES);
        fuzzer = new FrameFuzzer(random, oracle, offer.buffer());
    }

    /**
     * Sends frames until one is a violation, or until there are enough.
     *
     * @return how it ended.
     */
    String run() throws Exception {
        try {
            if (random.nextInt(8) != 0) {
                Deadline.standard().until("the channel is active", victim::wasActive);
            }
            for (int turns = random.nextInt(MOST_TURNS); turns > 0; turns--) {
                FrameOracle.Verdict end = random.nextInt(SELDOM) == 0 ? overrun() : sendSome();
                if (end != null) {
                    return assertEnds(end);
                }
                settle();
            }
            return random.nextBoolean() ? closeByTheBook() : leave();
        } catch (Exception | AssertionError e) {
            throw new AssertionError(victim.channel + ", " + victim.recorder.events() + ", "
                    + victim.recorder.failures() + "; the last of " + oracle.sent() + " frames: "
                    + frames.stream().map(HexFormat.of()::formatHex).toList(), e);
        }
    }

    /** The number of frames that the peer has sent. */
    int sent() {
        return oracle.sent();
    }

    /** Sends up to the granted number, but keeps one for a PING; returns how a frame ended it, or {@code null}. */
    private FrameOracle.Verdict sendSome() throws Exception {
        int count = random.nextInt(oracle.mayFrames());
        for (int i = 0; i < count; i++) {
            byte[] frame = fuzzer.next(peer.granted());
            FrameOracle.Verdict verdict = oracle.judge(frame);
            if (verdict.judgement() == FrameOracle.Judgement.UNSURE) {
                continue;
            }
            send(frame, verdict);
            if (verdict.judgement() != FrameOracle.Judgement.FINE) {
                sendAfterTheEnd(count - i);
                return verdict;
            }
        }
        return null;
    }

    /**
     * Sends all granted frames and one more, which finds a receive once the others have been processed. On iWARP the
     * time of that is unknown, and a frame that finds no receive ends the connection before the reason is sent.
     */
    private FrameOracle.Verdict overrun() throws Exception {
        while (oracle.mayFrames() > 0) {
            byte[] frame = fuzzer.withoutAnswer(peer.granted());
            send(frame, oracle.judge(frame));
        }
        peer.awaitArrival(frames.size());
        ChannelPair.letWork(victim.channel.eventLoop());
        byte[] frame = fuzzer.withoutAnswer(peer.granted());
        FrameOracle.Verdict verdict = TestDevice.get().waitsForReceives() ? oracle.judge(frame) : OVERRUN_OR_RESET;
        send(frame, verdict);
        return verdict;
    }

    private void send(byte[] frame, FrameOracle.Verdict verdict) throws IOException {
        frames.add(frame);
        peer.send(frame);
        if (verdict.judgement() == FrameOracle.Judgement.FINE) {
            oracle.sent(frame);
        }
    }

    /** These are not examined, but one that is too long would end the connection before the reason is sent. */
    private void sendAfterTheEnd(int most) throws IOException {
        for (int left = random.nextInt(most); left > 0; left--) {
            byte[] frame = fuzzer.next(peer.granted());
            if (oracle.judge(frame).judgement() != FrameOracle.Judgement.TOO_LONG) {
                frames.add(frame);
                peer.send(frame);
            }
        }
    }

    /** Asserts that the connection is alive and everything has arrived: the peer sends a PING and gets the PONG. */
    private void settle() throws Exception {
        awaitBytes();
        byte[] ping = fuzzer.right(FrameType.PING, peer.granted());
        send(ping, oracle.judge(ping));
        long asked = ByteBuffer.wrap(ping).getLong(FrameHeader.SIZE);
        ByteBuffer pong;
        do {
            pong = await(FrameType.PONG);
        } while (pong.getLong(FrameHeader.SIZE) != asked);
        peer.awaitArrival(frames.size());
        oracle.quiet();
        maySpeak = true;
        frames.clear();
    }

    private ByteBuffer await(FrameType type) throws IOException {
        ByteBuffer frame;
        do {
            frame = peer.next();
            oracle.came(frame);
            assertThat(FrameType.of(FrameHeader.type(frame, 0))).isIn(FrameType.CREDIT, FrameType.PONG, type);
        } while (FrameHeader.type(frame, 0) != type.number());
        return frame;
    }

    private void awaitBytes() throws Exception {
        Deadline.standard().until("bytes of DATA", () -> victim.digest.count() >= oracle.bytes());
        assertBytes();
    }

    private void assertBytes() {
        assertThat(victim.digest.count()).as("bytes of DATA").isEqualTo(oracle.bytes());
        assertThat(victim.digest.checksum()).as("their checksum").isEqualTo(oracle.checksum());
    }

    private String assertEnds(FrameOracle.Verdict verdict) throws Exception {
        Class<? extends IOException> failure = switch (verdict.judgement()) {
        case VIOLATION -> ProtocolException.class;
        default -> IOException.class;
        };
        if (verdict.judgement() == FrameOracle.Judgement.VIOLATION && maySpeak) {
            ByteBuffer abort = await(FrameType.ABORT).position(FrameHeader.SIZE);
            assertThat(abort.getInt()).isEqualTo(AbortReason.PROTOCOL_VIOLATION.number());
            assertBegins(StandardCharsets.UTF_8.decode(abort).toString(), verdict.words());
        }
        peer.awaitDisconnected();
        if (verdict == OVERRUN_OR_RESET && oracle.isFinished()) {
            return assertMayClose();
        }
        awaitClosed();
        assertThat(victim.recorder.failures()).singleElement().isInstanceOf(failure);
        String message = victim.recorder.failures().get(0).getMessage();
        assertBegins(message, verdict.words());
        if (victim.wasActive()) {
            assertBytes();
        }
        return message.split("[:;]| \\d")[0];
    }

    /** Our end had received FIN. It does not see a frame that found no receive, so it may ignore the reset. */
    private String assertMayClose() throws Exception {
        victim.channel.close();
        awaitClosed();
        assertThat(victim.recorder.failures()).allSatisfy(failure ->
                assertBegins(failure.getMessage(), OVERRUN_OR_RESET.words()));
        return "reset after FIN";
    }

    private static void assertBegins(String text, List<String> words) {
        assertThat(words).as("one of these begins: %s", text).anyMatch(text::startsWith);
    }

    /** Both ends send FIN, ours last. */
    private String closeByTheBook() throws Exception {
        if (!oracle.isFinished()) {
            byte[] fin = fuzzer.right(FrameType.FIN, peer.granted());
            send(fin, oracle.judge(fin));
            settle();
        }
        victim.channel.close();
        await(FrameType.FIN);
        if (TestDevice.get().completesWhenTaken()) {
            peer.send(RawPeer.pong(await(FrameType.PING)));
        }
        peer.awaitDisconnected();
        awaitClosed();
        assertThat(victim.recorder.failures()).isEmpty();
        return "closed by the book";
    }

    /** Disconnects without a frame. This is a reset, unless FIN was sent before. */
    private String leave() throws Exception {
        peer.disconnect();
        if (oracle.isFinished()) {
            victim.channel.close();
            awaitClosed();
            assertThat(victim.recorder.failures()).isEmpty();
            return "left after FIN";
        }
        awaitClosed();
        assertThat(victim.recorder.failures()).singleElement().isInstanceOf(IOException.class)
                .extracting(Throwable::getMessage).asString().startsWith("Connection reset by peer: ");
        return "left";
    }

    @Override
    public void close() throws IOException {
        peer.close();
    }

    private void awaitClosed() throws InterruptedException {
        assertThat(victim.channel.closeFuture().await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).as("it closes").isTrue();
    }
}
