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
import io.nettyrdma.link.BoundAddress;
import io.nettyrdma.link.Link;
import io.nettyrdma.link.LinkFactory;
import io.nettyrdma.link.LinkRequest;
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

    private final LinkFactory links;
    /** The newest registration's; {@code null} before the first. */
    private volatile Link link;
    /** Set from bind to connect. */
    private volatile BoundAddress bound;

    private volatile ChannelState state;

    MovableChannel(Channel parent, ChannelState initial, LinkFactory links) {
        super(parent);
        state = initial;
        this.links = links;
    }

    final ChannelState state() {
        return state;
    }

    /** Event loop only. */
    final void setState(ChannelState next) {
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

    /** Closes without asking the pipeline, whose handlers may hold a close back. No promise waits for it. */
    final void closeDirectly() {
        unsafe().close(voidPromise());
    }

    @Override
    public abstract RdmaChannelConfig config();

    /** The request of a child that has not begun to accept; otherwise {@code null}. */
    abstract LinkRequest request();

    /** Receives what the link reports. */
    abstract Link.Events events();

    /**
     * The loop has the channel. Called there.
     *
     * @param announcement the pipeline is notified of the registration when this succeeds.
     */
    abstract void onLoop(ChannelPromise announcement);

    /** The newest registration's; {@code null} before the first. */
    final Link link() {
        return link;
    }

    /**
     * {@return the counters of this channel's event loop, which its other channels have too} After registration, any
     * thread.
     */
    public final RdmaCounters loopCounters() {
        return link.counters();
    }

    @Override
    protected final boolean isCompatible(EventLoop loop) {
        return links.isCompatible(loop);
    }

    @Override
    protected final void doRegister(ChannelPromise promise) {
        links.register(eventLoop(), events(), (registered, failure) -> {
            if (failure != null) {
                promise.setFailure(failure);
                return;
            }
            link = registered;
            try {
                moveBound();
            } catch (IOException | RuntimeException e) {
                promise.setFailure(e);
                return;
            }
            spinAsConfigured();
            onLoop(promise);
        });
    }

    /** Moves the bound address to this loop. If the loop that it was bound on has ended, the address is gone. */
    private void moveBound() throws IOException {
        BoundAddress address = bound;
        if (address != null) {
            link.move(address);
        }
    }

    /** Applies SPIN_MICROS. Any thread; before there is a loop, the registration does it later. */
    final void spinAsConfigured() {
        if (link == null) {
            return;
        }
        if (!eventLoop().inEventLoop()) {
            eventLoop().execute(this::spinAsConfigured);
            return;
        }
        link.spin(TimeUnit.MICROSECONDS.toNanos(config().rdma(RdmaChannelOption.SPIN_MICROS)));
    }

    @Override
    protected final void doDeregister() {
        if (link != null) {
            link.cancel();
        }
    }

    @Override
    protected final void doBind(SocketAddress address) throws IOException {
        if (state != ChannelState.NEW || bound != null) {
            throw new AlreadyBoundException();
        }
        bound = link.bind(ConnectAttempt.checked(address), config().link());
    }

    @Override
    protected final SocketAddress localAddress0() {
        LinkRequest pendingRequest = request();
        Link current = link;
        InetSocketAddress local = pendingRequest != null ? pendingRequest.localAddress()
                : current == null ? null : current.localAddress();
        BoundAddress reserved = bound;
        return local != null || reserved == null ? local : reserved.localAddress();
    }

    @Override
    protected final SocketAddress remoteAddress0() {
        LinkRequest pendingRequest = request();
        if (pendingRequest != null) {
            return pendingRequest.peerAddress();
        }
        return link == null || state == ChannelState.CONNECTING ? null : link.peerAddress();
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
        if (!isRegistered() || link.isLeaving()) {
            throw new IllegalStateException(this + " is, or is to be, deregistered: register it before it connects");
        }
        InetSocketAddress to = ConnectAttempt.destination(remote);
        if (local != null) {
            doBind(local);
        }
        return to;
    }

    /** Returns false if a queue pair completes its work on this loop. Otherwise nothing new begins here. */
    final boolean mayLeaveLoop() {
        if (state == ChannelState.ACCEPTING || state != ChannelState.NEW && isOpen() && isRegistered()) {
            return false;
        }
        if (isRegistered()) {
            link.leave();
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

    /** The bound address, which the caller then owns; {@code null} if there is none. */
    final BoundAddress takeBound() {
        BoundAddress taken = bound;
        bound = null;
        return taken;
    }

    final void closeBound() {
        BoundAddress taken = takeBound();
        if (taken != null) {
            taken.close();
        }
    }
}
