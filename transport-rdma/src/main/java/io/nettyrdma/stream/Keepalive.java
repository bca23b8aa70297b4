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
package io.nettyrdma.stream;

/**
 * Whether the peer is to be asked, or to be given up. Arithmetic only, and without a clock: the caller, who has the
 * timer, checks once in each interval. An interval in which nothing was heard counts only if all that had completed was
 * handed out meanwhile, twice: once for a peer whose completions the same loop has to hand out, and once for its
 * answer. So a loop that stands still does not take its own silence for the peer's.
 *
 * <pre>
 *   LISTENING ---silent: ASK---&gt; ASKING ---the PING is posted---&gt; ASKED
 *       ^                         |  |                            |  |
 *       +---------a frame---------+--|----------------------------+  |
 *                                    +----silent for too long--------+---&gt; DEAD
 * </pre>
 *
 * A PING that cannot be posted is one whose peer grants nothing, not even for frames of control, or whose device
 * acknowledges nothing: it has its time from the first silence on. A frame costs no look at anything: that something
 * was heard is noticed at the next check.
 */
public final class Keepalive {

    /** What a check found. */
    public enum Step {
        QUIET,
        /** A PING is due. */
        ASK,
        /** Nothing was heard for too long. */
        DEAD
    }

    private enum State { LISTENING, ASKING, ASKED }

    /** How often everything has to be handed out within an interval. */
    private static final int ROUNDS = 2;

    private final int silences;
    private State state = State.LISTENING;
    private boolean heard;
    /** Intervals without a frame, since one came or the PING was posted; the one before the PING is among them. */
    private int silent;
    /** When the interval began. */
    private long begun;

    /**
     * @param silences intervals without a frame after which a peer is dead, 2 or more: the first one has it asked.
     * @param rounds how often all that had completed on the connection's queue was handed out, up to now.
     */
    public Keepalive(int silences, long rounds) {
        if (silences < 2) {
            throw new IllegalArgumentException("a peer is asked after 1 silent interval, so it cannot be dead after "
                    + silences);
        }
        this.silences = silences;
        begun = rounds;
    }

    /** A frame came, whatever it was. */
    public void heard() {
        heard = true;
    }

    /** Whether a PING is due that was not posted yet. */
    boolean isAsking() {
        return state == State.ASKING;
    }

    /** The PING is posted now: from here on the peer has its time. */
    void asked(long rounds) {
        state = State.ASKED;
        silent = 1;
        begun = rounds;
    }

    /** At the end of an interval. */
    public Step check(long rounds) {
        if (heard) {
            heard = false;
            state = State.LISTENING;
            silent = 0;
            begun = rounds;
            return Step.QUIET;
        }
        if (rounds - begun < ROUNDS) {
            // What came may lie in the queue.
            return Step.QUIET;
        }
        begun = rounds;
        silent++;
        if (state == State.LISTENING) {
            state = State.ASKING;
            return Step.ASK;
        }
        return silent >= silences ? Step.DEAD : Step.QUIET;
    }
}
