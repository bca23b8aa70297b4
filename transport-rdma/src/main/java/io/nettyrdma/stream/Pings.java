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
 * The PINGs of a stream, and what the peer's PONGs confirm: that the peer is alive ({@link Keepalive}), or that it has
 * everything up to FIN ({@link Confirmation}). Or they confirm nothing and use up receives that are not needed any
 * more. PINGs are numbered, so a PONG identifies the one that it answers.
 *
 * <p>Belongs to the event loop.
 */
final class Pings {

    /** {@code null} if there is no keepalive. */
    private Keepalive keepalive;
    /** {@code null} where a send's completion implies that the peer has the data. */
    private Confirmation confirmation;
    private long last;
    /** The newest PING that the peer has answered. */
    private long answered;
    /** Whether PONGs are asked for to use up receives. */
    private boolean usesUp;

    /** Requires a PONG after FIN, because a completion does not imply that the peer has the data. */
    void requireConfirmation() {
        confirmation = new Confirmation();
    }

    boolean isConfirmationRequired() {
        return confirmation != null;
    }

    /** Whether FIN needs no PONG, or the PONG has arrived. */
    boolean isConfirmed() {
        return confirmation == null || confirmation.isGiven();
    }

    /** Whether a PING behind FIN is due. Not while another is unanswered: only one is certain to find a receive. */
    boolean mustConfirm() {
        return confirmation != null && !confirmation.isAsked() && answered >= last;
    }

    /** Requests a PING that asks whether the peer has everything sent so far. */
    void confirm(ControlFrames control) {
        confirmation.pingSent(++last);
        control.ping(last);
    }

    /** From now on each PONG may use up a receive, see {@link #useUp}. */
    void startUsingUp(StreamReceiver receiver, ControlFrames control) {
        usesUp = true;
        if (receiver.wantsUse()) {
            useUp(control);
        }
    }

    /** Requests a PING whose PONG uses up a receive, if that was asked for and no other PING is unanswered. */
    void useUp(ControlFrames control) {
        if (usesUp && answered >= last) {
            control.ping(++last);
        }
    }

    void start(Keepalive watched) {
        keepalive = watched;
    }

    /**
     * Called at the end of an interval. For {@link Keepalive.Step#ASK}, requests a PING from {@code control}.
     *
     * @param frameArrived whether a frame has arrived in the interval.
     */
    Keepalive.Step check(long rounds, boolean frameArrived, ControlFrames control) {
        if (frameArrived) {
            keepalive.onFrame();
        }
        sent(rounds, control);
        Keepalive.Step step = keepalive.check(rounds);
        if (step == Keepalive.Step.ASK) {
            control.ping(++last);
        }
        return step;
    }

    /** Starts the peer's time if the PING is sent. If there was no room for it, a later flush sends it. */
    void sent(long rounds, ControlFrames control) {
        if (keepalive.awaitsPing() && control.isPingSent()) {
            keepalive.pingSent(rounds);
        }
    }

    /** A PONG has arrived. */
    void answered(long ping) {
        answered = Math.max(answered, ping);
        if (confirmation != null) {
            confirmation.answered(ping);
        }
    }
}
