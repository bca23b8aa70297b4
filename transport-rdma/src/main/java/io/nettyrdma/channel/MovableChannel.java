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

import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.nettyrdma.cm.CmId;
import io.nettyrdma.metrics.RdmaCounters;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.AlreadyBoundException;
import java.util.concurrent.TimeUnit;

/**
 * The state, the address and the event loop of a channel. The loop may change while the channel is
 * {@link ChannelState#NEW}.
 */
abstract class MovableChannel extends HalfClosableChannel {

    /** The newest registration's; {@code null} before the first. */
    private volatile ChannelHandle handle;
    /** Set from bind to connect. */
    private volatile CmId bound;

    /** {@code null} before a connect. */
    private volatile InetSocketAddress destination;

    private volatile ChannelState state;

    MovableChannel(Channel parent, ChannelState initial) {
        super(parent);
        state = initial;
    }

    final ChannelState state() {
        return state;
    }

    /** Event loop only. */
    final void become(ChannelState next) {
        state = next;
    }

    @Override
    public final boolean isOpen() {
        return state != ChannelState.CLOSED;
    }

    @Override
    public final boolean isActive() {
        return state.isActive();
    }

    /** Whether received bytes may be passed to the application. */
    final boolean isReadable() {
        return state.isReadable();
    }

    /** Closes without asking the pipeline, whose handlers may hold a close back. Nobody waits for it. */
    final void closeDirectly() {
        unsafe().close(voidPromise());
    }

    @Override
    public abstract RdmaChannelConfig config();

    /** Set from the beginning for a child; {@code null} for a channel that connects, until it does. */
    abstract CmId cmId();

    /** Receives what a loop dispatches. */
    abstract ChannelHandle.Events events();

    /** Called on the loop, after the pipeline was notified of the registration. */
    abstract void entered();

    /** The newest registration's. */
    final ChannelHandle handle() {
        return handle;
    }

    /** Returns the counters of this channel's loop. After registration, any thread. */
    public final RdmaCounters counters() {
        return handle.registration().loop().counters();
    }

    @Override
    protected final boolean isCompatible(EventLoop loop) {
        return loop instanceof IoEventLoop && ((IoEventLoop) loop).isCompatible(ChannelHandle.class);
    }

    @Override
    protected final void doRegister(ChannelPromise promise) {
        ChannelHandle entering = new ChannelHandle(events());
        ((IoEventLoop) eventLoop()).register(entering).addListener(future -> {
            if (!future.isSuccess()) {
                promise.setFailure(future.cause());
                return;
            }
            entering.entered((IoRegistration) future.getNow());
            handle = entering;
            try {
                moveBound();
            } catch (IOException | RuntimeException e) {
                promise.setFailure(e);
                return;
            }
            spinAsConfigured();
            promise.setSuccess();
            entered();
        });
    }

    /** Moves the events of the bound id to this loop. If the loop that it was bound on has ended, the id is gone. */
    private void moveBound() throws IOException {
        CmId id = bound;
        if (id != null) {
            id.migrate(handle.registration().loop().cmEventChannel());
        }
    }

    /** Applies SPIN_MICROS. Any thread; before there is a loop, the registration does it later. */
    final void spinAsConfigured() {
        if (handle == null) {
            return;
        }
        if (!eventLoop().inEventLoop()) {
            eventLoop().execute(this::spinAsConfigured);
            return;
        }
        handle.registration().spin(TimeUnit.MICROSECONDS.toNanos(config().rdma(RdmaChannelOption.SPIN_MICROS)));
    }

    @Override
    protected final void doDeregister() {
        if (handle != null) {
            handle.cancel();
        }
    }

    @Override
    protected final void doBind(SocketAddress address) throws IOException {
        if (state != ChannelState.NEW || bound != null) {
            throw new AlreadyBoundException();
        }
        bound = Handshake.bind(handle.registration().loop(), config(), ConnectAttempt.checked(address));
    }

    @Override
    protected final SocketAddress localAddress0() {
        CmId id = cmId();
        if (id == null) {
            id = bound;
        }
        return id == null ? null : id.localAddress();
    }

    @Override
    protected final SocketAddress remoteAddress0() {
        CmId id = cmId();
        if (id == null || state == ChannelState.CONNECTING) {
            return null;
        }
        InetSocketAddress peer = id.peerAddress();
        // The same with the host's name, if the application has given one. To ask for it would take a name server.
        return peer.equals(destination) ? destination : peer;
    }

    /**
     * Checks the state and the addresses of a connect, and binds.
     *
     * @param local {@code null} leaves it as it is.
     * @return the address to connect to.
     * @throws IOException if the local address cannot be bound.
     */
    final InetSocketAddress prepareConnect(SocketAddress remote, SocketAddress local) throws IOException {
        state.checkMayConnect();
        if (!isRegistered() || handle.isLeaving()) {
            throw new IllegalStateException(this + " is, or is to be, deregistered: register it before it connects");
        }
        InetSocketAddress to = ConnectAttempt.destination(remote);
        if (local != null) {
            doBind(local);
        }
        destination = to;
        return to;
    }

    /** Returns false if a queue pair completes its work on this loop. Otherwise nothing new begins here. */
    final boolean mayLeaveLoop() {
        if (state != ChannelState.NEW && isOpen() && isRegistered()) {
            return false;
        }
        if (isRegistered()) {
            handle.leave();
        }
        return true;
    }

    /**
     * Deregisters at once, or, if the channel is closed, after the pipeline was notified. Netty notifies it in a task,
     * and not at all if the channel was deregistered before.
     */
    final void leave(Runnable deregister) {
        if (isOpen() || !isRegistered()) {
            deregister.run();
        } else {
            eventLoop().execute(deregister);
        }
    }

    /** The bound id, which the caller then owns; {@code null} if there is none. */
    final CmId takeBound() {
        CmId id = bound;
        bound = null;
        return id;
    }

    final void closeBound() {
        CmId id = takeBound();
        if (id != null) {
            ChannelErrors.closeQuietly(id);
        }
    }
}
