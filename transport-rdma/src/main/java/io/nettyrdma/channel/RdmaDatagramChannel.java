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
import io.netty.channel.AbstractChannel;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.datagram.DatagramAddress;
import io.nettyrdma.datagram.DatagramDevices;
import io.nettyrdma.datagram.DatagramHandle;
import io.nettyrdma.datagram.DatagramQueuePair;
import io.nettyrdma.datagram.DatagramService;
import io.nettyrdma.datagram.OutgoingDatagram;
import io.nettyrdma.datagram.PeerHold;
import io.nettyrdma.memory.Exposures;
import io.nettyrdma.metrics.RdmaCounters;
import io.nettyrdma.remote.ExposedMemory;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.RdmaDeviceInfo;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetBoundException;
import java.util.concurrent.RejectedExecutionException;

/**
 * Sends datagrams to any number of peers, and receives them, with one queue pair. A datagram arrives whole or not at
 * all, and is at most as long as a packet ({@link #maxDatagram}).
 *
 * <pre>
 *   bind(DatagramAddress.any())          localAddress(): what the peers need to know
 *   write(envelope)                      an AddressedEnvelope of a ByteBuf and a DatagramAddress
 *   connect(address), write(buffer)      a recipient for all; datagrams of others are dropped
 *   channelRead(envelope)                the same, with the sender's address; its queue key is 0 unless prepared for
 * </pre>
 *
 * <p>A write's promise succeeds when the device has sent the datagram. Delivery is not promised: a datagram is dropped
 * where no receive is posted, no queue pair has that number, or the key differs. A failed datagram fails its promise
 * and nothing else. Nothing is promised about the order of datagrams and of promises.
 *
 * <p>Without autoRead, unread datagrams stay in their receives; the device drops what finds none. A bound channel stays
 * on its event loop.
 *
 * @since 0.1.0
 */
@UnstableApi
public class RdmaDatagramChannel extends AbstractChannel {

    private enum State { OPEN, BOUND, CLOSED }

    private static final ChannelMetadata METADATA = new ChannelMetadata(true, 16);

    private final RdmaDatagramChannelConfig config = newConfig();
    private final DatagramReader reader = new DatagramReader(this);
    private final DatagramChannelEvents events = new DatagramChannelEvents(this, reader);
    private volatile State state = State.OPEN;
    /** Of the present registration. */
    private volatile DatagramHandle handle;
    /** {@code null} before the channel is bound. */
    private volatile DatagramQueuePair queuePair;

    /** Creates a channel that is not bound. */
    public RdmaDatagramChannel() {
        super(null);
    }

    /** {@return the configuration} Called once, by the constructor. */
    protected RdmaDatagramChannelConfig newConfig() {
        return new RdmaDatagramChannelConfig(this);
    }

    @Override
    public RdmaDatagramChannelConfig config() {
        return config;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    public boolean isOpen() {
        return state != State.CLOSED;
    }

    @Override
    public boolean isActive() {
        return state == State.BOUND;
    }

    @Override
    public DatagramAddress localAddress() {
        return (DatagramAddress) super.localAddress();
    }

    @Override
    public DatagramAddress remoteAddress() {
        return (DatagramAddress) super.remoteAddress();
    }

    /** {@return the device; {@code null} before the channel is bound} Any thread. */
    public RdmaDeviceInfo device() {
        DatagramQueuePair bound = queuePair;
        return bound == null ? null : bound.device();
    }

    /** As of any channel, the transport, with the type of the queue pair, the state and the device. */
    @Override
    public String toString() {
        DatagramQueuePair bound = queuePair;
        return super.toString() + (bound == null ? " RDMA datagrams " + state
                : " RDMA " + bound.service().type() + " datagrams " + state + " on " + bound.device());
    }

    /** {@return the bytes of the longest datagram; 0 before the channel is bound} */
    public int maxDatagram() {
        DatagramQueuePair bound = queuePair;
        return bound == null ? 0 : bound.service().maxDatagram();
    }

    /**
     * {@return the counters of this channel's event loop, which its other channels have too} After registration, any
     * thread.
     */
    public RdmaCounters loopCounters() {
        return handle.counters();
    }

    @Override
    protected DatagramAddress localAddress0() {
        DatagramQueuePair bound = queuePair;
        return bound == null ? null : bound.address();
    }

    @Override
    protected DatagramAddress remoteAddress0() {
        DatagramQueuePair bound = queuePair;
        return bound == null ? null : bound.peers().peer();
    }

    /** Throws if the channel is not bound. */
    DatagramQueuePair bound() throws ClosedChannelException {
        return switch (state) {
        case OPEN -> throw new NotYetBoundException();
        case BOUND -> queuePair;
        case CLOSED -> throw new ClosedChannelException();
        };
    }

    // ---- life ----

    @Override
    protected boolean isCompatible(EventLoop eventLoop) {
        return eventLoop instanceof IoEventLoop ioLoop && ioLoop.isCompatible(DatagramHandle.class);
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new DatagramUnsafe();
    }

    @Override
    public Unsafe unsafe() {
        return ((DatagramUnsafe) super.unsafe()).visible;
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        if (state == State.BOUND) {
            promise.setFailure(new IllegalStateException("a bound datagram channel stays on its event loop"));
            return;
        }
        DatagramHandle entering = new DatagramHandle(eventLoop(), events);
        ((IoEventLoop) eventLoop()).register(entering).addListener(future -> {
            if (future.isSuccess()) {
                entering.onRegistered((IoRegistration) future.getNow());
                handle = entering;
                promise.setSuccess();
            } else {
                promise.setFailure(future.cause());
            }
        });
    }

    /** A bound channel cannot go on elsewhere. */
    @Override
    protected void doDeregister() {
        handle.cancel();
        if (state == State.BOUND) {
            eventLoop().execute(this::close);
        }
    }

    @Override
    protected void doBind(SocketAddress address) throws IOException {
        if (!(address instanceof DatagramAddress wish) || !wish.isAny()) {
            throw new IllegalArgumentException(address + " cannot be bound to: the device chooses the address; bind to"
                    + " DatagramAddress.any() or any(device)");
        }
        if (state == State.BOUND) {
            throw new IllegalStateException(this + " is bound already");
        }
        String device = wish.device() == null ? choose(handle.devices()).name() : wish.device();
        DatagramQueuePair opened = handle.open(device, services(), config.ofQueuePair());
        reader.opened(opened);
        queuePair = opened;
        config.granted(opened.granted(), opened.service());
        state = State.BOUND;
    }

    /**
     * {@return the device to bind to, if the address names none} On the event loop.
     *
     * @param devices all that exist.
     * @throws IOException if none of the devices has such datagrams.
     */
    protected RdmaDeviceInfo choose(DatagramDevices devices) throws IOException {
        for (RdmaDeviceInfo each : devices.all()) {
            if (each.transport().hasDatagrams()) {
                return each;
            }
        }
        throw new IOException("no device here sends datagrams: of " + devices.all()
                + " none is RoCE or EFA");
    }

    /** {@return the source of the {@link DatagramService} of a device and port} Called while the channel is bound. */
    protected DatagramService.Source services() {
        return DatagramService::unreliable;
    }

    @Override
    protected void doDisconnect() {
        if (queuePair != null) {
            queuePair.peers().disconnect();
        }
    }

    @Override
    protected void doClose() {
        state = State.CLOSED;
        reader.close();
        if (queuePair != null) {
            queuePair.leave();
        }
    }

    // ---- out ----

    @Override
    protected void doWrite(ChannelOutboundBuffer buffer) throws IOException {
        DatagramQueuePair bound = queuePair;
        while (buffer.current() instanceof OutgoingDatagram datagram) {
            boolean taken = datagram.take();
            // Releases the buffer's reference.
            buffer.remove();
            if (taken) {
                bound.send(datagram);
            }
        }
        bound.flush();
    }

    /**
     * Makes the address handle for a peer before anything is sent to it, and keeps it until {@link #release}. Without
     * that the first datagram makes it. Any thread.
     *
     * @param peer the address, with its queue key.
     * @return succeeds when the handle exists.
     */
    public Future<Void> prepare(DatagramAddress peer) {
        Promise<Void> exists = eventLoop().newPromise();
        onLoop(() -> queuePair.peers().prepare(peer, exists), exists);
        return exists;
    }

    /** As {@link #prepare}, until {@link #endHold}. Any thread. */
    Future<PeerHold> hold(DatagramAddress peer) {
        Promise<PeerHold> exists = eventLoop().newPromise();
        onLoop(() -> queuePair.peers().hold(peer, exists), exists);
        return exists;
    }

    void endHold(PeerHold hold) {
        onLoop(hold::end, null);
    }

    /** Whether such a device has queue pairs with that number. */
    boolean mayExist(DatagramAddress peer) {
        return queuePair.service().mayExist(peer);
    }

    /**
     * The address handle that {@link #prepare} has made may be forgotten: once for each time it was called for this
     * address. A call too much does nothing. Any thread.
     *
     * @param peer the address that was prepared.
     */
    public void release(DatagramAddress peer) {
        onLoop(() -> queuePair.peers().release(peer), null);
    }

    /** @param outcome fails if the channel is not bound, or the loop has ended; may be {@code null}. */
    private void onLoop(Runnable step, Promise<?> outcome) {
        if (outcome != null) {
            outcome.setUncancellable();
        }
        if (eventLoop().inEventLoop()) {
            ifBound(step, outcome);
            return;
        }
        try {
            eventLoop().execute(() -> ifBound(step, outcome));
        } catch (RejectedExecutionException e) {
            if (outcome != null) {
                outcome.setFailure(e);
            }
        }
    }

    private void ifBound(Runnable step, Promise<?> outcome) {
        try {
            bound();
        } catch (ClosedChannelException | NotYetBoundException e) {
            if (outcome != null) {
                outcome.setFailure(e);
            }
            return;
        }
        step.run();
    }

    /**
     * Lets peers access a buffer, from index 0 to its capacity, until {@link ExposedMemory#close} or the end of the
     * channel. All that {@link RdmaChannel#expose} says holds here too, but that no option is needed: a device without
     * writes and reads refuses it.
     *
     * @param buffer direct, not composite, with a capacity of at least one byte.
     * @param access what peers may do.
     * @return the memory; fails with the reason.
     */
    public final Future<ExposedMemory> expose(ByteBuf buffer, MemoryAccess... access) {
        return Exposures.request(eventLoop(), buffer, () -> bound().expose(buffer, access));
    }

    // ---- in ----

    @Override
    protected void doBeginRead() {
        reader.beginRead();
    }

    private final class DatagramUnsafe extends AbstractUnsafe {

        /** As the pipeline sees it. */
        private final Unsafe visible = new PromiseKeeper(this, RdmaDatagramChannel.this);

        @Override
        public void connect(SocketAddress remoteAddress, SocketAddress localAddress, ChannelPromise promise) {
            if (!promise.setUncancellable() || !ensureOpen(promise)) {
                return;
            }
            boolean wasActive = isActive();
            try {
                if (!(remoteAddress instanceof DatagramAddress address) || !address.isRecipient()) {
                    throw new IllegalArgumentException(remoteAddress + " is no DatagramAddress of a peer");
                }
                if (wasActive && queuePair.peers().isConnected()) {
                    throw new AlreadyConnectedException();
                }
                if (!wasActive || localAddress != null) {
                    doBind(localAddress == null ? DatagramAddress.any() : localAddress);
                }
                queuePair.peers().connect(address).addListener(result -> connected(promise, result.cause(), wasActive));
            } catch (Throwable e) {
                safeSetFailure(promise, e);
            }
        }

        private void connected(ChannelPromise promise, Throwable failure, boolean wasActive) {
            if (failure == null) {
                safeSetSuccess(promise);
            } else {
                safeSetFailure(promise, failure);
            }
            if (!wasActive && isActive()) {
                pipeline().fireChannelActive();
            }
        }
    }
}
