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
 *   close ---&gt; CONNECT_CALL_PENDING
 *                   |  rdma_connect returns
 *                   v
 *               FLUSHING ---flushed, and reported---&gt; DISCONNECTING
 *                   |                                     |
 *    the connection has failed, or a second is over    the same, or the peer's answer
 *                   |                                     |
 *                   +--------------&gt; DONE &lt;---------------+
 * </pre>
 *
 * CONNECT_CALL_PENDING: a connect call may be blocked on another thread. The id and the queue pair are not used before
 * it returns.
 *
 * <p>FLUSHING: an ABORT is acknowledged before this side disconnects. A peer that gets the disconnect first puts its
 * queue pair into the error state and receives no more frames, and ours does the same. The connection manager has
 * reported the connection, too: otherwise the kernel would repeat its reply to a peer that has gone, and keep the id
 * for a minute.
 *
 * <p>DISCONNECTING: this side has disconnected, and its queue pair stays ready. Its device acknowledges what the peer
 * still has in flight, again if an acknowledgement was lost. There are receives for all of it, because the peer has
 * credits for them. The peer answers when it waits for no more acknowledgements, see {@link Peer#left}. Otherwise its
 * writes would fail although they have arrived.
 *
 * <p>Belongs to the event loop.
 */
final class Departure {

    private enum State { CONNECT_CALL_PENDING, FLUSHING, DISCONNECTING, DONE }

    private final CmConnection connection;
    private final RdmaIoRegistration registration;
    private TimeLimit timeout;
    private State state = State.CONNECT_CALL_PENDING;

    Departure(CmConnection connection, RdmaIoRegistration registration) {
        this.connection = connection;
        this.registration = registration;
        connection.stopSending();
        advance();
    }

    /** Whether the queue pair may be destroyed. */
    boolean isOver() {
        return state == State.DONE;
    }

    /** See {@link TimeLimit#check}. */
    void checkTime() {
        TimeLimit.check(timeout);
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
            connection.stream().completed(completion, null);
            return;
        }
        connection.workFailed(completion, null);
        // A connection that is not reported yet leaves in advance(), when the report comes.
        if (state != State.CONNECT_CALL_PENDING && !connection.awaitsEstablishedEvent()) {
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
            revisit();
        }
    }

    private void advance() {
        if (state == State.CONNECT_CALL_PENDING && !connection.isConnectCallPending()) {
            state = State.FLUSHING;
            timeout = connection.later(this::timedOut);
        }
        if (state == State.FLUSHING && !connection.isAborting() && !connection.awaitsEstablishedEvent()) {
            if (connection.disconnect()) {
                state = State.DISCONNECTING;
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
        if (state == State.CONNECT_CALL_PENDING) {
            return;
        }
        leave();
        revisit();
    }

    /** Outside of a completion the loop does not check by itself whether the handle may go. */
    private void revisit() {
        if (isOver()) {
            registration.submit(RdmaIoOps.REVISIT);
        }
    }

    /** Disconnects, if that was not done: the kernel would, with its last call, and wait for the answer within it. */
    private void leave() {
        if (state == State.FLUSHING) {
            connection.disconnect();
        }
        gone();
    }

    private void gone() {
        state = State.DONE;
        TimeLimit.cancel(timeout);
    }
}
