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
import io.nettyrdma.link.Link;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.Collection;

/**
 * Sends what a channel had flushed before its close, and FIN behind it. The channel is closed already, as a TCP socket
 * is whose kernel still sends: see docs/decisions/0029. The link's departure follows.
 *
 * <pre>
 *   SENDING ---FIN is acknowledged, the peer has left, the connection has failed, the time is over---&gt; OVER
 * </pre>
 *
 * <p>Owns the messages and their promises. Those that are left at the end have not arrived, as far as this side can
 * know, and fail. Belongs to the event loop.
 */
final class Draining implements Link.Events {

    private final Link link;
    private final SocketAddress peer;
    /** {@code null} if there are none. */
    private final ChannelOutboundBuffer messages;
    /** Promises of shutdowns of the output, which wait for the same acknowledgement. */
    private final Collection<ChannelPromise> shutdowns;
    private boolean isOver;
    /** Why a message could not be sent: it and those behind it fail with this. */
    private Throwable writeFailure;
    private Runnable whenOver = () -> { };

    /**
     * @param writeFailure why the message behind the last one could not be sent; {@code null} if there is no reason.
     */
    Draining(Link link, SocketAddress peer, ChannelOutboundBuffer messages, Collection<ChannelPromise> shutdowns,
             Throwable writeFailure) {
        this.link = link;
        this.peer = peer;
        this.messages = messages;
        this.shutdowns = shutdowns;
        this.writeFailure = writeFailure;
    }

    /** Begins, with so much time in all. */
    void start(int millis) {
        link.drain(this, millis);
        finish();
    }

    /** Runs the task when this is over, perhaps at once. */
    void whenOver(Runnable task) {
        if (isOver) {
            task.run();
        } else {
            whenOver = task;
        }
    }

    // ---- of the link ----

    @Override
    public ChannelOutboundBuffer outbound() {
        return isOver ? null : messages;
    }

    @Override
    public void opened() {
        throw new IllegalStateException("it was open before the close");
    }

    @Override
    public void openFailed(Throwable cause) {
        throw new IllegalStateException("it was open before the close", cause);
    }

    @Override
    public void received() {
        // The channel is closed: the input drops it.
    }

    @Override
    public void batchDone() {
        endIfDrained();
    }

    /** A message that cannot be sent is the end of the stream. */
    @Override
    public void sendFailed(Throwable cause) {
        if (link.isBroken()) {
            end(cause);
            return;
        }
        writeFailure = cause;
        finishHere();
    }

    /** The peer may have received what is in flight, and its answer waits for that. It receives nothing more. */
    @Override
    public void peerLeft() {
        endIfDrained();
    }

    @Override
    public void failed(IOException cause) {
        end(cause);
    }

    @Override
    public void loopEnds() {
        // What is left has the loop's last second.
    }

    // ---- the way ----

    private void finish() {
        if (writeFailure != null) {
            finishHere();
        } else {
            try {
                link.finish(messages, Long.MAX_VALUE);
            } catch (Throwable e) {
                sendFailed(e);
            }
        }
        endIfDrained();
    }

    /** FIN follows what was sent, perhaps a part of the message that failed. */
    private void finishHere() {
        try {
            link.finish(null, 0);
        } catch (Throwable e) {
            end(e);
        }
    }

    private void endIfDrained() {
        if (!isOver && link.isDrained()) {
            end(null);
        }
    }

    /** @param cause {@code null} if all that was sent has arrived, as far as can be known. */
    private void end(Throwable cause) {
        if (isOver) {
            return;
        }
        isOver = true;
        // First: the device must not read memory that the application uses again when it is notified.
        link.depart();
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
