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
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.util.UncheckedBooleanSupplier;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.link.CmLinks;
import io.nettyrdma.link.LinkFactory;
import io.nettyrdma.link.LinkListener;
import io.nettyrdma.memory.LoopTasks;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaCounters;
import io.nettyrdma.verbs.RdmaDeviceInfo;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/**
 * Listens for connections, in place of a TCP server socket. Its children are {@link RdmaChannel}s, each of which
 * accepts on its own event loop; until then the peer waits. A request without our protocol's connection data is
 * rejected with the reason.
 *
 * <p>A child is announced when its connection is open: handlerAdded, initChannel, channelRegistered and channelActive
 * follow each other. Only the handlers of the server's own pipeline see it before, and may refuse it. A peer that never
 * confirms is counted, by {@link RdmaCounter#CHILDREN_UNCONFIRMED}.
 * <a href="https://nettyrdma.io/docs/hostile-peers.html">Hostile peers</a> lists what is bounded by which option.
 *
 * @since 0.1.0
 */
public final class RdmaServerChannel extends AbstractServerChannel implements ServerSocketChannel {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(RdmaServerChannel.class);

    private final RdmaServerChannelConfig config = new RdmaServerChannelConfig(this);
    private final AcceptingChildren accepting = new AcceptingChildren(this::acceptingEnded);
    private final PeerWarnings warnings = new PeerWarnings(LOGGER);
    private final LinkFactory links;
    private final LinkListener listener;
    private volatile ServerSocketChannel parentOfChildren = this;
    private volatile boolean closed;
    private final Runnable readStep = this::readRequests;
    private boolean readPending;
    private boolean reading;
    private boolean readScheduled;

    /** Creates a channel that listens when it is bound. */
    public RdmaServerChannel() {
        this(CmLinks.INSTANCE);
    }

    RdmaServerChannel(LinkFactory links) {
        this.links = links;
        listener = links.listener(new ListenerEvents(), config::maxWaiting);
    }

    /**
     * Another channel listens by this one. For use within this project only. Call before it is bound.
     *
     * @param other the parent of the children from now on.
     */
    @UnstableApi
    public void standFor(ServerSocketChannel other) {
        parentOfChildren = other;
    }

    /** What programs see as the parent of the children. */
    ServerSocketChannel parentOfChildren() {
        return parentOfChildren;
    }

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
        return !closed && listener.isBound();
    }

    @Override
    public InetSocketAddress localAddress() {
        return (InetSocketAddress) super.localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return null;
    }

    /**
     * {@return the device that the local address leads to; {@code null} before bind, and for a wildcard address} Any
     * thread.
     */
    public RdmaDeviceInfo device() {
        return listener.device();
    }

    /** As of any channel, the transport, the state and the device. */
    @Override
    public String toString() {
        RdmaDeviceInfo bound = listener.device();
        String state = closed ? "CLOSED" : listener.isBound() ? "LISTENING" : "NEW";
        return super.toString() + " RDMA " + state + (bound == null ? "" : " on " + bound);
    }

    /**
     * {@return the counters of this channel's event loop, which its other channels have too} After registration, any
     * thread.
     */
    public RdmaCounters loopCounters() {
        return listener.counters();
    }

    /**
     * {@return the number of peers that wait for an answer because this channel is not read, or not fast enough} Any
     * thread.
     */
    public int waitingRequests() {
        return listener.waiting();
    }

    /** {@return the number of children whose peers have not confirmed their connections yet} Any thread. */
    public int acceptingChildren() {
        return accepting.count();
    }

    PeerWarnings warnings() {
        return warnings;
    }

    /** Another child may be accepted. Any thread. */
    private void acceptingEnded() {
        // The loop counts a waiting request before it reads the count of children: one thread sees the other's change.
        if (listener.waiting() > 0) {
            // A loop that ends refuses the waiting requests.
            LoopTasks.execute(eventLoop(), this::readSoon);
        }
    }

    @Override
    protected SocketAddress localAddress0() {
        return listener.localAddress();
    }

    @Override
    protected boolean isCompatible(EventLoop eventLoop) {
        return links.isCompatible(eventLoop);
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new ServerUnsafe();
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        listener.register(eventLoop(), failure -> {
            if (failure == null) {
                promise.setSuccess();
            } else {
                promise.setFailure(failure);
            }
        });
    }

    @Override
    protected void doBind(SocketAddress address) throws IOException {
        listener.bind(ConnectAttempt.checked(address), config.isReuseAddress(), config.getBacklog());
    }

    @Override
    protected void doClose() {
        closed = true;
        listener.stop();
    }

    @Override
    protected void doDeregister() throws IOException {
        readScheduled = false;
        listener.deregister(isOpen());
    }

    @Override
    protected void doBeginRead() {
        readPending = true;
        if (listener.waiting() > 0 && !reading) {
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

    /** A step of the loop reads, so that requests are taken off the kernel while many children wait for theirs. */
    private void readSoon() {
        if (!readScheduled && isRegistered() && eventLoop().inEventLoop()) {
            readScheduled = true;
            listener.enqueueStep(readStep);
        }
    }

    /** Whether a peer still waits for its request to be read, and another child may be accepted. */
    private boolean mayAccept() {
        if (accepting.count() < config.getMaxAccepting()) {
            return listener.hasRequest();
        }
        if (listener.waiting() > 0) {
            loopCounters().increment(RdmaCounter.REQUESTS_HELD_BACK);
        }
        return false;
    }

    private void readRequests() {
        if (!isRegistered() || !eventLoop().inEventLoop()) {
            // The channel has moved to another loop since this step was scheduled.
            return;
        }
        readScheduled = false;
        if (reading || !readPending || closed || !mayAccept()) {
            return;
        }
        RecvByteBufAllocator.ExtendedHandle handle =
                (RecvByteBufAllocator.ExtendedHandle) unsafe().recvBufAllocHandle();
        UncheckedBooleanSupplier more = () -> listener.waiting() > 0;
        handle.reset(config);
        handle.attemptedBytesRead(1);
        reading = true;
        try {
            do {
                handle.lastBytesRead(1);
                handle.incMessagesRead(1);
                readPending = false;
                pipeline().fireChannelRead(new RdmaChannel(this, listener.take(), accepting.add(), links));
            } while (!closed && handle.continueReading(more) && mayAccept());
            handle.readComplete();
            pipeline().fireChannelReadComplete();
        } finally {
            reading = false;
        }
        if (readPending && listener.waiting() > 0) {
            readSoon();
        }
    }

    /** What the listener reports. */
    private final class ListenerEvents implements LinkListener.Events {

        @Override
        public void requested() {
            readSoon();
        }

        @Override
        public void refused(InetSocketAddress peer, String why) {
            warnings.warn(RdmaServerChannel.this, "refuses " + peer + ": " + why);
        }

        @Override
        public void deviceRemoved() {
            pipeline().fireExceptionCaught(
                    new IOException("the RDMA device of " + RdmaServerChannel.this + " was removed"));
            unsafe().close(voidPromise());
        }

        @Override
        public void loopEnds() {
            unsafe().close(voidPromise());
        }
    }

    private final class ServerUnsafe extends AbstractUnsafe {

        @Override
        public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
            safeSetFailure(promise, new UnsupportedOperationException(RdmaServerChannel.this
                    + " listens, and cannot connect"));
        }
    }
}
