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
import io.netty.channel.FileRegion;
import io.netty.util.concurrent.Future;
import io.netty.util.internal.StringUtil;
import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.link.CmLinks;
import io.nettyrdma.link.Link;
import io.nettyrdma.link.LinkFactory;
import io.nettyrdma.link.LinkRequest;
import io.nettyrdma.memory.Exposures;
import io.nettyrdma.metrics.RdmaChannelSnapshot;
import io.nettyrdma.remote.ExposedMemory;
import io.nettyrdma.remote.RemoteOperation;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.RdmaDeviceInfo;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.util.concurrent.Executor;

/**
 * A byte stream over a reliable RDMA connection, used in place of a TCP socket channel:
 *
 * <pre>
 *   new Bootstrap().group(new MultiThreadIoEventLoopGroup(RdmaIoHandler.newFactory())).channel(RdmaChannel.class)
 * </pre>
 *
 * A write's promise completes when the transport has copied the bytes or, for bytes that are sent in place, when the
 * peer's device has them; on iWARP, when our device has taken them. A close is over at once. Data flushed before
 * it, up to SO_SNDBUF bytes, is still sent, and its promises complete when the peer has it. A channel can move to
 * another event loop until it connects or is accepted. After that its queue pair completes its work on that loop, and
 * deregistering fails.
 *
 * @since 0.1.0
 */
public final class RdmaChannel extends MovableChannel {

    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);
    private static final String EXPECTED = " (expected: " + StringUtil.simpleClassName(ByteBuf.class) + ", "
            + StringUtil.simpleClassName(FileRegion.class) + ", " + StringUtil.simpleClassName(RemoteOperation.class)
            + ')';

    private final RdmaChannelConfig config = new RdmaChannelConfig(this);
    private final InboundReader inbound = new InboundReader(this);
    private final Opening opening;
    private final Ending ending = new Ending(this, inbound);
    private final Link.Events events;
    /** Whether the peer has left, or the connection has failed. */
    private boolean refusesWrites;

    /** Creates a channel that connects. */
    public RdmaChannel() {
        this(null, null, null, CmLinks.INSTANCE);
    }

    /**
     * @param parent the server of a child; {@code null} for a channel that connects.
     * @param request a child's; {@code null} for a channel that connects.
     * @param ticket a child's; {@code null} for a channel that connects.
     */
    RdmaChannel(RdmaServerChannel parent, LinkRequest request, AcceptingChildren.Ticket ticket, LinkFactory links) {
        super(parent, request == null ? ChannelState.NEW : ChannelState.REQUESTED, links);
        opening = new Opening(this, inbound, ending, request, ticket);
        events = new ChannelEvents(this, opening, ending, inbound);
    }

    @Override
    public RdmaChannelConfig config() {
        return config;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    /** {@return the device of the connection; {@code null} before the peer's address has chosen it} Any thread. */
    public RdmaDeviceInfo device() {
        Link current = link();
        return current == null ? null : current.device();
    }

    /**
     * Lets the peer access a buffer, from index 0 to its capacity; expose a slice for a part of it. Send the peer
     * {@link ExposedMemory#remote}. Any thread.
     *
     * <p>The memory is withdrawn by {@link ExposedMemory#close} or after the end of the channel, when the peer can
     * access it no more. Until then the buffer stays referenced, and the peer may change its bytes at any time: copy
     * what you check before you use it. A buffer of an RdmaByteBufAllocator cannot outgrow its memory meanwhile:
     * {@link ByteBuf#capacity(int)} throws. Do not change the capacity of other buffers: that frees their memory.
     * References are taken to whatever {@link ByteBuf#unwrap} leads to. A wrapper of your own that does not unwrap, and
     * ignores {@code retain()}, keeps no memory of another allocator: keep it yourself. For memory of an
     * RdmaByteBufAllocator such a wrapper is refused.
     *
     * <p>Registering takes time in proportion to the length, on the event loop, and counts for the limit of locked
     * memory (ulimit -l). Nothing but the application limits for how long a silent peer keeps the memory.
     *
     * @param buffer direct, not composite, with a capacity of at least one byte. The result has a reference of its own.
     * @param access REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC.
     * @return fails with {@link IllegalStateException} without {@link RdmaChannelOption#REMOTE_ACCESS}, with
     *         {@link NotYetConnectedException} if the channel is not active, and with the device's reason.
     */
    @UnstableApi
    public Future<ExposedMemory> expose(ByteBuf buffer, MemoryAccess... access) {
        return Exposures.request(eventLoop(), buffer, () -> activeLink().expose(buffer, access));
    }

    /**
     * {@return the state and the counts of the connection} It is read on the event loop. Any thread. The future fails
     * with {@link NotYetConnectedException} if there is no connection yet.
     */
    @UnstableApi
    public Future<RdmaChannelSnapshot> snapshot() {
        return eventLoop().submit(() -> {
            RdmaChannelSnapshot snapshot = link() == null ? null : link().snapshot();
            if (snapshot == null) {
                throw new NotYetConnectedException();
            }
            return snapshot;
        });
    }

    /** As of any channel, the transport, the state and the device. */
    @Override
    public String toString() {
        RdmaDeviceInfo device = device();
        return super.toString() + " RDMA " + state() + (device == null ? "" : " on " + device);
    }

    /** {@code null} as {@link #device}. */
    String deviceName() {
        RdmaDeviceInfo device = device();
        return device == null ? null : device.name();
    }

    /** Any thread. */
    boolean hasQueuePair() {
        Link current = link();
        return current != null && current.hasQueuePair();
    }

    @Override
    LinkRequest request() {
        return opening.request();
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new RdmaUnsafe();
    }

    @Override
    Link.Events events() {
        return events;
    }

    @Override
    public Unsafe unsafe() {
        return rdmaUnsafe().visible;
    }

    private RdmaUnsafe rdmaUnsafe() {
        return (RdmaUnsafe) super.unsafe();
    }

    ChannelActions actions() {
        return rdmaUnsafe();
    }

    @Override
    void onLoop(ChannelPromise announcement) {
        if (opening.request() != null) {
            opening.accept(announcement);
        } else {
            announcement.setSuccess();
        }
    }

    /** A child is closed by its initializer. It is active for a moment, which its handlers have to see first. */
    void announce() {
        setState(ChannelState.OPEN);
        cacheAddresses();
        eventLoop().execute(pipeline()::fireChannelActive);
    }

    /** Makes Netty cache both addresses for use after the id is closed. The bound address may have been a wildcard. */
    @SuppressWarnings("deprecation")
    void cacheAddresses() {
        invalidateLocalAddress();
        localAddress();
        remoteAddress();
    }

    @Override
    protected void doBeginRead() {
        inbound.beginRead();
    }

    void clearReadPending() {
        if (isRegistered() && !eventLoop().inEventLoop()) {
            eventLoop().execute(inbound::clearReadPending);
        } else {
            inbound.clearReadPending();
        }
    }

    /** Call when data was read, or when reading is suspended. */
    void afterPeerStateChange() {
        ending.afterPeerStateChange();
    }

    /**
     * An operation that cannot work on this connection is refused when it is written.
     *
     * @throws UnsupportedOperationException if it is no bytes, no file region and no remote operation.
     */
    @Override
    protected Object filterOutboundMessage(Object message) throws Exception {
        // Buffers first, and with them most messages: a check for a class is faster than one for an interface.
        if (message instanceof ByteBuf) {
            return message;
        }
        if (message instanceof RemoteOperation operation) {
            activeLink().check(operation);
        } else if (!(message instanceof FileRegion)) {
            throw new UnsupportedOperationException("unsupported message type: "
                    + StringUtil.simpleClassName(message) + EXPECTED);
        }
        return message;
    }

    private Link activeLink() {
        if (!isActive()) {
            throw new NotYetConnectedException();
        }
        return link();
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer in) throws Exception {
        if (refusesWrites) {
            ending.refuse(in);
            return;
        }
        try {
            link().flush(in);
        } catch (Throwable e) {
            // Netty fails what is left, but not what the device is sending.
            if (!link().isBroken()) {
                actions().takeLast(in, Ending.NO_MORE);
            }
            throw e;
        }
    }

    /** From now on nothing reaches the peer. */
    void refuseWrites() {
        refusesWrites = true;
    }

    @Override
    public boolean isInputShutdown() {
        return inbound.isShutdown() || !isOpen();
    }

    @Override
    public boolean isOutputShutdown() {
        return state().isOutputShut();
    }

    @Override
    void endInput(ChannelPromise promise) {
        inbound.shutdown();
        promise.trySuccess();
    }

    /** Sends flushed data first, up to SO_SNDBUF: Netty's shutdown releases buffers that the device may still read. */
    @Override
    void endOutput(ChannelPromise promise) {
        ending.shutdownOutput(promise);
    }

    /** FIN is sent already, unless an error made Netty call this: see {@link #shutdownOutput(ChannelPromise)}. */
    @Override
    protected void doShutdownOutput() throws Exception {
        ending.outputShut();
    }

    /** The connection is gone, or cannot be established. */
    void failed(IOException cause) {
        if (state() == ChannelState.CONNECTING || opening.isAccepting()) {
            opening.failed(cause);
        } else {
            ending.failed(cause);
        }
    }

    /** Closes the channel and fails all pending writes with the cause. */
    void closeBecause(IOException cause) {
        rdmaUnsafe().close(voidPromise(), cause,
                (ClosedChannelException) new ClosedChannelException().initCause(cause));
    }

    @Override
    protected void doDisconnect() {
        doClose();
    }

    /**
     * Starts the connection's {@link Draining}, or its departure.
     */
    @Override
    protected void doClose() {
        if (state() == ChannelState.CLOSED) {
            return;
        }
        if (isActive()) {
            ending.record();
        }
        setState(ChannelState.CLOSED);
        opening.closed();
        ending.closed();
        closeBound();
        // closeForcibly() does not deregister.
        doDeregister();
    }

    /** The entry points of the pipeline. */
    private final class RdmaUnsafe extends AbstractUnsafe implements ChannelActions {

        private final MovableUnsafe visible = new MovableUnsafe(RdmaChannel.this, this);
        /** Messages that outlive the outbound buffer; {@code null} if there are none. */
        private ChannelOutboundBuffer last;
        private final FlushRounds flushes = new FlushRounds(RdmaChannel.this, super::flush0);

        @Override
        public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
            if (promise.isDone() || !ensureOpen(promise)) {
                return;
            }
            InetSocketAddress to;
            try {
                to = prepareConnect(remote, local);
            } catch (IOException | RuntimeException e) {
                promise.tryFailure(annotated(e, remote));
                return;
            }
            opening.connect(takeBound(), promise, to);
        }

        /**
         * Before the connection is open, writes wait and are not refused. In a batch of completions they wait for its
         * end, where one flush sends them all; refused ones do not wait.
         */
        @Override
        protected void flush0() {
            if (!state().isConnecting() && (refusesWrites || !isInBatch())) {
                flushes.run();
            }
        }

        private boolean isInBatch() {
            Link current = link();
            return current != null && current.isInBatch();
        }

        /** A call follows that the application may see end before the promises of what it has flushed. */
        private void flushBatch() {
            if (isInBatch() && !refusesWrites) {
                flushes.run();
            }
        }

        @Override
        public Throwable annotated(Throwable failure, SocketAddress remote) {
            return ChannelErrors.names(failure, remote) ? failure : annotateConnectException(failure, remote);
        }

        @Override
        public ChannelOutboundBuffer outbound() {
            return last == null ? outboundBuffer() : last;
        }

        @Override
        public ChannelOutboundBuffer takeLast(ChannelOutboundBuffer from, long maxBytes) {
            if (from != null && from != last) {
                int count = link().lastMessages(from, maxBytes);
                if (count > 0) {
                    last = new LastMessages().outboundBuffer();
                    visible.move(from, count, last);
                }
            }
            return last;
        }

        @Override
        public void flushNow() {
            flush0();
        }

        @Override
        public void failLast(Throwable cause) {
            while (last != null && last.current() != null) {
                last.remove(cause);
            }
        }

        @Override
        public void writeFailed(Throwable cause) {
            takeLast(outboundBuffer(), Ending.NO_MORE);
            handleWriteError(cause);
        }

        @Override
        public void shutdownOutputNow(ChannelPromise promise) {
            shutdownOutput(promise);
        }

        /** SO_LINGER: the application waits for the peer. */
        @Override
        protected Executor prepareToClose() {
            return ending.lingers() ? completion -> ending.linger(RdmaChannel.this::doClose, completion) : null;
        }

        @Override
        protected void close(ChannelPromise promise, Throwable cause, ClosedChannelException closeCause) {
            flushBatch();
            if (!promise.setUncancellable()) {
                return;
            }
            if (state() == ChannelState.CONNECTING) {
                opening.abandon(closeCause);
            }
            super.close(promise, ending.begin(cause, closeCause), closeCause);
        }
    }

    /** Netty gives an outbound buffer to each unsafe. This one is for messages that outlive the channel's. */
    private final class LastMessages extends AbstractUnsafe {

        @Override
        public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
            throw new UnsupportedOperationException();
        }
    }
}
