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
package io.nettyrdma.link;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.EventLoop;
import io.netty.channel.IoRegistration;
import io.nettyrdma.io.RdmaIoRegistration;
import io.nettyrdma.metrics.RdmaChannelSnapshot;
import io.nettyrdma.metrics.RdmaCounters;
import io.nettyrdma.protocol.AbortReason;
import io.nettyrdma.remote.ExposedMemory;
import io.nettyrdma.remote.RemoteOperation;
import io.nettyrdma.stream.LastMessages;
import io.nettyrdma.stream.RdmaStream;
import io.nettyrdma.stream.StreamInput;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.RdmaDeviceInfo;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.Supplier;

/**
 * A link over a reliable connection of the connection manager. {@link LinkHandle} dispatches what the loop reports; the
 * connection outlives the channel, and the registration with it, until its {@link Departure} is over.
 */
final class CmLink implements Link {

    private final EventLoop eventLoop;
    private final LinkHandle handle;
    private IoRegistration registration;
    /** {@code null} before there is one. */
    private volatile CmConnection connection;
    /** The connection's. */
    private RdmaStream stream;
    /** As the application named it; {@code null} unless this side connects. */
    private volatile InetSocketAddress destination;
    /** {@code null} if the peer is not checked. */
    private KeepaliveTimer keepalive;
    /** {@code null} before the first burst. */
    private SilenceTimer silence;
    private boolean leaving;

    CmLink(EventLoop eventLoop, Events events) {
        this.eventLoop = eventLoop;
        handle = new LinkHandle(this, events);
    }

    LinkHandle handle() {
        return handle;
    }

    void registered(IoRegistration given) {
        registration = given;
    }

    // ---- the registration ----

    RdmaIoRegistration registration() {
        return registration.attachment();
    }

    @Override
    public RdmaCounters counters() {
        return registration().loop().counters();
    }

    @Override
    public void spin(long nanos) {
        registration().spin(nanos);
    }

    @Override
    public void leave() {
        leaving = true;
    }

    @Override
    public boolean isLeaving() {
        return leaving;
    }

    @Override
    public void cancel() {
        leaving = true;
        registration.cancel();
    }

    @Override
    public BoundAddress bind(InetSocketAddress local, LinkConfig config) throws IOException {
        return CmBoundAddress.bind(registration().loop(), config.reusesAddress(), local);
    }

    @Override
    public void move(BoundAddress bound) throws IOException {
        ((CmBoundAddress) bound).move(registration().loop());
    }

    // ---- the connection, seen from any thread ----

    @Override
    public InetSocketAddress localAddress() {
        Handshake attempt = handle.handshake();
        CmConnection current = connection;
        return attempt != null ? attempt.localAddress() : current == null ? null : current.id().localAddress();
    }

    @Override
    public InetSocketAddress peerAddress() {
        Handshake attempt = handle.handshake();
        CmConnection current = connection;
        InetSocketAddress peer = attempt != null ? attempt.peerAddress()
                : current == null ? null : current.id().peerAddress();
        // The same with the host's name, if the application has given one. To ask for it would take a name server.
        InetSocketAddress named = destination;
        return peer != null && peer.equals(named) ? named : peer;
    }

    @Override
    public RdmaDeviceInfo device() {
        CmConnection current = connection;
        return current == null ? null : current.deviceInfo();
    }

    @Override
    public boolean hasQueuePair() {
        CmConnection current = connection;
        return current != null && current.hasQueuePair();
    }

    @Override
    public RdmaChannelSnapshot snapshot() {
        return stream == null ? null : stream.snapshot();
    }

    // ---- opening ----

    @Override
    public void connect(InetSocketAddress remote, BoundAddress bound, Supplier<LinkConfig> config, StreamInput input)
            throws IOException {
        destination = remote;
        Handshake handshake = new Handshake(registration(), eventLoop, config, input, handle, this::connectionCreated,
                null);
        handle.open(handshake);
        handshake.connect((CmBoundAddress) bound, remote, handle::openFailed);
    }

    @Override
    public void accept(LinkRequest request, Supplier<LinkConfig> config, StreamInput input) {
        CmRequest cmRequest = (CmRequest) request;
        Handshake handshake = new Handshake(registration(), eventLoop, config, input, handle, this::connectionCreated,
                cmRequest.id());
        handle.open(handshake);
        handshake.accept(cmRequest, handle::openFailed);
    }

    private void connectionCreated(CmConnection created) {
        stream = created.stream();
        handle.connectionCreated(stream);
        connection = created;
    }

    @Override
    public boolean isOpening() {
        return handle.handshake() != null;
    }

    /** {@code null} before there is one. */
    CmConnection connection() {
        return connection;
    }

    // ---- an open connection ----

    @Override
    public void startKeepalive(int millis) {
        if (millis > 0) {
            keepalive = new KeepaliveTimer(eventLoop, connection, millis, handle::failed);
            keepalive.start();
        }
    }

    /** The stream has more memory than in the beginning. */
    void streamGrown() {
        if (silence == null) {
            silence = new SilenceTimer(eventLoop, connection, handle::failed);
        }
        silence.start();
    }

    /** Not if nothing is sent at the end either: then a flush has to say why. */
    @Override
    public boolean isInBatch() {
        return handle.isInBatch() && !stream.isBroken();
    }

    @Override
    public void flush(ChannelOutboundBuffer in) throws IOException {
        stream.flush(in);
    }

    @Override
    public void check(RemoteOperation operation) throws IOException {
        connection.check(operation);
    }

    @Override
    public ExposedMemory expose(ByteBuf buffer, MemoryAccess... access) throws IOException {
        return connection.expose(buffer, access);
    }

    @Override
    public boolean isBroken() {
        return stream.isBroken();
    }

    @Override
    public boolean isPeerGone() {
        return connection != null && connection.peer().isGone();
    }

    // ---- its end ----

    @Override
    public void finish(ChannelOutboundBuffer in, long maxBytes) throws IOException {
        if (in == null) {
            stream.cutOutput();
        } else {
            stream.flush(in);
            stream.closeOutput(in, maxBytes);
        }
        stream.flush(in);
    }

    @Override
    public int lastMessages(ChannelOutboundBuffer in, long maxBytes) {
        return connection == null ? LastMessages.beforeStream(in, maxBytes) : stream.lastMessages(in, maxBytes);
    }

    @Override
    public boolean isFinSent() {
        return stream.isFinSent();
    }

    @Override
    public boolean isDrained() {
        return stream.isDrained() || isBroken() || connection.peer().isAnswered();
    }

    @Override
    public void abort() {
        abort(AbortReason.RESET);
    }

    void abort(AbortReason reason) {
        if (connection != null) {
            stream.abort(reason, "");
        }
    }

    @Override
    public void drain(Events receiver, int millis) {
        handle.drain(receiver, new TimeLimit(eventLoop, millis, handle::drainTimedOut));
    }

    @Override
    public void depart() {
        if (keepalive != null) {
            keepalive.stop();
        }
        if (silence != null) {
            silence.stop();
        }
        if (isOpening()) {
            handle.handshake().cancel();
        }
        handle.depart(connection == null ? null : new Departure(connection, registration()));
    }

    /** No more events follow: releases what is left. */
    void release() {
        if (isOpening()) {
            handle.handshake().close();
        }
        if (connection != null) {
            connection.close();
        }
    }
}
