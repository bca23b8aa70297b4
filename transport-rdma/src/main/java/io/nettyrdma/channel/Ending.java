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

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.FileRegion;
import io.netty.util.concurrent.Future;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.protocol.AbortReason;
import io.nettyrdma.verbs.WorkCompletion;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/**
 * Every way in which a channel ends: by its application, by its peer, by a failure, or with its loop.
 *
 * <p>A close or a shutdown of the output first sends the data that was flushed before it, up to SO_SNDBUF bytes, then
 * FIN, and completes when FIN is acknowledged. Data that is flushed later is not sent. So an application can rely on
 * the delivery of bytes whose write promise has completed. A close has a time limit. A shutdown of the output has none,
 * because the connection can still be read; a close that follows gives it one.
 *
 * <pre>
 *   close(), shutdownOutput()
 *           |
 *           v     FIN acknowledged; the peer has left; the connection failed; the time is over; aborted
 *        awaited ---------------------------------------------------------------------------------------&gt; done
 * </pre>
 *
 * {@link ChannelState} is the state of the channel meanwhile, {@link PeerPresence} what is known of the peer, and
 * {@link io.nettyrdma.stream.StreamInput.State} the last thing that the peer sent. The three are independent: a peer
 * may leave while its FIN is unread, and whether or not this side waits for an acknowledgement.
 *
 * <p>Belongs to the event loop.
 */
final class Ending {

    private final RdmaChannel channel;
    private final InboundReader inbound;
    private PeerPresence peer = PeerPresence.EXPECTED;
    private KeepaliveTimer keepalive;
    private final Deque<ChannelPromise> shutdowns = new ArrayDeque<>();
    /** {@code null} if no close is pending. */
    private Runnable close;
    private Future<?> timeout;
    /** The first reason why a message could not be sent. */
    private Throwable writeFailure;

    Ending(RdmaChannel channel, InboundReader inbound) {
        this.channel = channel;
        this.inbound = inbound;
    }

    // ---- the peer ----

    void completed(WorkCompletion completion) {
        peer = peer.after(completion);
    }

    /** The connection is open. */
    void opened() {
        peer = peer.confirmed();
    }

    /** Starts the keepalive, which detects a silent peer. */
    void watch() {
        keepalive = new KeepaliveTimer(channel, channel.connection(), this::peerIsDead);
        keepalive.start();
    }

    /** Whether a frame or the connection manager has confirmed the peer. */
    boolean isPeerThere() {
        return peer == PeerPresence.THERE;
    }

    /** Whether the peer has left and everything that it sent has been received. */
    private boolean isPeerGone() {
        return peer == PeerPresence.GONE;
    }

    /** Whether data that is written now may still reach the peer. */
    boolean hasPeer() {
        return inbound.failure() == null && !isPeerGone();
    }

    /** Fails flushed messages. While bytes are being read they wait, because a failed write closes the channel. */
    void refuse(ChannelOutboundBuffer in) throws IOException {
        if (removeEmpty(in)) {
            return;
        }
        if (inbound.failure() != null) {
            // The failure is known, although the pipeline is notified only after the last byte is read.
            throw inbound.failure();
        }
        if (!inbound.isBeingRead()) {
            throw ChannelErrors.brokenPipe(channel.remoteAddress());
        }
    }

    /**
     * Completes empty messages, which succeed without a peer, as over TCP, where they make no system call.
     *
     * @return whether no other message is flushed.
     */
    private static boolean removeEmpty(ChannelOutboundBuffer in) {
        for (Object message = in.current(); isEmpty(message); message = in.current()) {
            in.remove();
        }
        return in.isEmpty();
    }

    private static boolean isEmpty(Object message) {
        return message instanceof ByteBuf buffer && !buffer.isReadable()
                || message instanceof FileRegion region && region.count() == 0;
    }

    /** Handles DISCONNECTED. */
    void disconnected() {
        if (channel.isOpen() && !peer.hasLeft()) {
            peer = peer.left();
            channel.connection().peerLeft(() -> {
                peer = peer.flushed();
                settle();
            });
            settle();
        }
    }

    /** Acts on what is known of the peer. */
    void settle() {
        if (isPeerGone() && inbound.isEnded()) {
            // The peer has sent FIN and left, so it cannot receive the rest of our data.
            channel.actions().flushNow();
        } else if (isPeerGone() && !inbound.hasFailed()) {
            channel.failed(ChannelErrors.disconnected(channel.remoteAddress()));
        }
        inbound.makeRoom();
        endIfAcknowledged();
    }

    // ---- failures ----

    /** The connection is gone. A child's connection may never have been established. */
    void failed(IOException cause) {
        inbound.fail(cause);
        if (channel.state().isAccepting()) {
            channel.becomeActive();
        }
        if (!channel.config().isAutoClose()) {
            // An application that reads on after a failed write gets the write failure first, as with TCP.
            channel.actions().flushNow();
        }
        inbound.read();
        if (inbound.isStalled()) {
            // Received data can still be read later, but pending writes fail now.
            channel.actions().flushNow();
        }
        endIfAcknowledged();
    }

    /** A failure that the stream does not see. Aborts the connection if possible, without waiting for an answer. */
    void faulted(IOException cause) {
        if (channel.isOpen()) {
            abort(AbortReason.RESET);
            if (channel.connection() != null) {
                channel.connection().failed();
            }
            channel.failed(cause);
        }
    }

    private void peerIsDead(IOException cause) {
        abort(AbortReason.TIMEOUT);
        channel.failed(cause);
    }

    /** Sends ABORT if there is a connection. */
    private void abort(AbortReason reason) {
        if (channel.connection() != null) {
            channel.connection().abort(reason, "");
        }
    }

    /** An unsendable message ends the channel, as over TCP. A device that refuses a post ends the connection. */
    void sendFailed(IOException cause) {
        if (channel.connection().isBroken()) {
            channel.failed(cause);
        } else {
            channel.actions().writeFailed(cause);
        }
    }

    // ---- the application ----

    void shutdownOutput(ChannelPromise promise) {
        shutdowns.add(promise);
        finish();
    }

    void close(ChannelPromise promise, Throwable cause, ClosedChannelException closeCause) {
        if (cause != closeCause && writeFailure == null) {
            writeFailure = cause;
        }
        if (channel.state().isClosing()) {
            closeAgain(promise);
            return;
        }
        boolean aborts = channel.config().aborts() && channel.state() != ChannelState.REQUESTED;
        if (channel.state().hasPeer() && channel.isRegistered() && !aborts && !inbound.hasFailed()) {
            closeWhenAcknowledged(promise.isVoid() ? channel.newPromise() : promise, cause, closeCause);
            return;
        }
        if (channel.state() == ChannelState.ACCEPTING) {
            channel.becomeActive();
        }
        if (channel.state().isReadable() && aborts) {
            abort(AbortReason.RESET);
        }
        channel.actions().closeNow(promise, cause, closeCause);
    }

    private void closeAgain(ChannelPromise promise) {
        channel.closeFuture().addListener(closed -> promise.trySuccess());
        if (channel.state() == ChannelState.CLOSING && writeFailure != null) {
            finish();
        }
        // A child that still has its request aborts when the request is accepted.
        if (channel.config().aborts() && !channel.isRequested()) {
            giveUp(AbortReason.RESET);
        }
    }

    private void closeWhenAcknowledged(ChannelPromise promise, Throwable cause, ClosedChannelException closeCause) {
        close = () -> channel.actions().closeNow(promise, writeFailure == null ? cause : writeFailure, closeCause);
        timeout = channel.eventLoop().schedule(() -> {
            channel.counters().increment(RdmaCounter.CLOSES_TIMED_OUT);
            giveUp(AbortReason.TIMEOUT);
        }, channel.config().closeTimeoutMillis(), TimeUnit.MILLISECONDS);
        // Unread data must not keep the peer from reading ours.
        inbound.close();
        if (channel.state().isReadable()) {
            channel.become(ChannelState.CLOSING);
            finish();
        } else {
            channel.become(ChannelState.LEAVING);
        }
    }

    /** Closes the channel and fails all pending writes with the cause. */
    void closeBecause(IOException cause) {
        close(channel.voidPromise(), cause, (ClosedChannelException) new ClosedChannelException().initCause(cause));
    }

    /** The loop ends. The second call leaves no more time. */
    void loopEnds() {
        if (channel.state().isClosing()) {
            giveUp(AbortReason.RESET);
        } else {
            channel.closeDirectly();
        }
    }

    /** Ends a close that has waited long enough. A child becomes active first, for a moment. */
    void giveUp(AbortReason reason) {
        if (channel.state() == ChannelState.LEAVING) {
            channel.becomeActive();
        }
        abort(reason);
        cutShort();
    }

    // ---- FIN ----

    /** Sends flushed data, then FIN. */
    void finish() {
        if (!inbound.hasFailed()) {
            try {
                channel.connection().finish(writeFailure == null ? channel.actions().outbound() : null);
            } catch (IOException e) {
                sendFailed(e);
            }
        }
        endIfAcknowledged();
    }

    /** Netty has released the outbound buffer. FIN follows what was sent, unless FIN was sent before. */
    void outputShut() throws IOException {
        if (channel.state() == ChannelState.OPEN) {
            channel.become(ChannelState.OUTPUT_SHUT);
        }
        if (!inbound.hasFailed()) {
            channel.connection().finish(null);
        }
    }

    /** A peer that has left, or a connection that has failed, acknowledges nothing any more. */
    void endIfAcknowledged() {
        boolean awaited = close != null || !shutdowns.isEmpty();
        if (awaited && (inbound.hasFailed() || channel.connection().isDrained())) {
            for (ChannelPromise next = shutdowns.poll(); next != null; next = shutdowns.poll()) {
                channel.actions().shutdownOutputNow(next);
            }
            endClose();
        }
    }

    /** Ends all waits. Does nothing if there are none. */
    void cutShort() {
        for (ChannelPromise next = shutdowns.poll(); next != null; next = shutdowns.poll()) {
            next.tryFailure(new ClosedChannelException());
        }
        endClose();
    }

    /** The channel is closed. */
    void closed() {
        inbound.close();
        if (keepalive != null) {
            keepalive.stop();
        }
    }

    private void endClose() {
        Runnable ending = close;
        close = null;
        if (ending != null) {
            timeout.cancel(false);
            ending.run();
        }
    }
}
