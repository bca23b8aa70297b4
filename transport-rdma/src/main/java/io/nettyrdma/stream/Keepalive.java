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
 * Decides when to send a PING to a silent peer, and when to give the peer up. Has no clock: the caller's timer checks
 * once in each interval. A silent interval counts only if everything that had completed was handed out twice within it:
 * once for a peer whose completions are handed out by the same loop, and once for its answer. So a loop that stands
 * still does not take its own silence for the peer's.
 *
 * <pre>
 *   LISTENING ---silent: ASK---&gt; ASKING ---the PING is posted---&gt; ASKED
 *       ^                         |  |                            |  |
 *       +---------a frame---------+--|----------------------------+  |
 *                                    +----silent for too long--------+---&gt; DEAD
 * </pre>
 *
 * If a PING cannot be posted, the peer grants nothing, not even for control frames, or its device acknowledges nothing.
 * Then its time counts from the first silent interval. A received frame only sets a flag, which the next check reads.
 */
public final class Keepalive {

    /** The result of a check. */
    public enum Step {
        QUIET,
        /** A PING is due. */
        ASK,
        /** Nothing was heard for too long. */
        DEAD
    }

    private enum State { LISTENING, ASKING, ASKED }

    /** How often everything must be handed out within an interval. */
    private static final int ROUNDS = 2;

    private final int silences;
    private State state = State.LISTENING;
    private boolean frameArrived;
    /** Silent intervals since a frame arrived or the PING was posted, including the one before the PING. */
    private int silent;
    /** The rounds at the beginning of the interval. */
    private long startRounds;

    /**
     * @param silences silent intervals after which a peer is dead, 2 or more: a PING is due after the first.
     * @param rounds how often everything that had completed on the connection's queue was handed out up to now.
     */
    public Keepalive(int silences, long rounds) {
        if (silences < 2) {
            throw new IllegalArgumentException("a peer is asked after 1 silent interval, so it cannot be dead after "
                    + silences);
        }
        this.silences = silences;
        startRounds = rounds;
    }

    /** A frame of any type has arrived. */
    public void onFrame() {
        frameArrived = true;
    }

    /** Whether a PING is due and not posted yet. */
    boolean awaitsPing() {
        return state == State.ASKING;
    }

    /** The PING is posted, and the peer's time begins. */
    void pingSent(long rounds) {
        state = State.ASKED;
        silent = 1;
        startRounds = rounds;
    }

    /** Called at the end of an interval. */
    public Step check(long rounds) {
        if (frameArrived) {
            frameArrived = false;
            state = State.LISTENING;
            silent = 0;
            startRounds = rounds;
            return Step.QUIET;
        }
        if (rounds - startRounds < ROUNDS) {
            // A frame may be in the completion queue.
            return Step.QUIET;
        }
        startRounds = rounds;
        silent++;
        if (state == State.LISTENING) {
            state = State.ASKING;
            return Step.ASK;
        }
        return silent >= silences ? Step.DEAD : Step.QUIET;
    }
}
