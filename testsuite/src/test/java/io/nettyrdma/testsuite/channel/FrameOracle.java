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

import io.nettyrdma.protocol.FrameHeader;
import io.nettyrdma.protocol.FrameType;
import io.nettyrdma.protocol.ProtocolException;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.zip.CRC32C;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Predicts from docs/wire-protocol.md how one end reacts to frames of the other. Violations within one frame are left
 * to {@link FrameHeader#check}, which has its own test against that page. The other end sends nothing but what it has
 * to: CREDIT, and a PONG for a PING.
 */
final class FrameOracle {

    /** The most that may be granted at a time. */
    static final int MOST_AHEAD = 65536;

    /** The completion or the event, whichever comes first. On siw it is the event. */
    static final List<String> TOO_LONG_ENDS = List.of("a receive failed: ", "the device reports QUEUE_PAIR_FATAL of ");

    enum Judgement {
        FINE,
        VIOLATION,
        /** Longer than the receive buffer, so that the receiver never examines it. */
        TOO_LONG,
        /** Valid, and ends the connection. */
        ABORT,
        /** Depends on what the other end has sent or granted meanwhile. */
        UNSURE
    }

    /** @param words beginnings of messages, one of which the other end may report. */
    record Verdict(Judgement judgement, List<String> words) {

        private static final Verdict UNSURE = new Verdict(Judgement.UNSURE, List.of());

        private static Verdict violation(String... words) {
            return new Verdict(Judgement.VIOLATION, List.of(words));
        }
    }

    private final int longest;
    /** Frames that this end has sent, and those that it may send. */
    private int sent;
    private int granted;
    /** Frames of the other end that have been examined, and those that it may send. */
    private int came;
    private int advertised;
    private boolean finished;
    /** Set while nothing has been sent that the other end could still answer. */
    private boolean quiet = true;
    private final CRC32C checksum = new CRC32C();
    private long bytes;
    private final Queue<Long> pings = new ArrayDeque<>();

    /**
     * @param longest the longest frame that the other end accepts.
     * @param granted credits that the other end advertised at the beginning.
     * @param advertised credits advertised to the other end at the beginning.
     * @param came frames that the other end has sent since.
     */
    FrameOracle(int longest, int granted, int advertised, int came) {
        this.longest = longest;
        this.granted = granted;
        this.advertised = advertised;
        this.came = came;
    }

    Verdict judge(byte[] bytesOfFrame) {
        if (bytesOfFrame.length > longest) {
            return new Verdict(Judgement.TOO_LONG, TOO_LONG_ENDS);
        }
        ByteBuffer frame = ByteBuffer.wrap(bytesOfFrame);
        try {
            FrameHeader.check(frame, 0, bytesOfFrame.length);
        } catch (ProtocolException e) {
            return Verdict.violation(e.getMessage());
        }
        if (mayFrames() == 0 && !quiet) {
            return Verdict.UNSURE;
        }
        long more = FrameHeader.granted(frame, 0) - advertised;
        long unused = advertised - came;
        if (!quiet && more <= MOST_AHEAD && more + unused > MOST_AHEAD) {
            return Verdict.UNSURE;
        }
        FrameType type = type(frame);
        List<String> words = new ArrayList<>();
        if (mayFrames() == 0) {
            words.add("credit overrun: ");
        }
        if (more < 0) {
            words.add("credit goes back: ");
        } else if (more + unused > MOST_AHEAD) {
            words.add("credit leaps: ");
        }
        if (finished && (type == FrameType.DATA || type == FrameType.FIN)) {
            words.add("data after fin");
        }
        if (!words.isEmpty()) {
            return new Verdict(Judgement.VIOLATION, words);
        }
        return type == FrameType.ABORT ? new Verdict(Judgement.ABORT, List.of("Connection reset by peer: "))
                : new Verdict(Judgement.FINE, List.of());
    }

    /** Records a valid frame that is sent. */
    void sent(byte[] bytesOfFrame) {
        ByteBuffer frame = ByteBuffer.wrap(bytesOfFrame);
        sent++;
        advertised = FrameHeader.granted(frame, 0);
        switch (type(frame)) {
        case DATA -> {
            quiet = false;
            bytes += bytesOfFrame.length - FrameHeader.SIZE;
            checksum.update(bytesOfFrame, FrameHeader.SIZE, bytesOfFrame.length - FrameHeader.SIZE);
        }
        case PING -> {
            quiet = false;
            pings.add(frame.getLong(FrameHeader.SIZE));
        }
        case FIN -> finished = true;
        default -> { }
        }
    }

    /** Records a frame of the other end, which obeys the protocol. */
    void came(ByteBuffer frame) {
        came++;
        assertThat(advertised - came).as("frames that it may still send").isNotNegative();
        int newGrant = FrameHeader.granted(frame, 0);
        assertThat(newGrant - granted).as("more receives that it has posted").isNotNegative();
        granted = newGrant;
        if (type(frame) == FrameType.PONG) {
            long answered = frame.getLong(FrameHeader.SIZE);
            assertThat(pings).as("PINGs that may be answered").contains(answered);
            while (pings.remove() != answered) {
                // A PONG answers the newest of several PINGs.
            }
        }
    }

    /** All has been read and all PINGs are answered: the other end has nothing to send. */
    void quiet() {
        assertThat(pings).isEmpty();
        quiet = true;
    }

    /** The number of frames that this end may send. */
    int mayFrames() {
        return granted - sent;
    }

    int sent() {
        return sent;
    }

    int came() {
        return came;
    }

    int advertised() {
        return advertised;
    }

    boolean isFinished() {
        return finished;
    }

    /** Payload bytes of all DATA frames. */
    long bytes() {
        return bytes;
    }

    long checksum() {
        return checksum.getValue();
    }

    private static FrameType type(ByteBuffer frame) {
        return FrameType.of(FrameHeader.type(frame, 0));
    }
}
