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
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.nettyrdma.cm.CmId;
import io.nettyrdma.io.RdmaIoEvent;
import io.nettyrdma.io.RdmaIoHandle;
import io.nettyrdma.io.RdmaIoRegistration;
import io.nettyrdma.metrics.RdmaCounters;
import io.nettyrdma.protocol.AbortReason;
import io.nettyrdma.stream.InboundSink;
import io.nettyrdma.verbs.WorkCompletion;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.TimeUnit;

/**
 * A byte stream over a reliable RDMA connection, in the place of a TCP socket:
 *
 * <pre>
 *   new Bootstrap().group(new MultiThreadIoEventLoopGroup(RdmaIoHandler.newFactory())).channel(RdmaChannel.class)
 * </pre>
 *
 * A write's promise completes when its bytes are the transport's, which has copied them, or the peer's device has them,
 * when they were sent from where they are. A channel stays on the event loop that it was registered with, because its
 * queue pair ends its work there: deregistering fails.
 */
public final class RdmaChannel extends HalfClosableChannel {

    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);

    private final RdmaChannelConfig config = new RdmaChannelConfig(this);
    private final InboundReader inbound = new InboundReader(this);
    /** Of a child, until it is registered. */
    private volatile ConnectionRequest request;
    private final Admission admission = new Admission(parent());

    private volatile ChannelState state = ChannelState.NEW;
    private volatile boolean outputShut;
    private volatile Handshake handshake;
    private volatile IoRegistration registration;
    private ConnectAttempt attempt;
    private KeepaliveTimer keepalive;
    private PeerPresence peer = PeerPresence.THERE;
    /** A bind before there is an id. */
    private InetSocketAddress boundTo;
    private final Drain drain = new Drain();

    /** One that connects. */
    public RdmaChannel() {
        super(null);
    }

    /** One that a server was asked for. */
    RdmaChannel(RdmaServerChannel parent, ConnectionRequest request) {
        super(parent);
        this.request = request;
    }

    @Override
    public RdmaChannelConfig config() {
        return config;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    public boolean isOpen() {
        return state != ChannelState.CLOSED;
    }

    @Override
    public boolean isActive() {
        return state.isActive();
    }

    /** Whether bytes that come will be read. They may be here before the connection is confirmed. */
    boolean mayReceive() {
        return state.isConnecting() || state == ChannelState.OPEN;
    }

    /** Whether bytes may be handed to the application. */
    boolean isReadable() {
        return state == ChannelState.OPEN;
    }

    boolean hasQueuePair() {
        Handshake current = handshake;
        return current != null && current.connection() != null;
    }

    @Override
    protected SocketAddress localAddress0() {
        CmId id = cmId();
        return id == null ? boundTo : id.localAddress();
    }

    @Override
    protected SocketAddress remoteAddress0() {
        CmId id = cmId();
        return id == null || state == ChannelState.CONNECTING ? null : id.peerAddress();
    }

    /** A child's, from the beginning; of one that connects, {@code null} until it does. */
    private CmId cmId() {
        Handshake current = handshake;
        ConnectionRequest asked = request;
        return current != null ? current.id() : asked == null ? null : asked.id();
    }

    // ---- registration ----

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return loop instanceof IoEventLoop && ((IoEventLoop) loop).isCompatible(RdmaUnsafe.class);
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new RdmaUnsafe();
    }

    private RdmaUnsafe rdmaUnsafe() {
        return (RdmaUnsafe) unsafe();
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        ((IoEventLoop) eventLoop()).register(rdmaUnsafe()).addListener(future -> {
            if (!future.isSuccess()) {
                promise.setFailure(future.cause());
                return;
            }
            registration = (IoRegistration) future.getNow();
            spinAsConfigured();
            promise.setSuccess();
            if (request != null) {
                rdmaUnsafe().accept();
            }
        });
    }

    /** What happened on this channel's loop. After registration, any thread. */
    public RdmaCounters counters() {
        return ((RdmaIoRegistration) registration.attachment()).loop().counters();
    }

    /** Any thread, and before there is a loop: then it is done when there is one. */
    void spinAsConfigured() {
        if (registration != null && !eventLoop().inEventLoop()) {
            eventLoop().execute(this::spinAsConfigured);
        } else if (registration != null) {
            RdmaIoRegistration own = registration.attachment();
            own.spin(TimeUnit.MICROSECONDS.toNanos(config.rdma(RdmaChannelOption.SPIN_MICROS)));
        }
    }

    @Override
    protected void doDeregister() {
        if (registration != null) {
            registration.cancel();
        }
    }

    @Override
    protected void doBind(SocketAddress address) {
        boundTo = (InetSocketAddress) address;
    }

    @Override
    protected void doDisconnect() {
        doClose();
    }

    /** What is under way by now is flushed; {@link RdmaUnsafe#unregistered} is called when that has come in. */
    @Override
    protected void doClose() {
        state = ChannelState.CLOSED;
        admission.over();
        inbound.close();
        if (keepalive != null) {
            keepalive.stop();
        }
        if (request != null) {
            request.refuse("closed before it was accepted");
            request = null;
        }
        if (handshake != null) {
            handshake.disconnect();
        }
        // Nobody will come to tell those who wait for an acknowledgement.
        drain.done();
        // Who closes forcibly does not deregister.
        doDeregister();
    }

    // ---- bytes ----

    @Override
    protected void doBeginRead() {
        inbound.beginRead();
    }

    /** What the application is about to get; a copy where it holds so much that the peer would stand still. */
    ByteBuf deliver(ByteBuf buffer) {
        return handshake.connection().deliver(buffer, alloc());
    }

    /** Every write that is not done fails with the cause. */
    void closeBecause(IOException cause) {
        rdmaUnsafe().closeBecause(cause);
    }

    void clearReadPending() {
        if (isRegistered() && !eventLoop().inEventLoop()) {
            eventLoop().execute(inbound::clearReadPending);
        } else {
            inbound.clearReadPending();
        }
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer in) throws Exception {
        if (inbound.failure() != null) {
            // It is known, though not told before the last byte is read.
            throw inbound.failure();
        }
        if (peer == PeerPresence.GONE) {
            throw ChannelErrors.brokenPipe(remoteAddress());
        }
        if (!drain.isAwaited()) {
            handshake.connection().flush(in);
        }
    }

    /** FIN was sent before, if Netty was not asked by an error: see {@link #shutdownOutput(ChannelPromise)}. */
    @Override
    protected void doShutdownOutput() throws Exception {
        outputShut = true;
        handshake.connection().finish();
    }

    @Override
    public boolean isInputShutdown() {
        return inbound.isShutdown() || !isOpen();
    }

    @Override
    public boolean isOutputShutdown() {
        return outputShut || !isOpen();
    }

    @Override
    void endInput(ChannelPromise promise) {
        inbound.shutdown();
        promise.trySuccess();
    }

    /** What is under way is delivered first, for Netty lets go of buffers that the device may read; the rest fails. */
    @Override
    void endOutput(ChannelPromise promise) {
        drain.await(() -> rdmaUnsafe().shutdownOutput(promise));
        rdmaUnsafe().finish();
    }

    /** What the loop and the pipeline call. */
    private final class RdmaUnsafe extends AbstractUnsafe implements RdmaIoHandle, InboundSink {

        @Override
        public void handle(IoRegistration ignored, IoEvent event) {
            RdmaIoEvent rdma = (RdmaIoEvent) event;
            switch (rdma.kind()) {
            case COMPLETION -> completed(rdma.completion());
            case COMPLETIONS_DONE -> completionsDone();
            case CM_EVENT -> cmEvent(rdma);
            case ASYNC_EVENT -> asyncEvent(rdma);
            default -> { }
            }
        }

        private void completed(WorkCompletion completion) {
            peer = peer.after(completion);
            handshake.connection().completed(completion, outboundBuffer());
        }

        /** Reading comes first: what it has written is flushed with what waited. */
        private void completionsDone() {
            inbound.read();
            try {
                handshake.connection().completionsDone(drain.isAwaited() ? null : outboundBuffer());
            } catch (IOException e) {
                failed(e);
            }
            if (peer == PeerPresence.GONE) {
                if (inbound.isEnded()) {
                    // It has said all that it had to, and is not there to hear the rest of ours.
                    flushWaiting();
                } else {
                    failed(ChannelErrors.disconnected(remoteAddress()));
                }
            }
            runIfDrained();
        }

        private void flushWaiting() {
            ChannelOutboundBuffer waiting = outboundBuffer();
            if (state == ChannelState.OPEN && waiting != null && !waiting.isEmpty()) {
                super.flush0();
            }
        }

        /** Writes wait for the connection, and are not refused. */
        @Override
        protected void flush0() {
            if (!state.isConnecting()) {
                super.flush0();
            }
        }

        // ---- connecting ----

        @Override
        public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
            if (promise.isDone() || !ensureOpen(promise)) {
                return;
            }
            InetSocketAddress to;
            InetSocketAddress from;
            try {
                state.checkMayConnect();
                to = ConnectAttempt.checked(remote);
                from = local == null ? boundTo : ConnectAttempt.checked(local);
            } catch (RuntimeException e) {
                promise.tryFailure(annotateConnectException(e, remote));
                return;
            }
            handshake = new Handshake(registration.attachment(), config, this, null);
            attempt = new ConnectAttempt(promise, to);
            state = ChannelState.CONNECTING;
            try {
                handshake.connect(from, to);
                attempt.start(config.getConnectTimeoutMillis(), this::connectFailed, () -> close(voidPromise()));
            } catch (Throwable t) {
                connectFailed(t);
            }
        }

        private void accept() {
            ConnectionRequest accepted = request;
            state = ChannelState.ACCEPTING;
            handshake = new Handshake(registration.attachment(), config, this, accepted.id());
            request = null;
            admission.expire(eventLoop(), config.getConnectTimeoutMillis(), remoteAddress(), this::connectFailed);
            try {
                handshake.accept(accepted);
            } catch (Throwable t) {
                connectFailed(t);
            }
        }

        /** Of a child nobody waits for a promise: the pipeline is told, if it is not the peer's doing. */
        private void connectFailed(Throwable cause) {
            ConnectAttempt failed = attempt;
            attempt = null;
            if (failed != null) {
                // A timeout has the address in it, and users look for its type.
                failed.fail(cause instanceof ConnectTimeoutException ? cause
                        : annotateConnectException(cause, failed.remote()));
            } else if (isOpen() && !admission.failed(cause, counters())) {
                pipeline().fireExceptionCaught(cause);
            }
            close(voidPromise());
            // There is nobody whom an end would reach.
            drain.done();
        }

        private void opened() throws IOException {
            boolean leaving = state == ChannelState.LEAVING;
            state = leaving ? ChannelState.CLOSING : ChannelState.OPEN;
            admission.over();
            // Netty keeps them, for who asks when the id is gone.
            localAddress();
            remoteAddress();
            ConnectAttempt succeeded = attempt;
            attempt = null;
            boolean taken = succeeded == null || succeeded.succeed();
            // The promise may have been cancelled, or the child closed, and still the channel was active for a moment.
            pipeline().fireChannelActive();
            if (leaving) {
                handshake.connection().flush(outboundBuffer());
                finish();
            } else if (!taken) {
                close(voidPromise());
            }
            if (state != ChannelState.OPEN) {
                return;
            }
            keepalive = new KeepaliveTimer(RdmaChannel.this, handshake.connection(),
                    cause -> lost(AbortReason.TIMEOUT, cause));
            keepalive.start();
            flushWaiting();
            inbound.read();
        }

        private void cmEvent(RdmaIoEvent event) {
            if (state.isConnecting()) {
                try {
                    if (!handshake.onEvent(event.cmEvent())) {
                        return;
                    }
                    opened();
                } catch (Throwable t) {
                    connectFailed(t);
                    return;
                }
            }
            switch (event.cmEvent().type()) {
            case DISCONNECTED -> disconnected();
            case DEVICE_REMOVAL -> lost(AbortReason.RESET, ChannelErrors.deviceRemoved(RdmaChannel.this));
            default -> { }
            }
        }

        private void disconnected() {
            if (peer == PeerPresence.THERE) {
                peer = PeerPresence.LEFT;
                handshake.connection().flushEverything();
                runIfDrained();
            }
        }

        private void asyncEvent(RdmaIoEvent event) {
            if (ChannelErrors.isFatal(event.asyncEvent().type())) {
                lost(AbortReason.RESET, ChannelErrors.reported(event.asyncEvent()));
            }
        }

        // ---- what the connection tells ----

        @Override
        public void data(ByteBuf buffer) {
            inbound.add(buffer);
        }

        @Override
        public void fin() {
            inbound.end();
        }

        @Override
        public void abort(AbortReason reason, String text) {
            failed(ChannelErrors.reset(remoteAddress(), reason, text));
        }

        @Override
        public void failed(IOException cause) {
            if (state.isConnecting()) {
                connectFailed(cause);
                return;
            }
            inbound.fail(cause);
            if (!config.isAutoClose()) {
                // Who wants to read on after a failed write is told of that first, as with TCP.
                flushWaiting();
            }
            inbound.read();
            if (inbound.isStalled()) {
                // What came may still be read, some time; but who waits for his writes has waited long enough.
                flushWaiting();
            }
            runIfDrained();
        }

        /** For a reason that the stream itself does not see. Where it can, the peer is told. */
        private void lost(AbortReason reason, IOException cause) {
            // The id is closed a moment after the channel, which may never have had a connection.
            if (isOpen()) {
                handshake.connection().abort(reason, "");
                failed(cause);
            }
        }

        // ---- closing ----

        private void finish() {
            try {
                handshake.connection().finish();
            } catch (IOException e) {
                failed(e);
            }
            runIfDrained();
        }

        private void runIfDrained() {
            // A peer that has left acknowledges nothing any more.
            if (drain.isAwaited() && (peer != PeerPresence.THERE || handshake.connection().isDrained())) {
                drain.done();
            }
        }

        /** The loop ends, and may not wait any longer when it says so again. */
        @Override
        public void close() {
            if (state.isClosing()) {
                drain.done();
            } else {
                close(voidPromise());
            }
        }

        private void closeBecause(IOException cause) {
            close(voidPromise(), cause, (ClosedChannelException) new ClosedChannelException().initCause(cause));
        }

        /**
         * Whoever was told that his bytes are written may rely on it: they are acknowledged before the connection ends.
         * An abort, or a connection that has failed, waits for nothing.
         */
        @Override
        protected void close(ChannelPromise promise, Throwable cause, ClosedChannelException closeCause) {
            if (state.isClosing()) {
                closeFuture().addListener(closed -> promise.trySuccess());
                return;
            }
            if (attempt != null) {
                ConnectAttempt given = attempt;
                attempt = null;
                given.fail(closeCause);
            }
            if (!state.hasPeer() || config.aborts() || inbound.hasFailed()) {
                if (state == ChannelState.OPEN && config.aborts()) {
                    handshake.connection().abort(AbortReason.RESET, "");
                }
                super.close(promise, cause, closeCause);
                return;
            }
            ChannelPromise kept = promise.isVoid() ? newPromise() : promise;
            outputShut = true;
            drain.await(() -> super.close(kept, cause, closeCause));
            if (state == ChannelState.ACCEPTING) {
                state = ChannelState.LEAVING;
            } else {
                state = ChannelState.CLOSING;
                finish();
            }
        }

        /** The queue pair's completions come to this loop and to no other. */
        @Override
        public void deregister(ChannelPromise promise) {
            if (state != ChannelState.NEW && isOpen() && isRegistered()) {
                safeSetFailure(promise, new UnsupportedOperationException(RdmaChannel.this
                        + " stays on its event loop: its queue pair completes its work there. Close it instead"));
                return;
            }
            super.deregister(promise);
        }

        /** What was written before a close. When it is closed there is none: closing the queue pair ends the rest. */
        @Override
        public int outstandingWork() {
            return state.isClosing() ? 1 : 0;
        }

        @Override
        public void unregistered() {
            if (handshake != null) {
                handshake.close();
            }
        }
    }
}
