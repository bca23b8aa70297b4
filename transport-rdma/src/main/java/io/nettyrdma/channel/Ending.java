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
 * Every way in which a channel ends: by its application, by its peer, by a failure, with its loop.
 *
 * <p>An application that closes, or shuts the output down, waits until all that it flushed before is sent, up to
 * SO_SNDBUF bytes, and FIN after that, and until FIN is acknowledged. What is flushed later is not sent. Whoever was
 * told that bytes are written may rely on it. A close has a time limit. A shutdown of the output has none, as the
 * connection is still good for reading; a close that follows gives it one.
 *
 * <pre>
 *   close(), shutdownOutput()
 *           |
 *           v     FIN acknowledged; the peer has left; the connection failed; the time is over; aborted
 *        awaited ---------------------------------------------------------------------------------------&gt; done
 * </pre>
 *
 * Where the channel is meanwhile, {@link ChannelState} says; what is known of the peer, {@link PeerPresence}; and what
 * it has said last, {@link io.nettyrdma.stream.StreamInput.State}. The three are independent: a peer may leave with its
 * FIN unread, and while this side waits for an acknowledgement, or does not.
 *
 * <p>Belongs to the event loop.
 */
final class Ending {

    private final RdmaChannel channel;
    private final InboundReader inbound;
    private PeerPresence peer = PeerPresence.EXPECTED;
    private KeepaliveTimer keepalive;
    private final Deque<ChannelPromise> shutdowns = new ArrayDeque<>();
    /** {@code null} if nobody has closed, or that is done. */
    private Runnable close;
    private Future<?> timeout;
    /** Why a message could not be sent. The first cause stays. */
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

    /** From now on the peer's silence is noticed. */
    void watch() {
        keepalive = new KeepaliveTimer(channel, channel.connection(), this::peerIsDead);
        keepalive.start();
    }

    /** Whether a frame, or the connection manager, has said that the peer is there. */
    boolean isPeerThere() {
        return peer == PeerPresence.THERE;
    }

    /** Whether the peer has left, and all that it had sent is here. */
    private boolean isPeerGone() {
        return peer == PeerPresence.GONE;
    }

    /** Whether what is written may still reach the peer. */
    boolean hasPeer() {
        return inbound.failure() == null && !isPeerGone();
    }

    /** What is flushed will not be sent. It waits while bytes are being read: a failed write closes the channel. */
    void refuse(ChannelOutboundBuffer in) throws IOException {
        if (removeEmpty(in)) {
            return;
        }
        if (inbound.failure() != null) {
            // It is known, though not told before the last byte is read.
            throw inbound.failure();
        }
        if (!inbound.isBeingRead()) {
            throw ChannelErrors.brokenPipe(channel.remoteAddress());
        }
    }

    /**
     * A message without bytes succeeds though there is no peer, as over TCP, where it is no system call.
     *
     * @return whether no other is flushed.
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

    /** DISCONNECTED has come. */
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

    /** What follows from what the peer is known to have done. */
    void settle() {
        if (isPeerGone() && inbound.isEnded()) {
            // It has said all that it had to, and is not there to hear the rest of ours.
            channel.actions().flushNow();
        } else if (isPeerGone() && !inbound.hasFailed()) {
            channel.failed(ChannelErrors.disconnected(channel.remoteAddress()));
        }
        inbound.makeRoom();
        endIfAcknowledged();
    }

    // ---- failures ----

    /** The connection is gone; of a child, it may be one that never was. */
    void failed(IOException cause) {
        inbound.fail(cause);
        if (channel.state().isAccepting()) {
            channel.becomeActive();
        }
        if (!channel.config().isAutoClose()) {
            // Who wants to read on after a failed write is told of that first, as with TCP.
            channel.actions().flushNow();
        }
        inbound.read();
        if (inbound.isStalled()) {
            // What came may still be read, some time; but who waits for his writes has waited long enough.
            channel.actions().flushNow();
        }
        endIfAcknowledged();
    }

    /** The stream itself does not see it. Where the peer can be told, it is, and nobody waits for its answer. */
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

    /** The peer is told, where it can be. */
    private void abort(AbortReason reason) {
        if (channel.connection() != null) {
            channel.connection().abort(reason, "");
        }
    }

    /** A message that cannot be sent ends the channel, as over TCP; a device that refuses ends the connection. */
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
        // A child that still has its request does it when that is accepted.
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
        // What nobody will read must not keep the peer from reading ours.
        inbound.close();
        if (channel.state().isReadable()) {
            channel.become(ChannelState.CLOSING);
            finish();
        } else {
            channel.become(ChannelState.LEAVING);
        }
    }

    /** Every write that is not done fails with the cause. */
    void closeBecause(IOException cause) {
        close(channel.voidPromise(), cause, (ClosedChannelException) new ClosedChannelException().initCause(cause));
    }

    /** The loop ends. Called again, there is no more time. */
    void loopEnds() {
        if (channel.state().isClosing()) {
            giveUp(AbortReason.RESET);
        } else {
            channel.unsafe().close(channel.voidPromise());
        }
    }

    /** The end of a close that has waited long enough. A child is active before it, for a moment. */
    void giveUp(AbortReason reason) {
        if (channel.state() == ChannelState.LEAVING) {
            channel.becomeActive();
        }
        abort(reason);
        cutShort(new ClosedChannelException());
    }

    // ---- FIN ----

    /** What is flushed goes first. */
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

    /** Netty has given the outbound buffer up. FIN follows what was sent, unless it was sent before. */
    void outputShut() throws IOException {
        if (channel.state() == ChannelState.OPEN) {
            channel.become(ChannelState.OUTPUT_SHUT);
        }
        if (!inbound.hasFailed()) {
            channel.connection().finish(null);
        }
    }

    /** A peer that has left acknowledges nothing any more, and no connection does that has failed. */
    void endIfAcknowledged() {
        boolean awaited = close != null || !shutdowns.isEmpty();
        if (awaited && (inbound.hasFailed() || channel.connection().isDrained())) {
            for (ChannelPromise next = shutdowns.poll(); next != null; next = shutdowns.poll()) {
                channel.actions().shutdownOutputNow(next);
            }
            endClose();
        }
    }

    /** Nobody waits any longer. Does nothing if nobody does. */
    void cutShort(Throwable cause) {
        for (ChannelPromise next = shutdowns.poll(); next != null; next = shutdowns.poll()) {
            next.tryFailure(cause);
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
