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
import io.netty.channel.EventLoop;
import io.nettyrdma.cm.CmConnectionParameters;
import io.nettyrdma.cm.CmEvent;
import io.nettyrdma.cm.CmId;
import io.nettyrdma.cm.CmQueuePair;
import io.nettyrdma.cm.CmState;
import io.nettyrdma.io.BlockingCall;
import io.nettyrdma.io.LoopDevice;
import io.nettyrdma.io.RdmaIoOps;
import io.nettyrdma.io.RdmaIoRegistration;
import io.nettyrdma.memory.Exposures;
import io.nettyrdma.protocol.AbortReason;
import io.nettyrdma.protocol.ConnectData;
import io.nettyrdma.remote.ExposedMemory;
import io.nettyrdma.remote.RemoteOperation;
import io.nettyrdma.stream.Keepalive;
import io.nettyrdma.stream.RdmaStream;
import io.nettyrdma.stream.StreamConfig;
import io.nettyrdma.stream.StreamInput;
import io.nettyrdma.stream.StreamListener;
import io.nettyrdma.stream.StreamMemory;
import io.nettyrdma.stream.StreamParts;
import io.nettyrdma.stream.StreamState;
import io.nettyrdma.verbs.AsyncEvent;
import io.nettyrdma.verbs.AsyncEventType;
import io.nettyrdma.verbs.DeviceCapabilities;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.QueuePair;
import io.nettyrdma.verbs.RdmaDeviceInfo;
import io.nettyrdma.verbs.SendBatch;
import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.WorkCompletion;
import io.nettyrdma.verbs.WorkRequestId;

import java.io.IOException;
import java.util.function.Consumer;

/**
 * A queue pair, the stream over it, and the connection manager's id that connects them to a peer. Owns all three:
 * {@link #close} releases them, the queue pair first, because only its end keeps the device from writing. Belongs to
 * the event loop.
 */
final class RdmaConnection {

    /**
     * <pre>
     *   USED ---the channel is closed---&gt; LEFT ---its departure is over---&gt; CLOSED
     * </pre>
     */
    private enum Use { USED, LEFT, CLOSED }

    /** Silent intervals in a row after which a peer is considered dead. */
    private static final int SILENCES = 3;
    /**
     * How long the end of a connection waits for acknowledgements, and for the peer's answer. Normally they take a
     * round trip. An event loop that ends has the same second.
     */
    private static final int LEAVE_MILLIS = 1_000;
    /** After these nothing is left that had completed before: the first of them may have begun earlier. */
    private static final int ROUNDS = 2;

    private final RdmaIoRegistration registration;
    private final EventLoop loop;
    private final LoopDevice device;
    private final DeviceCapabilities capabilities;
    /** {@code null} while the handshake prepares another one. */
    private CmId id;
    private final RdmaChannelConfig config;
    private CmQueuePair cm;
    private final QueuePair queuePair;
    private final RdmaStream stream;
    private final ConnectData offer;
    private final Exposures exposures;
    /** Read by other threads, too. */
    private volatile Use use = Use.USED;
    /** A connect call on another thread, until it has returned. Nobody may use the id or the queue pair meanwhile. */
    private BlockingCall asking;
    /** Whether the connection manager considers it connected. A disconnect before that gets no answer. */
    private boolean open;
    /** A work request or the device has failed: nothing that is in flight will be acknowledged. */
    private boolean failed;
    /** DISCONNECTED has come. */
    private boolean peerLeft;
    /** The answer to DISCONNECTED while it waits for our sends; {@code null} if it does not wait, or was sent. */
    private TimeLimit answer;
    /** After the answer: limits the wait for flushed completions. */
    private TimeLimit flush;
    private Runnable onFlushTimeout;

    RdmaConnection(RdmaIoRegistration registration, EventLoop loop, CmId id, RdmaChannelConfig config,
                   StreamInput input, StreamListener listener) throws IOException {
        this.registration = registration;
        this.loop = loop;
        this.id = id;
        this.config = config;
        device = registration.loop().device(id.deviceName());
        capabilities = device.device().capabilities();
        exposures = new Exposures(device.protectionDomain(), loop);
        StreamConfig settings = ConnectionSetup.settings(config, device);
        QueuePair created = null;
        RdmaStream opened = null;
        try {
            created = device.createQueuePair(registration, settings.queuePair());
            cm = new CmQueuePair(id, created);
            cm.prepare(ConnectionSetup.peersAccess(config, device.device()));
            StreamMemory memory = ConnectionSetup.memory(config, device, settings);
            opened = new RdmaStream(StreamParts.of(created, memory, settings, registration.workRequestIds()), memory,
                    settings, registration.loop().counters(), input, listener);
            offer = opened.offer();
        } catch (Throwable e) {
            // Exhausted memory is an Error.
            giveBack(created, opened);
            throw e;
        }
        queuePair = created;
        stream = opened;
        if (!capabilities.confirmedDelivery()) {
            stream.requireConfirmation();
        }
    }

    /** Any thread. */
    RdmaDeviceInfo deviceInfo() {
        return device.device().info();
    }

    // ---- the handshake ----

    CmId id() {
        return id;
    }

    /** Any thread. */
    boolean hasQueuePair() {
        return use != Use.CLOSED;
    }

    private CmConnectionParameters parameters() {
        return ConnectionSetup.reads(config, device.device()).withPrivateData(offer.encode()).withRetries(
                config.rdma(RdmaChannelOption.RETRY_COUNT), config.rdma(RdmaChannelOption.RNR_RETRY_COUNT));
    }

    /**
     * Sends the connection request. If the call may block, another thread makes it.
     *
     * @param then gets the exception of the call, or {@code null}; not called if the channel is closed by then.
     */
    void connect(Consumer<Throwable> then) throws IOException {
        if (!capabilities.nonBlockingConnect()) {
            asking = registration.loop().blocking(() -> cm.connect(parameters()), failure -> asked(failure, then));
            return;
        }
        Throwable failure = null;
        try {
            cm.connect(parameters());
        } catch (VerbsException e) {
            failure = e;
        }
        then.accept(failure);
    }

    private void asked(Throwable failure, Consumer<Throwable> then) {
        asking = null;
        switch (use) {
        case USED -> then.accept(failure);
        case LEFT -> registration.submit(RdmaIoOps.REVISIT);
        default -> giveBack();
        }
    }

    /** Whether the connect call has not returned yet. */
    boolean isAsking() {
        return asking != null;
    }

    /** Closes the id after a failed {@link #connect}, so that another id can connect. */
    void giveIdBack() {
        registration.loop().close(id);
        id = null;
    }

    /** Replaces the id that connects. */
    void moveTo(CmId another) {
        cm = cm.withId(another);
        id = another;
    }

    void accept(CmEvent request, ConnectData peer) throws IOException {
        stream.connected(peer, !capabilities.acceptingSideFirst());
        if (config.getTrafficClass() != 0) {
            cm.trafficClass(config.getTrafficClass());
        }
        cm.accept(request, parameters());
    }

    /** Active side: the peer has answered. */
    void establish(CmEvent response, ConnectData peer) throws IOException {
        stream.connected(peer, false);
        cm.establish(response);
        open = true;
        if (!capabilities.acceptingSideFirst()) {
            stream.greet();
        }
        stream.flush(null);
    }

    /** Either side: the peer, or on iWARP the device, reports that the connection is up. */
    void established(ConnectData peer) throws IOException {
        if (stream.state() == StreamState.OFFERED) {
            stream.connected(peer, false);
            stream.greet();
        }
        cm.established();
        open = true;
        stream.flush(null);
    }

    // ---- bytes ----

    /** Sends what has room. The rest is sent when a completion has made room. */
    void flush(ChannelOutboundBuffer in) throws IOException {
        stream.flush(in);
    }

    /** A work request has succeeded. */
    void completed(WorkCompletion completion, ChannelOutboundBuffer in) {
        stream.completed(completion, in);
    }

    /** A work request has failed. */
    void workFailed(WorkCompletion completion, ChannelOutboundBuffer in) {
        failed = true;
        stream.failed(completion, in);
    }

    /** See {@link RdmaStream#beforeRead}. */
    void beforeRead() {
        stream.beforeRead();
    }

    void completionsDone(ChannelOutboundBuffer in) throws IOException {
        try {
            stream.batchEnd(in);
        } finally {
            if (answer != null && !stream.awaitsCompletions()) {
                answer();
            }
        }
    }

    // ---- memory ----

    /** See {@link Exposures#expose}. */
    ExposedMemory expose(ByteBuf buffer, MemoryAccess... access) throws IOException {
        if (!config.allowsRemoteAccess()) {
            throw new IllegalStateException("the peer may access no memory: set REMOTE_ACCESS before connecting, or as"
                    + " a child option");
        }
        return exposures.expose(buffer, access);
    }

    /** Throws if the operation cannot work on this connection. */
    void check(RemoteOperation operation) throws IOException {
        RemoteChecks.check(operation, stream, queuePair.device());
    }

    // ---- liveness ----

    void watch() {
        stream.watch(new Keepalive(SILENCES, registration.rounds()));
    }

    /** Whether the peer is alive, as far as can be known. Call once in each interval. */
    boolean isAlive() throws IOException {
        return stream.keepalive(registration.rounds()) != Keepalive.Step.DEAD;
    }

    // ---- the end ----

    /**
     * Puts FIN behind the data that has room now, and behind further bytes that are flushed; later flushes send them.
     *
     * @param in {@code null} puts FIN behind what was sent, even in the middle of a message.
     * @param most maximum of further bytes.
     */
    void finish(ChannelOutboundBuffer in, long most) throws IOException {
        if (in == null) {
            stream.cutOutput();
        } else {
            stream.flush(in);
            stream.closeOutput(in, most);
        }
        stream.flush(in);
    }

    /** See {@link RdmaStream#lastMessages}. */
    int lastMessages(ChannelOutboundBuffer in, long most) {
        return stream.lastMessages(in, most);
    }

    /** Whether there is nothing to wait for: what was sent has arrived, or FIN cannot be sent any more. */
    boolean isDrained() {
        return stream.isDrained() || isBroken() || peerLeft && answer == null;
    }

    /** Whether the event means that the peer has left, see {@link RdmaStream#endsWithItsPeer}. */
    boolean isEndOfPeer(AsyncEvent event) {
        return event.type() == AsyncEventType.QUEUE_PAIR_FATAL && stream.endsWithItsPeer();
    }

    /** Whether nothing can be sent any more. */
    boolean isBroken() {
        return stream.isBroken();
    }

    void abort(AbortReason reason, String text) {
        stream.abort(reason, text);
    }

    /** The device has failed, or reports that the queue pair has failed. */
    void failed() {
        failed = true;
    }

    /** The channel is closed: sends nothing more, and drops what arrives. */
    void silence() {
        use = Use.LEFT;
        if (asking != null && asking.cancel()) {
            asking = null;
        }
        cancel(answer);
        answer = null;
        cancel(flush);
        stream.close();
    }

    /** Whether an ABORT is in flight that the peer may still get. */
    boolean isAborting() {
        return stream.isAborting() && !failed && !peerLeft && !stream.holdsMessages();
    }

    /**
     * Whether the peer's first frame has opened the connection, and the connection manager's own report of that is
     * still on its way. A disconnect has to come after the report, see {@link Departure}.
     */
    boolean isUnreported() {
        return open && !peerLeft && id.state() == CmState.ACCEPTING;
    }

    /**
     * Disconnects, or answers the peer's disconnect. The queue pair is destroyed later, without a change to the error
     * state: that would be another call that blocks the loop, and many connections may be closed in one turn. Only
     * sends from memory of the application are flushed at once, because the application was notified that it may use
     * that memory again. An ABORT behind such a send is lost.
     *
     * @return whether the peer is going to answer.
     */
    boolean disconnect() {
        boolean flushes = stream.holdsMessages();
        try {
            if (flushes) {
                cm.disconnect();
            } else {
                id.disconnect();
            }
        } catch (IOException | IllegalStateException e) {
            notTold(e);
            return false;
        }
        return open && !failed && !peerLeft && !flushes;
    }

    private void notTold(Exception cause) {
        ChannelErrors.LOGGER.debug("{}: the peer is not told of the end", id, cause);
    }

    /**
     * Handles DISCONNECTED. The peer keeps its queue pair ready until it gets our answer, see {@link Departure}, so
     * that our sends in flight are acknowledged. An earlier error state would flush sends that the peer has received.
     * On iWARP the device has ended the queue pair already, and sends complete when the device has taken them.
     *
     * @param onTimeout called if no completion was flushed; no more data of the peer is to be expected then.
     */
    void peerLeft(Runnable onTimeout) {
        peerLeft = true;
        onFlushTimeout = onTimeout;
        stream.peerHasLeft();
        if (capabilities.confirmedDelivery() && !failed && stream.awaitsCompletions()) {
            answer = later(this::answer);
        }
        if (answer == null) {
            answer();
        }
    }

    /**
     * Answers, and flushes all posted work requests. One more request, posted in the error state, ensures that there is
     * at least one flushed completion, which follows those of all received data. iWARP refuses this request, but there
     * the end of the connection flushes what is posted. That may be nothing if the peer had filled every receive: siw
     * accepts later posts and never completes them. So the wait for a flushed completion ends after a second, if the
     * loop has polled everything since.
     */
    private void answer() {
        cancel(answer);
        answer = null;
        try {
            cm.disconnect();
        } catch (IOException | IllegalStateException e) {
            notTold(e);
        }
        SendBatch batch = device.batches().takeSends();
        try {
            long marker = WorkRequestId.of(registration.workRequestIds(), WorkRequestId.Kind.MARKER, 0);
            queuePair.post(batch.send(marker).signaled());
        } catch (IOException | RuntimeException e) {
            ChannelErrors.LOGGER.debug("{}: its queue is full, or refuses, and is flushed anyway", queuePair, e);
        } finally {
            device.batches().giveSends(batch);
        }
        awaitFlush(registration.rounds());
    }

    /** A loop with much to do has not polled what had completed when the time is over. */
    private void awaitFlush(long begun) {
        flush = later(() -> {
            if (registration.rounds() - begun < ROUNDS) {
                awaitFlush(begun);
            } else {
                onFlushTimeout.run();
            }
        });
    }

    private static void cancel(TimeLimit limit) {
        if (limit != null) {
            limit.cancel();
        }
    }

    /** Runs a task after {@link #LEAVE_MILLIS}. */
    TimeLimit later(Runnable task) {
        return new TimeLimit(loop, LEAVE_MILLIS, task);
    }

    /** See {@link TimeLimit#check}. */
    void checkTime() {
        check(answer);
        check(flush);
    }

    private static void check(TimeLimit limit) {
        if (limit != null) {
            limit.check();
        }
    }

    /** Call when the loop dispatches nothing to the channel any more. A connect call in flight delays the release. */
    void close() {
        use = Use.CLOSED;
        cancel(answer);
        cancel(flush);
        if (asking == null) {
            giveBack();
        }
    }

    /**
     * If the connection is not open yet, another thread destroys the queue pair: siw blocks that thread until the peer
     * answers, however long that takes.
     */
    private void giveBack() {
        if (id != null) {
            // At once: destroying the queue pair may take a while, and events of the next id go to the same handle.
            registration.loop().detach(id);
        }
        if (open) {
            giveAllBack();
        } else {
            device.closeElsewhere(queuePair, this::giveAllBack);
        }
    }

    private void giveAllBack() {
        giveBack(queuePair, stream);
        if (id != null) {
            registration.loop().close(id);
        }
    }

    private void giveBack(QueuePair created, RdmaStream opened) {
        if (created != null) {
            try {
                device.closeQueuePair(created);
            } catch (IOException e) {
                // The device may still write: the memory that it writes to stays in use, and is released with the loop.
                ChannelErrors.LOGGER.warn("{} was not closed", created, e);
                return;
            }
        }
        exposures.closeAll();
        if (opened != null) {
            opened.release();
        }
    }
}
