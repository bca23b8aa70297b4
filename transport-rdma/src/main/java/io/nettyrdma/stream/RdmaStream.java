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

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.metrics.RdmaChannelSnapshot;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.protocol.AbortReason;
import io.nettyrdma.protocol.ConnectData;
import io.nettyrdma.protocol.ProtocolException;
import io.nettyrdma.verbs.PostException;
import io.nettyrdma.verbs.WorkCompletion;
import io.nettyrdma.verbs.WorkCompletionStatus;
import io.nettyrdma.verbs.WorkRequestId;

import java.io.IOException;

/**
 * One end of a byte stream over a queue pair that the owner creates, connects and destroys. The owner calls:
 *
 * <pre>
 *   offer()                   with the queue pair in INIT; sends the result to the peer
 *   connected(peer's data)    before the queue pair is ready to receive
 *   flush(outbound)           when the queue pair is ready to send, and whenever there is more to send
 *   completed(completion)     for each completion of the queue pair that succeeded, failed(completion) for the others
 *   beforeRead()              after some completions, before the input is read
 *   batchEnd(outbound)        after some completions, at the latest before the loop waits
 *   closeOutput() ... isDrained()      to send FIN, and until it is acknowledged
 *   release()                 after the queue pair is destroyed, or if it never reached INIT
 * </pre>
 *
 * The completion queue needs room for {@link StreamConfig#sendQueue} plus {@link StreamConfig#maxWindow} completions
 * per stream. Belongs to the event loop.
 */
public final class RdmaStream {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(RdmaStream.class);

    /**
     * <pre>
     *   NOT_YET --connected(), or the peer's first frame--&gt; OPEN --the peer has left, close()--&gt; ENDED
     * </pre>
     */
    private enum Sending { NOT_YET, OPEN, ENDED }

    private final StreamParts parts;
    private final FramePath path;
    private final StreamConfig config;
    private final StreamMetrics metrics;
    private final StreamListener listener;
    private final StreamReceiver receiver;
    private final IncomingFrames incoming;
    private final ControlFrames control = new ControlFrames();
    private final StreamSender sender;
    private final Pings pings = new Pings();

    private StreamState state = StreamState.IDLE;
    private int peersFeatures;
    private Sending sending = Sending.NOT_YET;

    /**
     * @param parts made for the same memory and configuration. The stream releases them.
     * @param input gets the data that the peer sends.
     * @param listener notified when the input ends for another reason than the peer's FIN.
     */
    public RdmaStream(StreamParts parts, StreamMemory memory, StreamConfig config, StreamInput input,
                      StreamListener listener) {
        this.parts = parts;
        path = parts.path();
        this.config = config;
        metrics = parts.metrics();
        this.listener = listener;
        StreamEvents events = new StreamEvents(listener, config.receiveSizes()[0]);
        receiver = new StreamReceiver(parts, memory, config, events, () -> replenish(true));
        incoming = new IncomingFrames(parts, receiver, control, input, pings, config.remoteAccess(), new Frames());
        input.attach(receiver);
        sender = new StreamSender(parts, control, memory.registered(), config.zeroCopyThreshold(), events);
    }

    public StreamState state() {
        return state;
    }

    /**
     * Posts the first receives. The queue pair must be in INIT or a later state.
     *
     * @return the connection data for the peer.
     * @throws IOException if there is no memory, or no receive could be posted; then call {@link #release}.
     */
    public ConnectData offer() throws IOException {
        check(StreamState.IDLE);
        path.open();
        receiver.open();
        state = StreamState.OFFERED;
        int features = ConnectData.RECEIVE_SIZES | (config.remoteAccess() ? ConnectData.REMOTE_ACCESS : 0);
        return new ConnectData(ConnectData.VERSION, features, config.receiveBuffer(), parts.debt().toAdvertise());
    }

    /**
     * The peer's connection data has arrived. Nothing may be flushed before the queue pair is ready to send.
     *
     * @param peerSpeaksFirst whether the peer must send the first frame: on iWARP, if the peer is the connecting side.
     */
    public void connected(ConnectData peer, boolean peerSpeaksFirst) {
        check(StreamState.OFFERED);
        path.connected(peer);
        peersFeatures = peer.features();
        state = StreamState.OPEN;
        if (!peerSpeaksFirst) {
            mayBegin();
        }
    }

    private void mayBegin() {
        sending = sending == Sending.NOT_YET ? Sending.OPEN : sending;
    }

    /** Makes the next flush send a frame in any case: on iWARP the peer waits for one. */
    public void sendInitialCredit() {
        checkConnected();
        control.credit();
    }

    /** Makes {@link #isDrained} wait for the peer's confirmation: a completion does not imply receipt. */
    public void requireConfirmation() {
        pings.requireConfirmation();
    }

    /**
     * Sends flushed messages, as far as the peer and the queue have room. {@link #batchEnd} retries the rest. Listeners
     * of promises may call this method from within.
     *
     * @param in {@code null} if the channel has released its outbound buffer.
     * @throws IOException if the device refuses a post, after which nothing can be sent; or the exception of a file
     *         region. Messages flushed before the region were sent.
     */
    public void flush(ChannelOutboundBuffer in) throws IOException {
        if (!maySend()) {
            return;
        }
        try {
            sender.flush(in, true);
            if (control.isFinSent()) {
                state = state.afterOwnFin();
                confirmFin();
            }
        } catch (PostException e) {
            receiver.refused(e);
        }
    }

    /** Sends the PING behind FIN, if one is due. */
    private void confirmFin() throws IOException {
        if (pings.mustConfirm()) {
            pings.confirm(control);
            sender.flush(null, false);
        }
    }

    /**
     * Handles the completion of a work request that succeeded. Completes promises and calls the listener from within.
     *
     * @param in as for {@link #flush}.
     */
    public void completed(WorkCompletion completion, ChannelOutboundBuffer in) {
        receiver.beginBatch();
        int number = WorkRequestId.number(completion.workRequestId());
        switch (WorkRequestId.kind(completion.workRequestId())) {
        case RECEIVE -> received(number, completion);
        case MARKER -> { }
        default -> sender.completed(number, in);
        }
    }

    /** Handles the completion of a work request that failed, as {@link #completed} does of one that succeeded. */
    public void failed(WorkCompletion completion, ChannelOutboundBuffer in) {
        receiver.beginBatch();
        int number = WorkRequestId.number(completion.workRequestId());
        WorkRequestId.Kind kind = WorkRequestId.kind(completion.workRequestId());
        switch (kind) {
        case RECEIVE -> {
            receiver.completed(number);
            receiver.recycle(number);
        }
        case MARKER -> {
            return;
        }
        default -> sender.failed(number);
        }
        // The queue pair is in the error state: receives posted again would be flushed at once, without end.
        receiver.close();
        // A flush says only that the queue pair is in the error state: another completion, or the owner, knows why.
        boolean isCause = completion.status() != WorkCompletionStatus.FLUSHED;
        if (isCause && kind != WorkRequestId.Kind.RECEIVE && endsWithItsPeer()) {
            listener.onPeerLeft();
        } else if (isCause) {
            fail(new FailedCompletionException(kind, completion));
        }
    }

    /**
     * Called after some completions, before the input is read: posts receives, so that what is sent while it is read
     * advertises them. Otherwise a CREDIT frame would follow directly. Calls the listener if they cannot be posted.
     */
    public void beforeRead() {
        replenish(false);
    }

    /**
     * Called after some completions, when the input is read: sends what can be sent now. Receives that were released
     * meanwhile are posted and advertised now only if the peer has used half of its credits: otherwise the next batch,
     * which its next frame begins, has a frame that advertises them. Promises that are completed bring many back.
     *
     * @throws IOException as for {@link #flush}, or if no receives could be posted.
     */
    public void batchEnd(ChannelOutboundBuffer in) throws IOException {
        if (receiver.wantsUse()) {
            pings.useUp(control);
        }
        if (in != null && !in.isEmpty() || control.hasWork()) {
            flush(in);
        }
        if (state.isConnected()) {
            try {
                receiver.endBatch();
            } catch (IOException e) {
                // A stream that receives nothing gets no credits either, so there is nothing to wait for.
                close();
                throw e;
            }
        }
        if (path.isAdvertisementDue()) {
            flush(in);
        }
        if (receiver.isGrown()) {
            listener.grown();
        }
    }

    /**
     * Called once in an interval. If no data has arrived in it, the stream returns to the memory that it began with:
     * PONGs of the peer use up receives that are not posted again.
     *
     * @return whether to call it again.
     * @throws IOException if receives or a PING could not be posted.
     */
    public boolean calmDown() throws IOException {
        if (state.isConnected() && receiver.calmDown()) {
            pings.startUsingUp(receiver, control);
            sendControl();
        }
        return state.isConnected() && receiver.isGrown();
    }

    /**
     * Requests FIN behind the messages flushed so far. A later {@link #flush} sends it. Only the first call counts.
     *
     * @param maxBytes maximum of bytes, not sent yet, that are still sent before FIN. The first messages that fit are
     *        sent; the message that exceeds the maximum, and those behind it, are not.
     */
    public void closeOutput(ChannelOutboundBuffer in, long maxBytes) {
        checkConnected();
        sender.end(in, maxBytes);
    }

    /**
     * The number of messages, from the head of the outbound buffer on, that a close still sends or has sent.
     *
     * @param maxBytes maximum of bytes, not sent yet, as for {@link #closeOutput}; a negative number leaves out all
     *        messages that were not sent to their end.
     */
    public int lastMessages(ChannelOutboundBuffer in, long maxBytes) {
        return sender.lastMessages(in, maxBytes);
    }

    /** Requests FIN directly behind what is already sent. The next {@link #flush} that has room sends it. */
    public void cutOutput() {
        checkConnected();
        sender.endHere();
    }

    /** Whether nothing is sent any more, because the stream is closed or the device has refused a post. */
    public boolean isBroken() {
        return state == StreamState.CLOSED || sender.isBroken();
    }

    /** Whether FIN was sent, and no ABORT. */
    public boolean isFinSent() {
        return control.isFinalFrameSent() && !control.isAbortSent();
    }

    /** Whether FIN, and all before it, has arrived at the peer's device, or ABORT has, which is never confirmed. */
    public boolean isDrained() {
        return sender.isDrained() && (pings.isConfirmed() || control.isAbortSent());
    }

    /** The peer has left: nothing more is sent. Sends in flight continue, because the peer's device may have them. */
    public void peerHasLeft() {
        sending = Sending.ENDED;
    }

    /**
     * Whether a failure may be the peer's orderly disconnect. On iWARP, TCP refuses data sent after it, and the device
     * reports local errors of the send and of the queue pair before the connection manager reports the disconnect.
     */
    public boolean endsWithItsPeer() {
        return pings.isConfirmationRequired() && state.hasEnded();
    }

    /** Whether completions of sends are still to come. They may show that the peer has the data. */
    public boolean awaitsCompletions() {
        return sender.awaitsCompletions();
    }

    /** Whether an ABORT is in flight. */
    public boolean isAborting() {
        return control.isAbortSent() && !sender.isDrained();
    }

    /** Whether the device may still read the application's buffers. All other memory that it reads is the stream's. */
    public boolean holdsMessages() {
        return sender.holdsMessages();
    }

    /** Closes the stream, and sends ABORT if possible. The device may still access the memory of requests in flight. */
    public void abort(AbortReason reason, String text) {
        sendAbort(reason, text);
        close();
    }

    /** Starts the keepalive. The caller's timer calls {@link #keepalive(long)} from now on. */
    public void startKeepalive(Keepalive watched) {
        incoming.takeHeard();
        pings.start(watched);
    }

    /** Sends a PING if one is due. Called once in each interval. {@link Keepalive} defines the rounds. */
    public Keepalive.Step keepalive(long rounds) throws IOException {
        Keepalive.Step step = pings.check(rounds, incoming.takeHeard(), control);
        if (step == Keepalive.Step.ASK) {
            sendControl();
            pings.sent(rounds, control);
        }
        return step;
    }

    /**
     * Gives back all memory except what the application holds, which comes back later. The queue pair must be destroyed
     * or reset, because nothing else keeps the device from writing. A second call does nothing.
     */
    public void release() {
        close();
        sender.release();
        receiver.release();
        metrics.end();
    }

    /** {@return the state and the counts of the stream} */
    public RdmaChannelSnapshot snapshot() {
        return metrics.snapshot(path.credits());
    }

    @Override
    public String toString() {
        return "stream over " + path + ", " + state;
    }

    private void received(int receive, WorkCompletion completion) {
        receiver.completed(receive);
        boolean handed = false;
        try {
            if (state != StreamState.CLOSED) {
                handed = incoming.received(receive, completion);
                mayBegin();
            }
        } catch (ProtocolException e) {
            fail(e);
        } finally {
            if (!handed) {
                receiver.recycle(receive);
            }
        }
    }

    private void fail(IOException cause) {
        if (state == StreamState.CLOSED) {
            return;
        }
        if (cause instanceof ProtocolException) {
            metrics.loop().increment(RdmaCounter.PROTOCOL_VIOLATIONS);
            sendAbort(AbortReason.PROTOCOL_VIOLATION, cause.getMessage());
        }
        close();
        listener.failed(cause);
    }

    /** Tries to send ABORT. A failure is only logged, because the connection is being given up. */
    private void sendAbort(AbortReason reason, String text) {
        if (maySend()) {
            control.abort(reason, text);
            try {
                sender.flush(null, false);
            } catch (IOException | IllegalStateException e) {
                LOGGER.debug("{}: {} is not sent to the peer", this, reason, e);
            }
        }
    }

    /** Whether the peer's connection data has this bit of {@link ConnectData#features}. */
    public boolean peerHas(int feature) {
        return (peersFeatures & feature) != 0;
    }

    /** Whether the device can write to this memory, as reads and atomics need. */
    public boolean isRegistered(ByteBuf buffer, int index, int length) {
        return parts.operations().isRegistered(buffer, index, length);
    }

    /** Stops sending and receiving without notifying the peer. The device may still access memory of its requests. */
    public void close() {
        state = StreamState.CLOSED;
        sending = Sending.ENDED;
        sender.breakOff();
        receiver.close();
    }

    private void replenish(boolean advertises) {
        if (state.isConnected()) {
            try {
                receiver.replenish();
                if (advertises) {
                    sendControl();
                }
            } catch (IOException e) {
                fail(e);
            }
        }
    }

    private void sendControl() throws IOException {
        if (maySend()) {
            try {
                sender.flush(null, false);
            } catch (PostException e) {
                receiver.refused(e);
            }
        }
    }

    private boolean maySend() {
        return sending == Sending.OPEN && path.isReady();
    }

    private void checkConnected() {
        if (state == StreamState.IDLE || state == StreamState.OFFERED) {
            throw new IllegalStateException(this + " is not connected yet");
        }
    }

    private void check(StreamState expected) {
        if (state != expected) {
            throw new IllegalStateException(this + " is not " + expected);
        }
    }

    /** What incoming frames change. */
    private final class Frames implements IncomingFrames.Owner {

        @Override
        public StreamState state() {
            return state;
        }

        @Override
        public void finished() {
            state = state.afterPeersFin();
        }

        @Override
        public void aborted(AbortReason reason, String text) {
            close();
            listener.aborted(reason, text);
        }
    }
}
