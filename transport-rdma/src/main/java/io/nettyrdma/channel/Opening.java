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

import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.nettyrdma.link.BoundAddress;
import io.nettyrdma.link.LinkRequest;
import io.nettyrdma.recorder.OpeningEvent;
import io.nettyrdma.recorder.Recorder;

import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;

/**
 * Takes a channel from a connect, or from a connection request, to the active state: the handshake, the promise of the
 * connect, the child among those that its server accepts, and the time limit of either. Belongs to the event loop,
 * except {@link #request}.
 */
final class Opening {

    private static final String CLOSED = "closed before it was open";

    private final RdmaChannel channel;
    private final InboundReader inbound;
    private final Ending ending;
    /** The request of a child, until the child is registered and accepts it. */
    private volatile LinkRequest request;
    /** {@code null} for a channel that connects. */
    private final AcceptAttempt accepting;
    /** Notifies the pipeline of a child's registration; {@code null} before and after it is being accepted. */
    private ChannelPromise announcement;
    /** {@code null} for a child. */
    private ConnectAttempt attempt;
    /** {@code null} unless the connection is being opened, and a recording runs. */
    private OpeningEvent event;

    /**
     * @param request {@code null} for a channel that connects.
     * @param ticket {@code null} for a channel that connects.
     */
    Opening(RdmaChannel channel, InboundReader inbound, Ending ending, LinkRequest request,
            AcceptingChildren.Ticket ticket) {
        this.channel = channel;
        this.inbound = inbound;
        this.ending = ending;
        this.request = request;
        accepting = request == null ? null : new AcceptAttempt(channel.listener(), ticket);
    }

    /** The request of a child that has not begun to accept; otherwise {@code null}. Any thread. */
    LinkRequest request() {
        return request;
    }

    // ---- a channel that connects ----

    void connect(BoundAddress bound, ChannelPromise promise, InetSocketAddress to) {
        channel.setState(ChannelState.CONNECTING);
        attempt = new ConnectAttempt(promise, to);
        event = Recorder.connect();
        try {
            channel.link().connect(to, bound, channel.config()::link, inbound.input());
            attempt.start(channel.config().getConnectTimeoutMillis(), this::connectFailed, channel::closeDirectly);
        } catch (Throwable t) {
            connectFailed(t);
        }
    }

    void connectFailed(Throwable cause) {
        // The message of a timeout contains the address already, and users look for its type.
        Throwable failure = cause instanceof ConnectTimeoutException ? cause
                : channel.actions().annotated(cause, attempt.remote());
        ends(failure);
        attempt.fail(failure);
        channel.closeDirectly();
    }

    /** The channel is closed while it connects. */
    void abandon(ClosedChannelException cause) {
        ends(CLOSED);
        attempt.fail(cause);
    }

    // ---- a server's child ----

    /**
     * Accepts the request.
     *
     * @param announced succeeds when the connection is open: before that the child is no part of the program.
     */
    void accept(ChannelPromise announced) {
        announcement = announced;
        event = Recorder.accept();
        channel.setState(ChannelState.ACCEPTING);
        LinkRequest accepted = request;
        accepting.start(channel.eventLoop(), channel.config().getConnectTimeoutMillis(), channel.remoteAddress(),
                this::acceptFailed);
        channel.link().accept(accepted, channel.config()::link, inbound.input());
        request = null;
    }

    /** Whether the connection of a child is being opened. */
    boolean isAccepting() {
        return announcement != null;
    }

    /** The program does not learn of a child without a connection. */
    private void acceptFailed(Throwable cause) {
        ends(cause);
        accepting.failed(cause, channel.loopCounters());
        announcementFails(cause);
    }

    /**
     * Netty closes the channel, without an event.
     *
     * @param cause {@code null} if the channel was closed.
     */
    private void announcementFails(Throwable cause) {
        ChannelPromise failed = announcement;
        announcement = null;
        if (failed != null) {
            failed.setFailure(new NotAnnouncedException(cause));
        }
    }

    /** The initializer of the child runs, and may close it. */
    private void announce() {
        ChannelPromise announced = announcement;
        announcement = null;
        if (announced != null) {
            acceptingOver();
            announced.setSuccess();
        }
    }

    // ---- both ----

    /** There will be no connection. */
    void failed(Throwable cause) {
        if (channel.state() == ChannelState.CONNECTING) {
            connectFailed(cause);
        } else {
            acceptFailed(cause);
        }
    }

    void opened() {
        announce();
        if (!channel.isOpen()) {
            return;
        }
        boolean wanted = becomeActive();
        if (channel.isActive()) {
            ending.startKeepalive();
        }
        if (!wanted) {
            channel.closeDirectly();
        }
        channel.actions().flushNow();
        inbound.resume();
    }

    /** Returns whether the connection is still wanted. Even if not, the channel is active for a moment. */
    private boolean becomeActive() {
        channel.setState(ChannelState.OPEN);
        channel.cacheAddresses();
        ends(OpeningEvent.OPEN);
        boolean wanted = attempt == null || attempt.succeed();
        channel.pipeline().fireChannelActive();
        return wanted;
    }

    /** The channel is closed. */
    void closed() {
        ends(CLOSED);
        acceptingOver();
        announcementFails(null);
        LinkRequest pending = request;
        if (pending != null) {
            pending.refuse("closed before it was accepted");
            request = null;
        }
    }

    /** @param outcome an exception, or words. */
    private void ends(Object outcome) {
        if (event != null) {
            Recorder.opened(event, channel.localAddress(), attempt == null ? channel.remoteAddress() : attempt.remote(),
                    channel.deviceName(), outcome);
            event = null;
        }
    }

    private void acceptingOver() {
        if (accepting != null) {
            accepting.over();
        }
    }
}
