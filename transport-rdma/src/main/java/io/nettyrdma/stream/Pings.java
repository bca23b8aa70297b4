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
 * The PINGs of a stream, and what its peer's PONGs say: that it is alive ({@link Keepalive}), or that it has everything
 * that came before FIN ({@link Confirmation}). They are numbered, so a PONG says which it answers.
 *
 * <p>Belongs to the event loop.
 */
final class Pings {

    /** {@code null} if nobody watches the peer. */
    private Keepalive keepalive;
    /** {@code null} where a send's completion says that the peer has it. */
    private Confirmation confirmation;
    private long last;
    /** The newest one that the peer has answered. */
    private long answered;

    /** A completion does not say that the peer has what was sent. */
    void requireConfirmation() {
        confirmation = new Confirmation();
    }

    boolean isConfirmationRequired() {
        return confirmation != null;
    }

    /** Whether FIN needs no PONG, or it has come. */
    boolean isConfirmed() {
        return confirmation == null || confirmation.isGiven();
    }

    /** FIN was sent. Returns whether a PING is due: only one that is unanswered has a receive of the peer for sure. */
    boolean mustConfirm() {
        return confirmation != null && !confirmation.isAsked() && answered >= last;
    }

    /** Asks whether the peer has what was sent up to now. */
    void confirm(ControlFrames control) {
        confirmation.asked(++last);
        control.ping(last);
    }

    void watch(Keepalive watched) {
        keepalive = watched;
    }

    /** At the end of an interval. Of {@link Keepalive.Step#ASK}, {@code control} has the PING afterwards. */
    Keepalive.Step check(long rounds, ControlFrames control) {
        sent(rounds, control);
        Keepalive.Step step = keepalive.check(rounds);
        if (step == Keepalive.Step.ASK) {
            control.ping(++last);
        }
        return step;
    }

    /** A PING for which there was no room at first goes with a later flush, and the peer's time begins then. */
    void sent(long rounds, ControlFrames control) {
        if (keepalive.isAsking() && control.isPingSent()) {
            keepalive.asked(rounds);
        }
    }

    /** A frame came. */
    void heard() {
        if (keepalive != null) {
            keepalive.heard();
        }
    }

    /** A PONG came. */
    void answered(long ping) {
        answered = Math.max(answered, ping);
        if (confirmation != null) {
            confirmation.answered(ping);
        }
    }
}
