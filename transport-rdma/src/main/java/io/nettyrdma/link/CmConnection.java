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
import io.nettyrdma.io.UnclosedObjects;
import io.nettyrdma.memory.Exposures;
import io.nettyrdma.protocol.ConnectData;
import io.nettyrdma.remote.ExposedMemory;
import io.nettyrdma.remote.RemoteOperation;
import io.nettyrdma.stream.RdmaStream;
import io.nettyrdma.stream.StreamConfig;
import io.nettyrdma.stream.StreamInput;
import io.nettyrdma.stream.StreamListener;
import io.nettyrdma.stream.StreamMemory;
import io.nettyrdma.stream.StreamParts;
import io.nettyrdma.stream.StreamState;
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
final class CmConnection {

    /**
     * <pre>
     *   USED ---the channel is closed---&gt; LEFT ---its departure is over---&gt; CLOSED
     * </pre>
     */
    private enum Use { USED, LEFT, CLOSED }

    /**
     * How long the end of a connection waits for acknowledgements, and for the peer's answer. Normally they take a
     * round trip. An event loop that ends has the same second.
     */
    private static final int LEAVE_MILLIS = 1_000;

    private final RdmaIoRegistration registration;
    private final EventLoop loop;
    private final LoopDevice device;
    private final DeviceCapabilities capabilities;
    /** {@code null} while the handshake prepares another one. */
    private CmId id;
    private final LinkConfig config;
    private CmQueuePair cm;
    private final QueuePair queuePair;
    private final RdmaStream stream;
    private final ConnectData offer;
    private final Exposures exposures;
    /** Read by other threads, too. */
    private volatile Use use = Use.USED;
    /** A connect call on another thread, until it has returned. No other call uses id or queue pair meanwhile. */
    private BlockingCall connectCall;
    /** Whether the connection manager considers it connected. A disconnect before that gets no answer. */
    private boolean open;
    /** A work request or the device has failed: nothing that is in flight will be acknowledged. */
    private boolean failed;
    private final Peer peer = new Peer(this);

    CmConnection(RdmaIoRegistration registration, EventLoop loop, CmId id, LinkConfig config,
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
            opened = new RdmaStream(StreamParts.of(created, memory, settings, registration.workRequestIds(),
                    registration.loop().counters()), memory, settings, input, listener);
            offer = opened.offer();
        } catch (Throwable e) {
            // Exhausted memory is an Error.
            destroy(created, opened);
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
                config.retryCount(), config.rnrRetryCount());
    }

    /**
     * Sends the connection request. If the call may block, another thread makes it.
     *
     * @param then gets the exception of the call, or {@code null}; not called if the channel is closed by then.
     */
    void connect(Consumer<Throwable> then) throws IOException {
        if (!capabilities.nonBlockingConnect()) {
            connectCall = registration.loop().blocking(() -> cm.connect(parameters()),
                    failure -> connectReturned(failure, then));
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

    private void connectReturned(Throwable failure, Consumer<Throwable> then) {
        connectCall = null;
        switch (use) {
        case USED -> then.accept(failure);
        case LEFT -> registration.submit(RdmaIoOps.REVISIT);
        default -> release();
        }
    }

    /** Whether the connect call has not returned yet. */
    boolean isConnectCallPending() {
        return connectCall != null;
    }

    /** Closes the id after a failed {@link #connect}, so that another id can connect. */
    void closeId() {
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
        if (config.trafficClass() != 0) {
            cm.trafficClass(config.trafficClass());
        }
        cm.accept(request, parameters());
    }

    /** Active side: the peer has answered. */
    void establish(CmEvent response, ConnectData peer) throws IOException {
        stream.connected(peer, false);
        cm.establish(response);
        if (!capabilities.acceptingSideFirst()) {
            stream.sendInitialCredit();
        }
        opened();
    }

    /** Either side: the peer, or on iWARP the device, reports that the connection is up. */
    void established(ConnectData peer) throws IOException {
        if (stream.state() == StreamState.OFFERED) {
            stream.connected(peer, false);
            stream.sendInitialCredit();
        }
        cm.established();
        opened();
    }

    private void opened() throws IOException {
        open = true;
        peer.confirmed();
        stream.flush(null);
    }

    // ---- bytes ----

    RdmaStream stream() {
        return stream;
    }

    Peer peer() {
        return peer;
    }

    /** A work request has failed. */
    void workFailed(WorkCompletion completion, ChannelOutboundBuffer in) {
        failed = true;
        peer.workFailed(completion.status());
        stream.failed(completion, in);
    }

    /** How often the loop has polled. */
    long rounds() {
        return registration.rounds();
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

    // ---- the end ----

    /** The device has failed, or reports that the queue pair has failed. */
    void failed() {
        failed = true;
    }

    /** The channel is closed: sends nothing more, and drops what arrives. */
    void stopSending() {
        use = Use.LEFT;
        if (connectCall != null && connectCall.cancel()) {
            connectCall = null;
        }
        peer.stop();
        stream.close();
    }

    /** Whether the peer's device acknowledges sends in flight. On iWARP its end has ended our queue pair already. */
    boolean isAcknowledged() {
        return capabilities.confirmedDelivery() && !failed;
    }

    /** Whether an ABORT is in flight that the peer may still get. */
    boolean isAborting() {
        return stream.isAborting() && !failed && !peer.hasLeft() && !stream.holdsMessages();
    }

    /**
     * Whether the peer's first frame has opened the connection, and the connection manager's own report of that is
     * still on its way. A disconnect has to come after the report, see {@link Departure}.
     */
    boolean awaitsEstablishedEvent() {
        return open && !peer.hasLeft() && id.state() == CmState.ACCEPTING;
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
            disconnectFailed(e);
            return false;
        }
        return open && !failed && !peer.hasLeft() && !flushes;
    }

    /**
     * Answers the peer's disconnect, and flushes all posted work requests. One more request, posted in the error state,
     * ensures that there is at least one flushed completion, which follows those of all received data. iWARP refuses
     * this request, but there the end of the connection flushes what is posted.
     */
    void flushAfterDisconnect() {
        try {
            cm.disconnect();
        } catch (IOException | IllegalStateException e) {
            disconnectFailed(e);
        }
        SendBatch batch = device.batches().takeSends();
        try {
            long marker = WorkRequestId.of(registration.workRequestIds(), WorkRequestId.Kind.MARKER, 0);
            queuePair.post(batch.send(marker).signaled());
        } catch (IOException | RuntimeException e) {
            LinkErrors.LOGGER.debug("{}: its queue is full, or refuses, and is flushed anyway", queuePair, e);
        } finally {
            device.batches().giveSends(batch);
        }
    }

    private void disconnectFailed(Exception cause) {
        LinkErrors.LOGGER.debug("{}: the peer is not notified of the end", id, cause);
    }

    /** Runs a task after {@link #LEAVE_MILLIS}. */
    TimeLimit later(Runnable task) {
        return new TimeLimit(loop, LEAVE_MILLIS, task);
    }

    /** Call when the loop dispatches nothing to the channel any more. A connect call in flight delays the release. */
    void close() {
        use = Use.CLOSED;
        peer.stop();
        if (connectCall == null) {
            release();
        }
    }

    /**
     * If the connection is not open yet, another thread destroys the queue pair: siw blocks that thread until the peer
     * answers, however long that takes.
     */
    private void release() {
        if (id != null) {
            // At once: destroying the queue pair may take a while, and events of the next id go to the same handle.
            registration.loop().detach(id);
        }
        if (open) {
            releaseAll();
        } else {
            device.closeElsewhere(queuePair, this::releaseAll);
        }
    }

    private void releaseAll() {
        destroy(queuePair, stream);
        if (id != null) {
            registration.loop().close(id);
        }
    }

    private void destroy(QueuePair created, RdmaStream opened) {
        if (created != null) {
            try {
                device.closeQueuePair(created);
            } catch (IOException e) {
                // The device may still write: the memory that it writes to stays in use, and is released with the loop.
                UnclosedObjects.log(created, e);
                return;
            }
        }
        exposures.closeAll();
        if (opened != null) {
            opened.release();
        }
    }
}
