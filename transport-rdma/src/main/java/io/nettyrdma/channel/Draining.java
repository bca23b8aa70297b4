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

import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.nettyrdma.cm.CmEvent;
import io.nettyrdma.cm.CmEventType;
import io.nettyrdma.io.RdmaIoEvent;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.protocol.AbortReason;
import io.nettyrdma.stream.StreamListener;
import io.nettyrdma.verbs.AsyncEvent;
import io.nettyrdma.verbs.WorkCompletion;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.Collection;

/**
 * Sends what a channel had flushed before its close, and FIN behind it. The channel is closed already, as a TCP socket
 * is whose kernel still sends: see docs/decisions/0029. The {@link Departure} of the connection follows.
 *
 * <pre>
 *                    the connection is open
 *   OPENING, a child -----------------------> SENDING
 *      |                                         |  FIN is acknowledged, the peer has left, the connection
 *      |  there will be none                     |  has failed
 *      |                                         |
 *      +-- the time is over, the loop ends ------+----> OVER
 * </pre>
 *
 * OPENING: the peer of a child that was closed early is connected, or will be, and has to see an end of the stream.
 * Nothing may be sent before.
 *
 * <p>Owns the messages and their promises. Those that are left at the end have not arrived, as far as this side can
 * know, and fail. Belongs to the event loop.
 */
final class Draining implements StreamListener {

    private enum State { OPENING, SENDING, OVER }

    private final ChannelHandle handle;
    private final EventLoop loop;
    private final SocketAddress peer;
    /** {@code null} if there are none. */
    private final ChannelOutboundBuffer messages;
    /** Promises of shutdowns of the output, which wait for the same acknowledgement. */
    private final Collection<ChannelPromise> shutdowns;
    /** {@code null} while the connection is not open. */
    private final KeepaliveTimer keepalive;
    private final Runnable whenOpened;
    private State state;
    /** Why a message could not be sent: it and those behind it fail with this. */
    private Throwable writeFailure;
    private boolean heardOfPeer;
    private boolean peerHasLeft;
    private TimeLimit limit;
    private Runnable whenOver = () -> { };

    /**
     * @param whenOpened called once, when the connection is open, or when there will be none; {@code null} if it is
     *         open.
     * @param writeFailure why the message behind the last one could not be sent; {@code null} if there is no reason.
     */
    Draining(RdmaChannel channel, ChannelOutboundBuffer messages, Collection<ChannelPromise> shutdowns,
             KeepaliveTimer keepalive, Runnable whenOpened, Throwable writeFailure) {
        handle = channel.handle();
        loop = channel.eventLoop();
        peer = channel.remoteAddress();
        this.messages = messages;
        this.shutdowns = shutdowns;
        this.keepalive = keepalive;
        this.whenOpened = whenOpened;
        this.writeFailure = writeFailure;
        state = whenOpened == null ? State.SENDING : State.OPENING;
    }

    /** Begins, with so much time in all. */
    void start(int millis) {
        limit = new TimeLimit(loop, millis, this::timedOut);
        if (keepalive != null) {
            keepalive.onDeath(this::peerIsDead);
        }
        if (state == State.SENDING) {
            finish();
        }
    }

    boolean isOver() {
        return state == State.OVER;
    }

    /** Runs the task when this is over, perhaps at once. */
    void whenOver(Runnable task) {
        if (isOver()) {
            task.run();
        } else {
            whenOver = task;
        }
    }

    // ---- events ----

    void handle(RdmaIoEvent event) {
        switch (event.kind()) {
        case COMPLETION -> completed(event.completion());
        case COMPLETIONS_DONE -> completionsDone();
        case CM_EVENT -> cmEvent(event.cmEvent());
        case ASYNC_EVENT -> asyncEvent(event.asyncEvent());
        default -> { }
        }
    }

    private void completed(WorkCompletion completion) {
        if (completion.isSuccess()) {
            heardOfPeer = true;
            handle.connection().completed(completion, messages);
        } else {
            handle.connection().workFailed(completion, messages);
        }
    }

    private void completionsDone() {
        if (state == State.OPENING && heardOfPeer) {
            try {
                handle.handshake().confirm();
                opened();
            } catch (IOException e) {
                failed(e);
            }
        }
        if (state == State.SENDING) {
            try {
                handle.connection().completionsDone(messages);
            } catch (Throwable e) {
                sendFailed(e);
            }
        }
        settle();
    }

    private void cmEvent(CmEvent event) {
        if (state == State.OPENING && !isOpenedBy(event)) {
            return;
        }
        if (event.type() == CmEventType.DEVICE_REMOVAL) {
            faulted(new IOException("the RDMA device of the connection to " + peer + " was removed"));
        } else if (event.type() == CmEventType.DISCONNECTED || event.type().isFailure()) {
            left();
        }
    }

    private boolean isOpenedBy(CmEvent event) {
        try {
            if (!handle.handshake().onEvent(event)) {
                return false;
            }
        } catch (Throwable e) {
            failed(ChannelErrors.asIoException(e));
            return false;
        }
        opened();
        return true;
    }

    private void asyncEvent(AsyncEvent event) {
        if (handle.connection() != null && handle.connection().isEndOfPeer(event)) {
            left();
        } else if (ChannelErrors.isFatal(event.type())) {
            faulted(ChannelErrors.reported(event));
        }
    }

    @Override
    public void aborted(AbortReason reason, String text) {
        failed(ChannelErrors.reset(peer, reason, text));
    }

    /** The peer may have received what is in flight, and its answer waits for that. It receives nothing more. */
    @Override
    public void left() {
        if (state == State.SENDING && !peerHasLeft) {
            peerHasLeft = true;
            handle.connection().peerLeft(this::settle);
            settle();
        }
    }

    /** Of the connection, or of its opening. */
    @Override
    public void failed(IOException cause) {
        end(cause);
    }

    private void faulted(IOException cause) {
        abort(AbortReason.RESET);
        if (handle.connection() != null) {
            handle.connection().failed();
        }
        end(cause);
    }

    private void peerIsDead(IOException cause) {
        abort(AbortReason.TIMEOUT);
        end(cause);
    }

    // ---- time ----

    /** See {@link TimeLimit#check}. */
    void checkTime() {
        limit.check();
    }

    private void timedOut() {
        handle.registration().loop().counters().increment(RdmaCounter.CLOSES_TIMED_OUT);
        abort(AbortReason.TIMEOUT);
        end(new IOException("Connection timed out: " + peer + " did not take what was sent before the close"));
    }

    /** There is no more time. */
    void giveUp() {
        abort(AbortReason.RESET);
        end(new IOException("the event loop has ended"));
    }

    private void abort(AbortReason reason) {
        if (!isOver() && handle.connection() != null) {
            handle.connection().abort(reason, "");
        }
    }

    // ---- the way ----

    private void opened() {
        state = State.SENDING;
        whenOpened.run();
        finish();
    }

    private void finish() {
        if (writeFailure != null) {
            finishHere();
        } else {
            try {
                handle.connection().finish(messages, Long.MAX_VALUE);
            } catch (Throwable e) {
                sendFailed(e);
            }
        }
        settle();
    }

    /** A message that cannot be sent is the end of the stream. */
    private void sendFailed(Throwable cause) {
        if (handle.connection().isBroken()) {
            end(cause);
            return;
        }
        writeFailure = cause;
        finishHere();
    }

    /** FIN follows what was sent, perhaps a part of the message that failed. */
    private void finishHere() {
        try {
            handle.connection().finish(null, 0);
        } catch (Throwable e) {
            end(e);
        }
    }

    private void settle() {
        if (state == State.SENDING && handle.connection().isDrained()) {
            end(null);
        }
    }

    /** @param cause {@code null} if all that was sent has arrived, as far as anybody will know. */
    private void end(Throwable cause) {
        if (isOver()) {
            return;
        }
        boolean isOpening = state == State.OPENING;
        state = State.OVER;
        limit.cancel();
        if (keepalive != null) {
            keepalive.stop();
        }
        // First: the device must not read memory that the application uses again when it is notified.
        handle.depart();
        if (isOpening) {
            whenOpened.run();
        }
        if (cause == null && (messages == null || messages.isEmpty())) {
            shutdowns.forEach(ChannelPromise::trySuccess);
        } else {
            // Without another reason the peer has left before it took everything.
            fail(cause == null ? ChannelErrors.brokenPipe(peer) : cause);
        }
        whenOver.run();
    }

    private void fail(Throwable cause) {
        ClosedChannelException closed = new ClosedChannelException();
        closed.initCause(cause);
        shutdowns.forEach(shutdown -> shutdown.tryFailure(closed));
        while (messages != null && messages.current() != null) {
            messages.remove(writeFailure == null ? closed : writeFailure);
        }
    }
}
