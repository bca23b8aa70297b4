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
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.nettyrdma.link.LinkErrors;
import io.nettyrdma.recorder.Recorder;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Every way in which a channel ends: by its application, by its peer, by a failure, or with its loop.
 *
 * <p>A close is over at once for the application, as with TCP. The data flushed before it, up to SO_SNDBUF bytes, is
 * still sent, and FIN behind it, by a {@link Draining} that takes the messages along. A shutdown of the output sends
 * the same, and completes when FIN is acknowledged, or after FIN with the close; it has no time limit, because the
 * connection can still be read.
 *
 * {@link ChannelState} is the state of the channel, {@link PeerPresence} what is known of the peer, and
 * {@link io.nettyrdma.stream.StreamInput.State} the last thing that the peer sent. The three are independent: a peer
 * may leave while its FIN is unread, and whether or not this side waits for an acknowledgement.
 *
 * <p>Belongs to the event loop.
 */
final class Ending {

    /** Leaves out all messages that were not sent to their end. */
    static final long NO_MORE = -1;

    /**
     * @param messages the outbound buffer; {@code null} if there is none.
     * @param failure why a message could not be sent; {@code null} if there is no reason.
     */
    private record Rest(ChannelOutboundBuffer messages, Throwable failure) { }

    private final RdmaChannel channel;
    private final InboundReader inbound;
    private final Deque<ChannelPromise> shutdowns = new ArrayDeque<>();
    /** Whether the peer has left and everything that it sent has been received. */
    private boolean isPeerGone;
    /** What is to be sent after the close that has begun; {@code null} if there is none, or nothing. */
    private Rest rest;
    /** {@code null} unless the channel is closed and has left something to send. */
    private Draining draining;
    /** The failure of the messages that are not sent any more. */
    private Throwable reason;
    private boolean isLoopEnding;
    /** For the flight recorder: an exception, or words. */
    private Object why = "closed forcibly";

    Ending(RdmaChannel channel, InboundReader inbound) {
        this.channel = channel;
        this.inbound = inbound;
    }

    // ---- the peer ----

    /** Starts the keepalive, which detects a silent peer. */
    void startKeepalive() {
        channel.link().startKeepalive(channel.config().keepAliveMillis());
    }

    /** The peer has left, and all that it sent may have been received by now. */
    void peerLeft() {
        if (channel.link().isPeerGone()) {
            isPeerGone = true;
            channel.refuseWrites();
        }
        afterPeerStateChange();
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
     * Completes empty messages, which succeed without a peer, as with TCP, where they make no system call.
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

    /** Acts on what is known of the peer. */
    void afterPeerStateChange() {
        if (isPeerGone && inbound.isEnded()) {
            // The peer has sent FIN and left, so it cannot receive the rest of our data.
            channel.actions().flushNow();
        } else if (isPeerGone && !inbound.hasFailed()) {
            channel.failed(LinkErrors.disconnected(channel.remoteAddress()));
        }
        inbound.copyUnread();
        endIfAcknowledged();
    }

    // ---- failures ----

    /** The connection is gone. */
    void failed(IOException cause) {
        inbound.fail(cause);
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

    /** An unsendable message ends the channel, as with TCP. A device that refuses a post ends the connection. */
    void sendFailed(Throwable cause) {
        if (channel.link().isBroken()) {
            channel.failed(ChannelErrors.asIoException(cause));
        } else {
            channel.actions().writeFailed(cause);
        }
    }

    /** The event loop ends, and the channel with it. */
    void loopEnds() {
        isLoopEnding = true;
        channel.closeDirectly();
    }

    // ---- the application ----

    void shutdownOutput(ChannelPromise promise) {
        shutdowns.add(promise);
        finish();
    }

    /**
     * A close begins: sends what there is room for, or aborts. {@link #closed} follows.
     *
     * @return why the messages fail that are not sent.
     */
    Throwable begin(Throwable cause, ClosedChannelException closeCause) {
        why = why(cause, closeCause);
        reason = cause;
        boolean aborts = channel.config().aborts();
        if (hasPeer() && !aborts && !inbound.hasFailed()) {
            Throwable failure = sendFirst(cause == closeCause ? null : cause);
            reason = failure == null ? cause : failure;
        } else if (hasPeer() && aborts) {
            channel.link().abort();
        }
        if (channel.state() == ChannelState.ACCEPTING && channel.isRegistered()) {
            channel.announce();
        }
        return reason;
    }

    private Object why(Throwable cause, ClosedChannelException closeCause) {
        if (inbound.failure() != null || cause != closeCause) {
            // A handler closes the channel when it gets the failure.
            return inbound.failure() != null ? inbound.failure() : cause;
        }
        if (isLoopEnding) {
            return "the event loop ends";
        }
        if (channel.config().aborts()) {
            return "aborted by the program";
        }
        return inbound.isEnded() ? "closed after the peer's FIN" : "closed by the program";
    }

    /** The channel was connected, and is closed now. */
    void record() {
        Recorder.closed(channel.localAddress(), channel.remoteAddress(), channel.deviceName(), why);
    }

    /** Whether there is a connection. That of a child is open before it is registered. */
    private boolean hasPeer() {
        ChannelState state = channel.state();
        return channel.isRegistered() && (state.isReadable() || state == ChannelState.ACCEPTING);
    }

    /**
     * Sends what the peer has room for. The rest is sent when the channel is closed.
     *
     * @param failure why a message could not be sent: nothing that was not sent before it will be.
     * @return that, or why a message cannot be sent now.
     */
    private Throwable sendFirst(Throwable failure) {
        Throwable known = failure;
        if (failure == null) {
            try {
                channel.link().flush(channel.actions().outbound());
            } catch (Throwable e) {
                known = e;
            }
        }
        if (!shutdowns.isEmpty() && channel.isOpen()) {
            channel.pipeline().fireUserEventTriggered(ChannelOutputShutdownEvent.INSTANCE);
        }
        // A listener of a promise, or a handler, may have closed the channel; the device may have failed.
        if (channel.isOpen() && !channel.link().isBroken()) {
            rest = new Rest(channel.actions().outbound(), known);
        }
        return known;
    }

    /** Whether the end of a close waits for what is sent after it. */
    boolean lingers() {
        return rest != null && channel.config().lingerSeconds() > 0;
    }

    /**
     * Completes a close when all has arrived, or when SO_LINGER is over.
     *
     * @param leave closes the channel.
     */
    void linger(Runnable leave, Runnable completion) {
        leave.run();
        AtomicBoolean isCompleted = new AtomicBoolean();
        Runnable once = () -> {
            if (isCompleted.compareAndSet(false, true)) {
                completion.run();
            }
        };
        draining.whenOver(once);
        if (!isCompleted.get()) {
            channel.eventLoop().schedule(once, channel.config().lingerSeconds(), TimeUnit.SECONDS);
        }
    }

    // ---- FIN ----

    /** Sends flushed data, then FIN. */
    private void finish() {
        if (!inbound.hasFailed()) {
            try {
                channel.link().finish(channel.actions().outbound(), channel.config().getSendBufferSize());
            } catch (Throwable e) {
                sendFailed(e);
            }
        }
        endIfAcknowledged();
    }

    /** Netty has released the outbound buffer. FIN follows what was sent, unless FIN was sent before. */
    void outputShut() throws IOException {
        if (channel.state() == ChannelState.OPEN) {
            channel.setState(ChannelState.OUTPUT_SHUT);
        }
        if (!inbound.hasFailed()) {
            channel.link().finish(null, 0);
        }
    }

    /** A peer that has left, or a connection that has failed, acknowledges nothing any more: then it is drained. */
    void endIfAcknowledged() {
        if (!shutdowns.isEmpty() && channel.link().isDrained()) {
            for (ChannelPromise next = shutdowns.poll(); next != null; next = shutdowns.poll()) {
                channel.actions().shutdownOutputNow(next);
            }
        }
    }

    /** The channel is closed: nothing is read, and waiting shutdowns fail. The outbound buffer still exists. */
    void closed() {
        inbound.close();
        Rest remainder = rest;
        rest = null;
        if (remainder != null) {
            drain(remainder);
            return;
        }
        for (ChannelPromise next = shutdowns.poll(); next != null; next = shutdowns.poll()) {
            next.tryFailure(new ClosedChannelException());
        }
        if (channel.link() != null) {
            channel.link().depart();
        }
        channel.actions().failLast(reason == null ? new ClosedChannelException() : reason);
    }

    /**
     * Takes the messages and the shutdowns along. Shutdowns for which only the acknowledgement of FIN is missing end
     * here. Programs know from TCP that a shutdown is over before channelInactive, and some wait without an end in the
     * other order:
     *
     * <pre>
     *   this side                     the peer
     *   ---------                     --------
     *   shutdownOutput()
     *        -----------FIN-----------&gt;
     *        &lt;----------FIN------------ closes
     *   closes, channelInactive
     *        &lt;-----acknowledgement----  of the first FIN, which a device may report late
     * </pre>
     */
    private void drain(Rest remainder) {
        long maxBytes = remainder.failure == null ? channel.config().getSendBufferSize() : NO_MORE;
        ChannelOutboundBuffer messages = channel.actions().takeLast(remainder.messages, maxBytes);
        List<ChannelPromise> waiting = List.copyOf(shutdowns);
        shutdowns.clear();
        boolean areOver = channel.link().isFinSent() && (messages == null || messages.isEmpty());
        draining = new Draining(channel.link(), channel.remoteAddress(), messages, areOver ? List.of() : waiting,
                remainder.failure);
        draining.start(channel.config().rdma(RdmaChannelOption.CLOSE_TIMEOUT_MILLIS));
        if (areOver) {
            // At last: their listeners find everything in order.
            waiting.forEach(ChannelPromise::trySuccess);
        }
    }
}
