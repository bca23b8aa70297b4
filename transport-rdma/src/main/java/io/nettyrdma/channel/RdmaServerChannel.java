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

import io.netty.channel.AbstractServerChannel;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.util.UncheckedBooleanSupplier;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.cm.CmEvent;
import io.nettyrdma.cm.CmEventChannel;
import io.nettyrdma.cm.CmEventType;
import io.nettyrdma.cm.CmId;
import io.nettyrdma.cm.CmPortSpace;
import io.nettyrdma.io.RdmaIoEvent;
import io.nettyrdma.io.RdmaIoHandle;
import io.nettyrdma.io.RdmaIoRegistration;
import io.nettyrdma.io.RdmaLoop;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaCounters;
import io.nettyrdma.protocol.ConnectData;
import io.nettyrdma.protocol.ProtocolException;
import io.nettyrdma.protocol.RejectReason;
import io.nettyrdma.verbs.VerbsException;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Listens for connections, in the place of a TCP server socket. Its children are {@link RdmaChannel}s, each of which
 * accepts on its own event loop; until then the peer waits. Who does not speak our protocol is refused here, and told
 * why.
 *
 * <p>A child is made, registered and initialized before its connection is established, unlike one of TCP: it becomes
 * active when the peer has confirmed. One whose peer never does is active for a moment, and ends without an exception.
 * So who counts connections does it where it ends as well: in handlerAdded and handlerRemoved, or in channelActive and
 * channelInactive. docs/hostile-peers.md has what is bounded by which option.
 */
public final class RdmaServerChannel extends AbstractServerChannel implements ServerSocketChannel {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(RdmaServerChannel.class);

    private static final String BACKLOG_IS_FULL = "its backlog is full: as many requests wait as SO_BACKLOG allows";

    private final RdmaServerChannelConfig config = new RdmaServerChannelConfig(this);
    /** Requests that nobody has read yet. */
    private final ArrayDeque<ConnectionRequest> requests = new ArrayDeque<>();
    /** Children on their way in. Counted up by the loop, and down by theirs. */
    private final AtomicInteger accepting = new AtomicInteger();
    private final PeerWarnings warnings = new PeerWarnings(LOGGER);
    private IoRegistration registration;
    private volatile RdmaLoop loop;
    private volatile CmId id;
    /** Where requests wait, but are not taken, while a listener is on no loop; else {@code null}. */
    private CmEventChannel parked;
    private volatile boolean closed;
    private volatile int waitingRequests;
    private boolean readPending;
    private boolean reading;

    @Override
    public RdmaServerChannelConfig config() {
        return config;
    }

    @Override
    public boolean isOpen() {
        return !closed;
    }

    @Override
    public boolean isActive() {
        return !closed && id != null;
    }

    @Override
    public InetSocketAddress localAddress() {
        return (InetSocketAddress) super.localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return null;
    }

    /** What happened on this channel's loop. After registration, any thread. */
    public RdmaCounters counters() {
        return loop.counters();
    }

    /** Peers that wait for an answer because nobody reads this channel, or not fast enough. Any thread. */
    public int waitingRequests() {
        return waitingRequests;
    }

    /** Children whose peers have not confirmed their connections yet. Any thread. */
    public int acceptingChildren() {
        return accepting.get();
    }

    PeerWarnings warnings() {
        return warnings;
    }

    /** A child is on its way in no more. Any thread. */
    void admitted() {
        accepting.decrementAndGet();
        // Who waits is counted before he is held back: one of the two sees the other.
        if (waitingRequests > 0) {
            try {
                eventLoop().execute(this::readRequests);
            } catch (RejectedExecutionException e) {
                LOGGER.debug("{}: the loop ends, and who waits is refused", this, e);
            }
        }
    }

    @Override
    protected SocketAddress localAddress0() {
        CmId current = id;
        return current == null ? null : current.localAddress();
    }

    @Override
    protected boolean isCompatible(EventLoop eventLoop) {
        return eventLoop instanceof IoEventLoop && ((IoEventLoop) eventLoop).isCompatible(ServerUnsafe.class);
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new ServerUnsafe();
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        ((IoEventLoop) eventLoop()).register((ServerUnsafe) unsafe()).addListener(future -> {
            if (future.isSuccess()) {
                registration = (IoRegistration) future.getNow();
                loop = ((RdmaIoRegistration) registration.attachment()).loop();
                settle(promise);
            } else {
                promise.setFailure(future.cause());
            }
        });
    }

    /** Requests that have come meanwhile are the first. */
    private void settle(ChannelPromise promise) {
        try {
            if (parked != null) {
                loop.migrate(id, registration.attachment());
                parked.close();
                parked = null;
            }
        } catch (IOException | RuntimeException e) {
            promise.setFailure(e);
            return;
        }
        promise.setSuccess();
    }

    @Override
    protected void doBind(SocketAddress address) throws IOException {
        CmId listener = CmId.create(loop.cmEventChannel(), CmPortSpace.TCP);
        try {
            if (config.isReuseAddress()) {
                listener.reuseAddress(true);
            }
            listener.bind((InetSocketAddress) address);
            listener.listen(config.getBacklog());
            loop.attach(listener, registration.attachment());
        } catch (VerbsException e) {
            ChannelErrors.closeQuietly(listener);
            throw ChannelErrors.addressFailure(e);
        } catch (RuntimeException e) {
            ChannelErrors.closeQuietly(listener);
            throw e;
        }
        id = listener;
    }

    @Override
    protected void doClose() {
        closed = true;
        CmId listener = id;
        if (listener != null) {
            loop.detach(listener);
            ChannelErrors.closeQuietly(listener);
        }
        if (parked != null) {
            ChannelErrors.closeQuietly(parked);
        }
        for (ConnectionRequest request = nextRequest(); request != null; request = nextRequest()) {
            request.refuse("the server is being closed");
        }
    }

    @Override
    protected void doDeregister() throws IOException {
        if (registration != null) {
            registration.cancel();
        }
        if (isActive()) {
            loop.detach(id);
            parked = CmEventChannel.open();
            id.migrate(parked);
        }
    }

    @Override
    protected void doBeginRead() {
        readPending = true;
        if (!requests.isEmpty() && !reading) {
            eventLoop().execute(this::readRequests);
        }
    }

    /** Any thread. */
    void clearReadPending() {
        if (isRegistered() && !eventLoop().inEventLoop()) {
            eventLoop().execute(() -> readPending = false);
        } else {
            readPending = false;
        }
    }

    private void onEvent(CmEvent event) {
        if (event.type() == CmEventType.CONNECT_REQUEST) {
            requested(event);
        } else if (event.type() == CmEventType.DEVICE_REMOVAL) {
            pipeline().fireExceptionCaught(ChannelErrors.deviceRemoved(this));
            unsafe().close(voidPromise());
        }
    }

    private void requested(CmEvent event) {
        ConnectData data;
        try {
            data = ConnectData.decode(event.privateData());
        } catch (ProtocolException e) {
            refuse(event.newId(), RdmaCounter.REQUESTS_REFUSED, e.rejectReason(), e.getMessage());
            return;
        }
        if (!hasRoom()) {
            refuse(event.newId(), RdmaCounter.REQUESTS_BEYOND_BACKLOG, RejectReason.RESOURCES, BACKLOG_IS_FULL);
            return;
        }
        requests.add(new ConnectionRequest(event, data));
        waitingRequests = requests.size();
        readRequests();
    }

    /** @param text for the peer as well: nothing but what is wrong with his request. */
    private void refuse(CmId request, RdmaCounter counter, RejectReason reason, String text) {
        loop.counters().increment(counter);
        warnings.warn(this, "refuses " + request.peerAddress() + ": " + text);
        Handshake.turnAway(request, reason, text);
    }

    /** Who has waited longest is the likeliest to have left; one look at a time, whatever comes. */
    private boolean hasRoom() {
        return requests.size() < config.maxWaiting() || dropAbandoned();
    }

    /** Returns whether the first of those who wait had left. */
    private boolean dropAbandoned() {
        if (!requests.element().isAbandoned()) {
            return false;
        }
        loop.counters().increment(RdmaCounter.REQUESTS_ABANDONED);
        ChannelErrors.closeQuietly(nextRequest().id());
        return true;
    }

    /** Whether there is a request whose client still waits, and a child more is let in. */
    private boolean mayAdmit() {
        boolean full = accepting.get() >= config.getMaxAccepting();
        if (full && !requests.isEmpty()) {
            loop.counters().increment(RdmaCounter.REQUESTS_HELD_BACK);
        }
        while (!full && !requests.isEmpty()) {
            if (!dropAbandoned()) {
                return true;
            }
        }
        return false;
    }

    private ConnectionRequest nextRequest() {
        ConnectionRequest next = requests.poll();
        waitingRequests = requests.size();
        return next;
    }

    private void readRequests() {
        if (reading || !readPending || closed || !mayAdmit()) {
            return;
        }
        RecvByteBufAllocator.ExtendedHandle handle =
                (RecvByteBufAllocator.ExtendedHandle) unsafe().recvBufAllocHandle();
        UncheckedBooleanSupplier more = () -> !requests.isEmpty();
        handle.reset(config);
        handle.attemptedBytesRead(1);
        reading = true;
        try {
            do {
                handle.lastBytesRead(1);
                handle.incMessagesRead(1);
                readPending = false;
                accepting.incrementAndGet();
                pipeline().fireChannelRead(new RdmaChannel(this, nextRequest()));
            } while (!closed && handle.continueReading(more) && mayAdmit());
            handle.readComplete();
            pipeline().fireChannelReadComplete();
        } finally {
            reading = false;
        }
        if (readPending && !requests.isEmpty()) {
            eventLoop().execute(this::readRequests);
        }
    }

    /** What the loop knows of this channel. */
    private final class ServerUnsafe extends AbstractUnsafe implements RdmaIoHandle {

        @Override
        public void handle(IoRegistration ignored, IoEvent event) {
            RdmaIoEvent rdma = (RdmaIoEvent) event;
            if (rdma.kind() == RdmaIoEvent.Kind.CM_EVENT) {
                onEvent(rdma.cmEvent());
            }
        }

        @Override
        public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
            safeSetFailure(promise, new UnsupportedOperationException(RdmaServerChannel.this + " listens"));
        }

        @Override
        public int outstandingWork() {
            return 0;
        }

        @Override
        public void close() {
            close(voidPromise());
        }
    }
}
