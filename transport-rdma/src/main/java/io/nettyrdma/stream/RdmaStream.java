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

import io.netty.channel.ChannelOutboundBuffer;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaCounters;
import io.nettyrdma.protocol.AbortReason;
import io.nettyrdma.protocol.ConnectData;
import io.nettyrdma.protocol.CreditDebt;
import io.nettyrdma.protocol.CreditWindow;
import io.nettyrdma.protocol.FrameHeader;
import io.nettyrdma.protocol.FrameType;
import io.nettyrdma.protocol.PeerText;
import io.nettyrdma.protocol.ProtocolException;
import io.nettyrdma.verbs.PostException;
import io.nettyrdma.verbs.QueuePair;
import io.nettyrdma.verbs.QueuePairState;
import io.nettyrdma.verbs.WorkCompletion;
import io.nettyrdma.verbs.WorkCompletionStatus;
import io.nettyrdma.verbs.WorkRequestId;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.RejectedExecutionException;

/**
 * One end of a byte stream, over a queue pair that its owner creates, connects and destroys. What the owner has to do:
 *
 * <pre>
 *   offer()                   queue pair in INIT; the answer goes into the connection data
 *   connected(peer's data)    before the queue pair is ready to receive
 *   flush(outbound)           when it may send, and whenever there is more
 *   completed(completion)     each completion of the queue pair,
 *   batchEnd(outbound)        and this after some of them, at the latest before the loop waits
 *   closeOutput() ... isDrained()      FIN, and until it is acknowledged
 *   release()                 after the queue pair was destroyed, or never got there
 * </pre>
 *
 * A completion queue needs room for {@link StreamConfig#sendQueue} plus {@link StreamConfig#maxWindow} completions of
 * each stream. Loop's thread only.
 */
public final class RdmaStream {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(RdmaStream.class);

    private final QueuePair queuePair;
    private final StreamMemory memory;
    private final StreamConfig config;
    private final RdmaCounters counters;
    private final long workRequestIds;
    private final StreamInput input;
    private final StreamListener listener;
    private final CreditDebt debt;
    private final StreamReceiver receiver;
    private final StagingSlots staging;
    private final Runnable replenishTask = this::replenishLater;

    private StreamState state = StreamState.IDLE;
    private CreditWindow credits;
    private StreamSender sender;
    private final Pings pings = new Pings();
    private boolean waitsForPeer;
    private boolean peerHasLeft;
    private boolean inBatch;
    private boolean taskScheduled;

    /**
     * @param queuePair as {@link StreamConfig#queuePair} asks for it.
     * @param counters of the loop.
     * @param workRequestIds the owner of all work requests, see {@link WorkRequestId#ofOwner}.
     * @param input gets what the peer sends.
     * @param listener learns why nothing comes any more, unless it is the peer's FIN.
     */
    public RdmaStream(QueuePair queuePair, StreamMemory memory, StreamConfig config, RdmaCounters counters,
                      long workRequestIds, StreamInput input, StreamListener listener) {
        if ((int) workRequestIds != 0) {
            throw new IllegalArgumentException("no owner of work requests: " + Long.toHexString(workRequestIds));
        }
        this.queuePair = queuePair;
        this.memory = memory;
        this.config = config;
        this.counters = counters;
        this.workRequestIds = workRequestIds;
        this.input = input;
        this.listener = listener;
        debt = new CreditDebt(StreamReceiver.initialWindow(queuePair, config));
        receiver = new StreamReceiver(queuePair, memory, config, debt, counters, workRequestIds, this::replenishSoon);
        input.attach(receiver);
        staging = new StagingSlots(memory.staging());
    }

    public StreamState state() {
        return state;
    }

    /**
     * Posts the first receives. The queue pair is in INIT or further.
     *
     * @return what the peer is to be told.
     * @throws IOException if there is no memory, or no receive could be posted; {@link #release} then.
     */
    public ConnectData offer() throws IOException {
        check(StreamState.IDLE);
        staging.open();
        receiver.open();
        state = StreamState.OFFERED;
        return new ConnectData(ConnectData.VERSION, 0, config.receiveBuffer(), debt.toTell(), 0, 0, 0);
    }

    /**
     * The peer's connection data is here. Nothing may be flushed before the queue pair is ready to send.
     *
     * @param peerSpeaksFirst whether the first frame has to be the peer's: on iWARP, if the peer connected.
     */
    public void connected(ConnectData peer, boolean peerSpeaksFirst) {
        check(StreamState.OFFERED);
        credits = new CreditWindow(peer.granted());
        OutboundMessages outbound = new OutboundMessages();
        FramePath path = new SendPath(queuePair, memory, staging, config, credits, debt, outbound, peer.buffer(),
                workRequestIds);
        ControlFrames control = new ControlFrames(Math.min(peer.buffer(), memory.staging().slotSize()));
        sender = new StreamSender(path, outbound, control, memory.registered(), config.zeroCopyThreshold(), debt,
                counters);
        waitsForPeer = peerSpeaksFirst;
        state = StreamState.OPEN;
    }

    /** The next flush sends a frame, though there be nothing to say: on iWARP, for a peer that waits for it. */
    public void greet() {
        connectedSender().control().credit();
    }

    /** A completion does not say that the peer has what was sent: it is to say so itself, before {@link #isDrained}. */
    public void requireConfirmation() {
        pings.requireConfirmation();
    }

    /**
     * Sends what was flushed, as far as the peer and the queue have room. Whatever is left is tried again by
     * {@link #batchEnd}. A flush from within, by a listener of a promise, is fine.
     *
     * @param in {@code null} if the channel has given its outbound buffer up.
     * @throws IOException if the device refuses, and then nothing can be sent any more; or what a file region threw.
     *         What was flushed before it was sent.
     */
    public void flush(ChannelOutboundBuffer in) throws IOException {
        if (!maySend()) {
            return;
        }
        try {
            sender.flush(in, true);
            if (sender.control().isFinSent()) {
                state = state.afterOwnFin();
                confirmFin();
            }
        } catch (PostException e) {
            checkEnded(e);
        }
    }

    /** What is sent from now on comes behind FIN. */
    private void confirmFin() throws IOException {
        if (pings.mustConfirm()) {
            pings.confirm(sender.control());
            sender.flush(null, false);
        }
    }

    /**
     * A work request of the stream ended. Promises are completed and the listener is called from within.
     *
     * @param in as for {@link #flush}.
     */
    public void completed(WorkCompletion completion, ChannelOutboundBuffer in) {
        inBatch = true;
        long id = completion.workRequestId();
        int number = WorkRequestId.number(id);
        boolean receive = WorkRequestId.kind(id) == WorkRequestId.Kind.RECEIVE;
        if (receive) {
            received(number, completion);
        } else {
            sender.completed(number, completion.isSuccess(), in);
        }
        if (!completion.isSuccess()) {
            // The queue pair is in its error state: what would be posted again would come back at once, for ever.
            receiver.close();
        }
        // Flushed ones say only that the queue pair is in its error state: why, another one says, or its owner knows.
        if (!completion.isSuccess() && completion.status() != WorkCompletionStatus.FLUSHED
                && (receive || !endsWithItsPeer())) {
            fail(new FailedCompletionException(receive ? "a receive" : "a send", completion));
        }
    }

    /**
     * Some completions were handled: posts receives again, tells the peer of them, and sends what can be sent now.
     *
     * @throws IOException as {@link #flush}, or if no receives could be posted.
     */
    public void batchEnd(ChannelOutboundBuffer in) throws IOException {
        inBatch = false;
        if (state.isConnected()) {
            try {
                replenish();
            } catch (IOException e) {
                // A stream that receives nothing hears of no credits either: there is nothing to wait for.
                close();
                throw e;
            }
        }
        flush(in);
    }

    /**
     * FIN is sent behind what is flushed by now, by the {@link #flush} that gets so far. The first time counts.
     *
     * @param most bytes that may still have to be sent before it. Of messages that are more, those are sent that come
     *        first and are not.
     */
    public void closeOutput(ChannelOutboundBuffer in, long most) {
        connectedSender().end(in, most);
    }

    /** FIN is sent behind what is sent by now, and nothing else, by the next {@link #flush} that has room for it. */
    public void cutOutput() {
        connectedSender().endHere();
    }

    /** Whether nothing is sent any more, since the stream is closed, or the device has refused a post. */
    public boolean isBroken() {
        return state == StreamState.CLOSED || sender != null && sender.isBroken();
    }

    /**
     * Whether FIN, or ABORT, has arrived at the peer's device, and so all that was before it. Where a completion does
     * not say so, the peer does; an abort does not wait for that.
     */
    public boolean isDrained() {
        return sender != null && sender.isDrained() && (pings.isConfirmed() || sender.control().isAbortSent());
    }

    /** Nobody reads what would be sent from now on. What is in flight goes on: the peer's device may have it. */
    public void peerHasLeft() {
        peerHasLeft = true;
    }

    /**
     * Whether a failure may be the peer's orderly leaving. On iWARP, TCP refuses what is sent after that, and the
     * device reports local errors of the send and of the queue pair before the connection manager reports the end.
     */
    public boolean endsWithItsPeer() {
        return pings.isConfirmationRequired() && state.hasEnded();
    }

    /** Whether completions of sends are still to come. They may say that the peer has what was sent. */
    public boolean awaitsCompletions() {
        return sender != null && sender.awaitsCompletions();
    }

    /** Whether an ABORT is on its way to the peer. */
    public boolean isAborting() {
        return sender != null && sender.control().isAbortSent() && !sender.isDrained();
    }

    /** Whether the device may still read what the application has written; all else that it reads is ours. */
    public boolean holdsMessages() {
        return sender != null && sender.holdsMessages();
    }

    /** Gives the connection up, and tells the peer if that is possible. What is in flight is still the device's. */
    public void abort(AbortReason reason, String text) {
        sendAbort(reason, text);
        close();
    }

    /** Begins to watch over the peer, by the caller's timer that calls {@link #keepalive(long)}. */
    public void watch(Keepalive watched) {
        pings.watch(watched);
    }

    /** Asks the peer whether it is alive, if it is time to; once in each interval. {@link Keepalive} has the rounds. */
    public Keepalive.Step keepalive(long rounds) throws IOException {
        Keepalive.Step step = pings.check(rounds, sender.control());
        if (step == Keepalive.Step.ASK) {
            sendControl();
            pings.sent(rounds, sender.control());
        }
        return step;
    }

    /**
     * Gives back all memory but what the application holds, which comes back later. The queue pair is destroyed, or
     * was reset: nothing else keeps the device from writing. Doing it twice does nothing.
     */
    public void release() {
        close();
        if (sender != null) {
            sender.release();
        }
        receiver.release();
        staging.close();
    }

    @Override
    public String toString() {
        return "stream over " + queuePair + ", " + state;
    }

    private void received(int slot, WorkCompletion completion) {
        receiver.completed(slot);
        boolean handed = false;
        try {
            if (completion.isSuccess() && state != StreamState.CLOSED) {
                handed = frame(slot, completion.byteLength());
            }
        } catch (ProtocolException e) {
            fail(e);
        } finally {
            if (!handed) {
                receiver.recycle(slot);
            }
        }
    }

    /** Returns whether the slot was handed on. */
    private boolean frame(int slot, int received) throws ProtocolException {
        ByteBuffer bytes = memory.receives().buffer(slot).clear();
        int at = memory.receives().offset(slot);
        FrameHeader.check(bytes, at, received);
        if (sender == null) {
            throw new ProtocolException("early data", bytes, at, received);
        }
        FrameType type = FrameType.of(FrameHeader.type(bytes, at));
        debt.received(type);
        credits.granted(FrameHeader.granted(bytes, at));
        waitsForPeer = false;
        pings.heard();
        int length = FrameHeader.length(bytes, at);
        if (type == FrameType.DATA) {
            checkInput(bytes, at, received);
            input.add(receiver.hand(slot, length));
            return true;
        }
        control(type, bytes, at, length);
        return false;
    }

    private void control(FrameType type, ByteBuffer bytes, int at, int length) throws ProtocolException {
        int payload = at + FrameHeader.SIZE;
        switch (type) {
        case FIN -> {
            checkInput(bytes, at, FrameHeader.SIZE);
            state = state.afterPeersFin();
            input.end();
        }
        case ABORT -> {
            AbortReason reason = AbortReason.of(bytes.getInt(payload));
            // Before the slot may be posted again.
            String text = PeerText.of(bytes, payload + FrameType.REASON_BYTES, length - FrameType.REASON_BYTES);
            close();
            listener.aborted(reason, text);
        }
        case PING -> sender.control().pong(bytes.getLong(payload));
        case PONG -> pings.answered(bytes.getLong(payload));
        default -> { }
        }
    }

    private void checkInput(ByteBuffer bytes, int at, int received) throws ProtocolException {
        if (!state.mayReceive()) {
            throw new ProtocolException("data after fin", bytes, at, received);
        }
    }

    private void fail(IOException cause) {
        if (state == StreamState.CLOSED) {
            return;
        }
        if (cause instanceof ProtocolException) {
            counters.increment(RdmaCounter.PROTOCOL_VIOLATIONS);
            sendAbort(AbortReason.PROTOCOL_VIOLATION, cause.getMessage());
        }
        close();
        listener.failed(cause);
    }

    /** Tries to; a connection that is given up gains nothing by a second failure. */
    private void sendAbort(AbortReason reason, String text) {
        if (!maySend()) {
            return;
        }
        sender.control().abort(reason, text);
        try {
            sender.flush(null, false);
        } catch (IOException | IllegalStateException e) {
            LOGGER.debug("{}: the peer is not told of {}", this, reason, e);
        }
    }

    /**
     * Sends and receives nothing any more, without a word to the peer. What is in flight is still the device's, and the
     * receives that are posted take what the peer has in flight.
     */
    public void close() {
        state = StreamState.CLOSED;
        if (sender != null) {
            sender.breakOff();
        }
        receiver.close();
    }

    /** Within a batch its end sees to it. */
    private void replenishSoon() {
        if (!inBatch && !taskScheduled) {
            try {
                memory.receives().loop().execute(replenishTask);
                taskScheduled = true;
            } catch (RejectedExecutionException e) {
                LOGGER.debug("{}: the loop ends, nothing is received any more", this, e);
            }
        }
    }

    private void replenish() throws IOException {
        try {
            receiver.replenish();
        } catch (PostException e) {
            checkEnded(e);
        }
    }

    /**
     * Whether a post was refused because the connection has ended, which was faster than its event: what comes flushed,
     * or DISCONNECTED, tells of it.
     *
     * @throws PostException if not.
     */
    private void checkEnded(PostException refused) throws PostException {
        if (!refused.isNotConnected()) {
            throw refused;
        }
        receiver.close();
    }

    private void replenishLater() {
        taskScheduled = false;
        if (!state.isConnected()) {
            return;
        }
        try {
            replenish();
            sendControl();
        } catch (IOException e) {
            fail(e);
        }
    }

    private void sendControl() throws IOException {
        if (maySend()) {
            try {
                sender.flush(null, false);
            } catch (PostException e) {
                checkEnded(e);
            }
        }
    }

    /** Frames may come before the owner has made the queue pair ready to send. */
    private boolean maySend() {
        return state.isConnected() && !waitsForPeer && !peerHasLeft && queuePair.state() == QueuePairState.RTS;
    }

    private StreamSender connectedSender() {
        if (sender == null) {
            throw new IllegalStateException(this + " is not connected yet");
        }
        return sender;
    }

    private void check(StreamState expected) {
        if (state != expected) {
            throw new IllegalStateException(this + " is not " + expected);
        }
    }
}
