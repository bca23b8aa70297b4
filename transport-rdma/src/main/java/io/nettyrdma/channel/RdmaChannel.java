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

import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.nettyrdma.cm.CmEvent;
import io.nettyrdma.cm.CmEventType;
import io.nettyrdma.cm.CmId;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.protocol.AbortReason;
import io.nettyrdma.stream.StreamListener;
import io.nettyrdma.verbs.AsyncEvent;
import io.nettyrdma.verbs.WorkCompletion;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;

/**
 * A byte stream over a reliable RDMA connection, in the place of a TCP socket:
 *
 * <pre>
 *   new Bootstrap().group(new MultiThreadIoEventLoopGroup(RdmaIoHandler.newFactory())).channel(RdmaChannel.class)
 * </pre>
 *
 * A write's promise completes when its bytes are the transport's, which has copied them, or the peer's device has them,
 * when they were sent from where they are; on iWARP only ours has. A channel can be moved to another event loop until
 * it connects or is accepted; after that its queue pair completes its work on that loop, and deregistering fails.
 */
public final class RdmaChannel extends MovableChannel {

    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);

    private final RdmaChannelConfig config = new RdmaChannelConfig(this);
    private final InboundReader inbound = new InboundReader(this);
    /** Of a child, until it is registered. */
    private volatile ConnectionRequest request;
    private final Admission admission = new Admission(parent());
    private volatile boolean outputShut;
    private volatile Handshake handshake;
    private ConnectAttempt attempt;
    private KeepaliveTimer keepalive;
    private PeerPresence peer = PeerPresence.EXPECTED;
    private final Closing closing = new Closing(promise -> rdmaUnsafe().shutdownOutput(promise));

    /** One that connects. */
    public RdmaChannel() {
        super(null, ChannelState.NEW);
    }

    /** One that a server was asked for. */
    RdmaChannel(RdmaServerChannel parent, ConnectionRequest request) {
        super(parent, ChannelState.REQUESTED);
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

    boolean hasQueuePair() {
        return handshake != null && handshake.connection() != null;
    }

    @Override
    CmId cmId() {
        ConnectionRequest asked = request;
        return handshake != null ? handshake.id() : asked == null ? null : asked.id();
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new RdmaUnsafe();
    }

    private RdmaUnsafe rdmaUnsafe() {
        return (RdmaUnsafe) unsafe();
    }

    @Override
    ChannelHandle.Events events() {
        return rdmaUnsafe();
    }

    @Override
    void entered() {
        if (request != null) {
            rdmaUnsafe().accept();
        }
    }

    @Override
    protected void doDisconnect() {
        doClose();
    }

    /** What is under way by now is flushed; {@link ChannelHandle#unregistered} is called when that has come in. */
    @Override
    protected void doClose() {
        // Who waits has waited long enough, as this may be a close by force; his close comes here as well.
        closing.cutShort(new ClosedChannelException());
        if (state() == ChannelState.CLOSED) {
            return;
        }
        become(ChannelState.CLOSED);
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
            handle().depart();
        }
        closeBound();
        // Who closes forcibly does not deregister.
        doDeregister();
    }

    // ---- bytes ----

    @Override
    protected void doBeginRead() {
        inbound.beginRead();
    }

    RdmaConnection connection() {
        return handshake.connection();
    }

    /** Every write that is not done fails with the cause. */
    void closeBecause(IOException cause) {
        rdmaUnsafe().closeBecause(cause);
    }

    void settle() {
        rdmaUnsafe().settle();
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
        if (inbound.failure() == null && peer != PeerPresence.GONE) {
            handshake.connection().flush(in);
        } else if (!RdmaConnection.removeEmpty(in) && inbound.failure() != null) {
            // It is known, though not told before the last byte is read.
            throw inbound.failure();
        } else if (!in.isEmpty() && !inbound.isBeingRead()) {
            throw ChannelErrors.brokenPipe(remoteAddress());
        }
    }

    /** FIN was sent before, if Netty was not asked by an error: see {@link #shutdownOutput(ChannelPromise)}. */
    @Override
    protected void doShutdownOutput() throws Exception {
        outputShut = true;
        if (!inbound.hasFailed()) {
            handshake.connection().finish(null);
        }
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

    /** What is flushed is delivered first, up to SO_SNDBUF: Netty lets go of buffers that the device may read. */
    @Override
    void endOutput(ChannelPromise promise) {
        closing.half(promise);
        rdmaUnsafe().finish();
    }

    /** What the loop and the pipeline call. */
    private final class RdmaUnsafe extends AbstractUnsafe implements ChannelHandle.Events, StreamListener {

        private final FlushRounds flushes = new FlushRounds(RdmaChannel.this, super::flush0);

        @Override
        public void completed(WorkCompletion completion) {
            peer = peer.after(completion);
            handshake.connection().completed(completion, outboundBuffer());
        }

        /** Reading comes first: what it has written is flushed with what waited. */
        @Override
        public void completionsDone() {
            if (state().isAccepting() && peer == PeerPresence.THERE) {
                confirmed();
            }
            inbound.read();
            try {
                handshake.connection().completionsDone(outboundBuffer());
            } catch (IOException e) {
                sendFailed(e);
            }
            settle();
        }

        /** What follows from what the peer is known to have done. */
        private void settle() {
            if (peer == PeerPresence.GONE && inbound.isEnded()) {
                // It has said all that it had to, and is not there to hear the rest of ours.
                flush0();
            } else if (peer == PeerPresence.GONE && !inbound.hasFailed()) {
                failed(ChannelErrors.disconnected(remoteAddress()));
            }
            inbound.makeRoom();
            endIfDrained();
        }

        /** Writes wait for the connection, and are not refused. */
        @Override
        protected void flush0() {
            if (!state().isConnecting()) {
                flushes.run();
            }
        }

        @Override
        public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
            if (promise.isDone() || !ensureOpen(promise)) {
                return;
            }
            InetSocketAddress to;
            try {
                to = prepareConnect(remote, local);
            } catch (IOException | RuntimeException e) {
                promise.tryFailure(annotateConnectException(e, remote));
                return;
            }
            CmId from = takeBound();
            begin(null);
            attempt = new ConnectAttempt(promise, to);
            become(ChannelState.CONNECTING);
            try {
                handshake.connect(from, to, this::connectFailed);
                attempt.start(config.getConnectTimeoutMillis(), this::connectFailed, () -> close(voidPromise()));
            } catch (Throwable t) {
                connectFailed(t);
            }
        }

        private void begin(CmId asked) {
            handshake = new Handshake(handle().registration(), eventLoop(), config, inbound.input(), this, asked);
            handle().begins(handshake);
        }

        private void accept() {
            if (state() == ChannelState.LEAVING && config.aborts()) {
                giveUp(AbortReason.RESET);
                return;
            }
            if (state() == ChannelState.REQUESTED) {
                become(ChannelState.ACCEPTING);
            }
            ConnectionRequest accepted = request;
            begin(accepted.id());
            request = null;
            admission.expire(eventLoop(), config.getConnectTimeoutMillis(), remoteAddress(), this::acceptFailed);
            handshake.accept(accepted, this::acceptFailed);
        }

        private void connectFailed(Throwable cause) {
            // A timeout has the address in it, and users look for its type.
            attempt.fail(cause instanceof ConnectTimeoutException ? cause
                    : annotateConnectException(cause, attempt.remote()));
            close(voidPromise());
        }

        /** Of a child nobody waits for a promise: the pipeline is told, if it is not the peer's doing. */
        private void acceptFailed(Throwable cause) {
            IOException failure = cause instanceof IOException told ? told : new IOException(cause.getMessage(), cause);
            if (!admission.failed(cause, counters())) {
                failed(failure);
                return;
            }
            inbound.fail(failure);
            becomeActive();
            close(voidPromise());
            endIfDrained();
        }

        /** The first frame was faster than the word of the connection manager, or that is lost. */
        private void confirmed() {
            try {
                handshake.confirm();
            } catch (IOException e) {
                acceptFailed(e);
                return;
            }
            opened();
        }

        private void opened() {
            boolean leaving = state() == ChannelState.LEAVING;
            peer = peer.confirmed();
            boolean wanted = becomeActive();
            if (isActive()) {
                keepalive = new KeepaliveTimer(RdmaChannel.this, handshake.connection(), this::peerIsDead);
                keepalive.start();
            }
            if (leaving) {
                finish();
            } else if (!wanted) {
                close(voidPromise());
            }
            flush0();
            inbound.resume();
        }

        /** Returns whether it is wanted. The promise may have been cancelled, and still it was active for a moment. */
        @SuppressWarnings("deprecation")
        private boolean becomeActive() {
            admission.over();
            become(state() == ChannelState.LEAVING ? ChannelState.CLOSING : ChannelState.OPEN);
            // Netty keeps them, for who asks when the id is gone; what it was bound to may have been any address.
            invalidateLocalAddress();
            localAddress();
            remoteAddress();
            boolean wanted = attempt == null || attempt.succeed();
            pipeline().fireChannelActive();
            return wanted;
        }

        @Override
        public void cmEvent(CmEvent event) {
            if (state().isConnecting() && !opens(event)) {
                return;
            }
            if (event.type() == CmEventType.DEVICE_REMOVAL) {
                faulted(ChannelErrors.deviceRemoved(RdmaChannel.this));
            } else if (event.type() == CmEventType.DISCONNECTED || event.type().isFailure()) {
                // It failed for the connection manager, which never heard what the peer's first frame has said.
                disconnected();
            }
        }

        private boolean opens(CmEvent event) {
            try {
                if (!handshake.onEvent(event)) {
                    return false;
                }
            } catch (Throwable t) {
                if (state() == ChannelState.CONNECTING) {
                    connectFailed(t);
                } else {
                    acceptFailed(t);
                }
                return false;
            }
            opened();
            return true;
        }

        private void disconnected() {
            if (isOpen() && !peer.hasLeft()) {
                peer = peer.left();
                handshake.connection().peerLeft(() -> {
                    peer = peer.flushed();
                    settle();
                });
                settle();
            }
        }

        @Override
        public void asyncEvent(AsyncEvent fault) {
            if (handshake.connection().isEndOfPeer(fault)) {
                disconnected();
            } else if (ChannelErrors.isFatal(fault.type())) {
                faulted(ChannelErrors.reported(fault));
            }
        }

        // ---- what the connection tells ----

        @Override
        public void aborted(AbortReason reason, String text) {
            failed(ChannelErrors.reset(remoteAddress(), reason, text));
        }

        @Override
        public void failed(IOException cause) {
            if (state() == ChannelState.CONNECTING) {
                connectFailed(cause);
                return;
            }
            inbound.fail(cause);
            if (state().isAccepting()) {
                becomeActive();
            }
            if (!config.isAutoClose()) {
                // Who wants to read on after a failed write is told of that first, as with TCP.
                flush0();
            }
            inbound.read();
            if (inbound.isStalled()) {
                // What came may still be read, some time; but who waits for his writes has waited long enough.
                flush0();
            }
            endIfDrained();
        }

        /** The stream itself does not see it. Where the peer can be told, it is, and nobody waits for its answer. */
        private void faulted(IOException cause) {
            if (isOpen()) {
                handshake.abort(AbortReason.RESET);
                handshake.failed();
                failed(cause);
            }
        }

        private void peerIsDead(IOException cause) {
            handshake.abort(AbortReason.TIMEOUT);
            failed(cause);
        }

        /** What is flushed goes first. */
        private void finish() {
            if (!inbound.hasFailed()) {
                try {
                    handshake.connection().finish(closing.hasFailed() ? null : outboundBuffer());
                } catch (IOException e) {
                    sendFailed(e);
                }
            }
            endIfDrained();
        }

        /** A message that cannot be sent ends the channel, as over TCP; a device that refuses ends the connection. */
        private void sendFailed(IOException cause) {
            if (handshake.connection().isBroken()) {
                failed(cause);
            } else {
                handleWriteError(cause);
            }
        }

        /** A peer that has left acknowledges nothing any more, and no connection does that has failed. */
        private void endIfDrained() {
            if (closing.isAwaited() && (inbound.hasFailed() || handshake.connection().isDrained())) {
                closing.acknowledged();
            }
        }

        private void closeTimedOut() {
            counters().increment(RdmaCounter.CLOSES_TIMED_OUT);
            giveUp(AbortReason.TIMEOUT);
        }

        /** The end of a close that has waited long enough. A child is active before it, for a moment. */
        private void giveUp(AbortReason reason) {
            if (state() == ChannelState.LEAVING) {
                becomeActive();
            }
            if (handshake != null) {
                handshake.abort(reason);
            }
            closing.cutShort(new ClosedChannelException());
        }

        @Override
        public boolean isClosing() {
            return state().isClosing();
        }

        @Override
        public void loopEnds() {
            if (state().isClosing()) {
                giveUp(AbortReason.RESET);
            } else {
                close(voidPromise());
            }
        }

        private void closeBecause(IOException cause) {
            close(voidPromise(), cause, (ClosedChannelException) new ClosedChannelException().initCause(cause));
        }

        /**
         * Whoever was told that his bytes are written may rely on it: they are acknowledged before the connection ends.
         * An abort, or a connection that has failed, waits for nothing, and nobody for ever.
         */
        @Override
        protected void close(ChannelPromise promise, Throwable cause, ClosedChannelException closeCause) {
            if (!promise.setUncancellable()) {
                return;
            }
            if (cause != closeCause) {
                closing.failed(cause);
            }
            if (state().isClosing()) {
                closeFuture().addListener(closed -> promise.trySuccess());
                if (state() == ChannelState.CLOSING && closing.hasFailed()) {
                    finish();
                }
                // Whoever has a request still to be accepted does it then.
                if (config.aborts() && request == null) {
                    giveUp(AbortReason.RESET);
                }
                return;
            }
            if (state() == ChannelState.CONNECTING) {
                attempt.fail(closeCause);
            }
            boolean aborts = config.aborts() && state() != ChannelState.REQUESTED;
            if (!state().hasPeer() || !isRegistered() || aborts || inbound.hasFailed()) {
                if (state() == ChannelState.ACCEPTING) {
                    becomeActive();
                }
                if (state() == ChannelState.OPEN && aborts) {
                    handshake.abort(AbortReason.RESET);
                }
                super.close(promise, cause, closeCause);
                return;
            }
            closeWhenDrained(promise.isVoid() ? newPromise() : promise, cause, closeCause);
        }

        private void closeWhenDrained(ChannelPromise promise, Throwable cause, ClosedChannelException closeCause) {
            outputShut = true;
            closing.whole(() -> super.close(promise, closing.causeOr(cause), closeCause), eventLoop(),
                    config.closeTimeoutMillis(), this::closeTimedOut);
            // What nobody will read must not keep the peer from reading ours.
            inbound.close();
            if (state() == ChannelState.OPEN) {
                become(ChannelState.CLOSING);
                finish();
            } else {
                become(ChannelState.LEAVING);
            }
        }

        @Override
        public void deregister(ChannelPromise promise) {
            if (!promise.setUncancellable()) {
                return;
            }
            if (mayLeaveLoop()) {
                leave(() -> super.deregister(promise));
            } else {
                safeSetFailure(promise, new UnsupportedOperationException(RdmaChannel.this
                        + " stays on its event loop: its queue pair completes its work there. Close it instead"));
            }
        }
    }
}
