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
package io.nettyrdma.link;

import io.nettyrdma.verbs.WorkCompletionStatus;

/**
 * The presence of a connection's peer, and the answer to its disconnect:
 *
 * <pre>
 *   DISCONNECTED ---our sends are acknowledged,---&gt; answer ---a flushed completion,---&gt; gone
 *                   or a second                                or a second
 * </pre>
 *
 * The peer keeps its queue pair ready until it gets our answer, see {@link Departure}, so that our sends in flight are
 * acknowledged. An earlier error state would flush sends that the peer has received. Belongs to the event loop.
 */
final class Peer {

    /** After these nothing is left that had completed before: the first of them may have begun earlier. */
    private static final int ROUNDS = 2;

    private final CmConnection connection;
    private PeerPresence presence = PeerPresence.EXPECTED;
    /** The answer to DISCONNECTED while it waits for our sends; {@code null} if it does not wait, or was sent. */
    private TimeLimit answer;
    /** After the answer: limits the wait for flushed completions. */
    private TimeLimit flush;
    private Runnable onGone;

    Peer(CmConnection connection) {
        this.connection = connection;
    }

    /** A work request has succeeded, or the connection is open. */
    void confirmed() {
        if (presence == PeerPresence.EXPECTED) {
            presence = presence.confirmed();
        }
    }

    void workFailed(WorkCompletionStatus status) {
        if (status == WorkCompletionStatus.FLUSHED) {
            presence = presence.flushed();
        }
    }

    /** Whether DISCONNECTED has come. */
    boolean hasLeft() {
        return presence.hasLeft();
    }

    /** Whether the peer has left and everything that it sent has been received. */
    boolean isGone() {
        return presence == PeerPresence.GONE;
    }

    /** Whether the peer has left and no send of ours will be acknowledged any more. */
    boolean isAnswered() {
        return hasLeft() && answer == null;
    }

    /**
     * Handles DISCONNECTED.
     *
     * @param whenGone called if no completion was flushed; no more data of the peer is to be expected then.
     */
    void left(Runnable whenGone) {
        presence = presence.left();
        onGone = whenGone;
        connection.stream().peerHasLeft();
        if (connection.isAcknowledged() && connection.stream().awaitsCompletions()) {
            answer = connection.later(this::answer);
        } else {
            answer();
        }
    }

    /** Answers if all sends are acknowledged. */
    void batchDone() {
        if (answer != null && !connection.stream().awaitsCompletions()) {
            answer();
        }
    }

    private void answer() {
        stop();
        connection.flushAfterDisconnect();
        awaitFlush(connection.rounds());
    }

    /**
     * iWARP's end of the connection flushes what is posted. That may be nothing if the peer had filled every receive:
     * siw accepts later posts and never completes them. So the wait for a flushed completion ends after a second, if
     * the loop has polled everything since. A loop with much to do has not polled what had completed when the time is
     * over.
     */
    private void awaitFlush(long startRounds) {
        flush = connection.later(() -> {
            if (connection.rounds() - startRounds < ROUNDS) {
                awaitFlush(startRounds);
            } else {
                presence = presence.flushed();
                onGone.run();
            }
        });
    }

    /** See {@link TimeLimit#check}. */
    void checkTime() {
        TimeLimit.check(answer);
        TimeLimit.check(flush);
    }

    /** Waits for nothing any more. */
    void stop() {
        TimeLimit.cancel(answer);
        answer = null;
        TimeLimit.cancel(flush);
    }
}
