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
import io.nettyrdma.io.RdmaIoEvent;
import io.nettyrdma.io.RdmaIoHandle;
import io.nettyrdma.io.RdmaIoRegistration;
import io.nettyrdma.io.RdmaLoop;
import io.nettyrdma.memory.LoopTasks;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaCounters;
import io.nettyrdma.protocol.ConnectData;
import io.nettyrdma.protocol.ProtocolException;
import io.nettyrdma.protocol.RejectReason;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.RdmaDeviceInfo;
import io.nettyrdma.verbs.VerbsException;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Listens for connections, in place of a TCP server socket. Its children are {@link RdmaChannel}s, each of which
 * accepts on its own event loop; until then the peer waits. A request without our protocol's connection data is
 * rejected with the reason.
 *
 * <p>Unlike a child of TCP, a child is created, registered and initialized before its connection is established. It
 * becomes active when the peer has confirmed. A child whose peer never confirms is active for a moment, and ends
 * without an exception. So count connections at both ends: in handlerAdded and handlerRemoved, or in channelActive and
 * channelInactive. docs/hostile-peers.md lists what is bounded by which option.
 */
public final class RdmaServerChannel extends AbstractServerChannel implements ServerSocketChannel {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(RdmaServerChannel.class);

    private static final String BACKLOG_IS_FULL = "its backlog is full: as many requests wait as SO_BACKLOG allows";

    private final RdmaServerChannelConfig config = new RdmaServerChannelConfig(this);
    /** Requests that were not read yet. */
    private final ArrayDeque<ConnectionRequest> requests = new ArrayDeque<>();
    /** Children between request and open connection. The server's loop counts up, the children's loops count down. */
    private final AtomicInteger accepting = new AtomicInteger();
    private final PeerWarnings warnings = new PeerWarnings(LOGGER);
    private IoRegistration registration;
    private volatile RdmaLoop loop;
    private volatile Listening listening;
    private volatile RdmaDeviceInfo device;
    /** Holds waiting requests while the channel is on no loop; otherwise {@code null}. */
    private CmEventChannel parked;
    private volatile boolean closed;
    private volatile int waitingRequests;
    private final Runnable readStep = this::readRequests;
    private boolean readPending;
    private boolean reading;
    private boolean readScheduled;

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
        return !closed && listening != null;
    }

    @Override
    public InetSocketAddress localAddress() {
        return (InetSocketAddress) super.localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return null;
    }

    /** The device that the local address leads to; {@code null} before bind, and for a wildcard address. Any thread. */
    public RdmaDeviceInfo device() {
        return device;
    }

    @Override
    public String toString() {
        RdmaDeviceInfo bound = device;
        return bound == null ? super.toString() : super.toString() + " on " + bound;
    }

    /** Returns the counters of this channel's loop. After registration, any thread. */
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

    /** The admission of a child is over. Any thread. */
    void admitted() {
        accepting.decrementAndGet();
        // The loop counts a waiting request before it reads the count of children: one thread sees the other's change.
        if (waitingRequests > 0) {
            // A loop that ends refuses the waiting requests.
            LoopTasks.execute(eventLoop(), this::readSoon);
        }
    }

    @Override
    protected SocketAddress localAddress0() {
        Listening current = listening;
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

    /** Requests that came meanwhile are handled first. */
    private void settle(ChannelPromise promise) {
        try {
            if (parked != null) {
                listening.unpark(loop, registration.attachment());
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
        Listening begun = Listening.begin(loop.cmEventChannel(), config, ConnectAttempt.checked(address));
        try {
            device = RdmaDevice.info(begun.deviceName());
        } catch (VerbsException e) {
            begun.close();
            throw e;
        }
        begun.attach(loop, registration.attachment());
        listening = begun;
    }

    @Override
    protected void doClose() {
        closed = true;
        Listening current = listening;
        if (current != null) {
            current.detach(loop);
            current.close();
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
        readScheduled = false;
        if (registration != null) {
            registration.cancel();
        }
        if (isActive()) {
            listening.detach(loop);
            parked = CmEventChannel.open();
            listening.park(parked);
        }
    }

    @Override
    protected void doBeginRead() {
        readPending = true;
        if (!requests.isEmpty() && !reading) {
            readSoon();
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
        readSoon();
    }

    /** A step of the loop reads, so that requests are taken off the kernel while many children wait for theirs. */
    private void readSoon() {
        if (!readScheduled && isRegistered() && eventLoop().inEventLoop()) {
            readScheduled = true;
            loop.inTurn(readStep);
        }
    }

    /** @param text sent to the peer as well, so it may only say what is wrong with the request. */
    private void refuse(CmId request, RdmaCounter counter, RejectReason reason, String text) {
        loop.endTurn();
        loop.counters().increment(counter);
        warnings.warn(this, "refuses " + request.peerAddress() + ": " + text);
        Handshake.turnAway(request, reason, text);
    }

    /** If the backlog is full, checks the oldest request alone: it is the likeliest to be abandoned. */
    private boolean hasRoom() {
        return requests.size() < config.maxWaiting() || dropAbandoned();
    }

    /** Drops the oldest request if its peer has left, and returns whether it did. */
    private boolean dropAbandoned() {
        if (!requests.element().isAbandoned()) {
            return false;
        }
        loop.counters().increment(RdmaCounter.REQUESTS_ABANDONED);
        ChannelErrors.closeQuietly(nextRequest().id());
        return true;
    }

    /** Whether a peer still waits for its request to be read, and another child may be admitted. */
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
        if (!isRegistered() || !eventLoop().inEventLoop()) {
            // The channel has moved to another loop since this step was scheduled.
            return;
        }
        readScheduled = false;
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
            readSoon();
        }
    }

    /** The handle of this channel on its loop. */
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
