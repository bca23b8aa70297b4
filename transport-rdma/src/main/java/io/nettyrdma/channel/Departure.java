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
package io.nettyrdma.channel;

import io.nettyrdma.cm.CmEvent;
import io.nettyrdma.cm.CmEventType;
import io.nettyrdma.io.RdmaIoEvent;
import io.nettyrdma.io.RdmaIoOps;
import io.nettyrdma.io.RdmaIoRegistration;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.verbs.WorkCompletion;

/**
 * What happens to a connection from the close of its channel until its queue pair may be destroyed. It does not need
 * the channel: by then all writes are acknowledged or have failed.
 *
 * <pre>
 *   close ---&gt; ASKING ---rdma_connect returns---&gt; SPEAKING ---spoken, and reported-----------&gt; LEAVING
 *                                                     |                                           |
 *                      the connection has failed, or a second is over         the same, or the peer's answer
 *                                                     |                                           |
 *                                                     +-------------------&gt; GONE &lt;----------------+
 * </pre>
 *
 * ASKING: a connect call may be blocked on another thread. Nobody uses the id or the queue pair before it returns.
 *
 * <p>SPEAKING: an ABORT is acknowledged before this side disconnects. A peer that gets the disconnect first puts its
 * queue pair into the error state and receives no more frames, and ours does the same. The connection manager has
 * reported the connection, too: otherwise the kernel would repeat its reply to a peer that has gone, and keep the id
 * for a minute.
 *
 * <p>LEAVING: this side has disconnected, and its queue pair stays ready. Its device acknowledges what the peer still
 * has in flight, again if an acknowledgement was lost. There are receives for all of it, because the peer has credits
 * for them. The peer answers when it waits for no more acknowledgements, see {@link RdmaConnection#peerLeft}. Otherwise
 * its writes would fail although they have arrived.
 *
 * <p>Belongs to the event loop.
 */
final class Departure {

    private enum State { ASKING, SPEAKING, LEAVING, GONE }

    private final RdmaConnection connection;
    private final RdmaIoRegistration registration;
    private TimeLimit timeout;
    private State state = State.ASKING;

    Departure(RdmaConnection connection, RdmaIoRegistration registration) {
        this.connection = connection;
        this.registration = registration;
        connection.silence();
        advance();
    }

    /** Whether the queue pair may be destroyed. */
    boolean isOver() {
        return state == State.GONE;
    }

    /** See {@link TimeLimit#check}. */
    void checkTime() {
        if (timeout != null) {
            timeout.check();
        }
    }

    void handle(RdmaIoEvent event) {
        switch (event.kind()) {
        case COMPLETION -> completed(event.completion());
        case COMPLETIONS_DONE -> advance();
        case CM_EVENT -> cmEvent(event.cmEvent());
        default -> { }
        }
    }

    private void completed(WorkCompletion completion) {
        if (completion.isSuccess()) {
            connection.completed(completion, null);
            return;
        }
        connection.workFailed(completion, null);
        // A connection that is not reported yet leaves in advance(), when the report comes.
        if (state != State.ASKING && !connection.isUnreported()) {
            leave();
        }
    }

    private void cmEvent(CmEvent event) {
        if (event.type() == CmEventType.DISCONNECTED || event.type() == CmEventType.DEVICE_REMOVAL
                || event.type().isFailure()) {
            end();
        } else {
            // The report that the disconnect waits for.
            advance();
            letGo();
        }
    }

    private void advance() {
        if (state == State.ASKING && !connection.isAsking()) {
            state = State.SPEAKING;
            timeout = connection.later(this::timedOut);
        }
        if (state == State.SPEAKING && !connection.isAborting() && !connection.isUnreported()) {
            if (connection.disconnect()) {
                state = State.LEAVING;
            } else {
                gone();
            }
        }
    }

    private void timedOut() {
        registration.loop().counters().increment(RdmaCounter.DEPARTURES_TIMED_OUT);
        end();
    }

    private void end() {
        if (state == State.ASKING) {
            return;
        }
        leave();
        letGo();
    }

    /** Outside of a completion the loop does not check by itself whether the handle may go. */
    private void letGo() {
        if (isOver()) {
            registration.submit(RdmaIoOps.REVISIT);
        }
    }

    /** Disconnects, if that was not done: the kernel would, with its last call, and wait for the answer within it. */
    private void leave() {
        if (state == State.SPEAKING) {
            connection.disconnect();
        }
        gone();
    }

    private void gone() {
        state = State.GONE;
        if (timeout != null) {
            timeout.cancel();
        }
    }
}
