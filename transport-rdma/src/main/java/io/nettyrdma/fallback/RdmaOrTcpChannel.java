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
package io.nettyrdma.fallback;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.SocketChannel;
import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.io.RdmaIoHandle;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ConnectionPendingException;

/**
 * A byte stream by RDMA if both ends have it and reach each other, else by TCP; decided while it connects:
 *
 * <pre>
 *   new Bootstrap().group(new MultiThreadIoEventLoopGroup(RdmaOrTcp.newIoHandlerFactory()))
 *           .channel(RdmaOrTcpChannel.class)
 * </pre>
 *
 * RDMA is tried first. If the peer refuses it, or no device leads to the peer, TCP follows at once; if the peer does
 * not answer, after {@link RdmaOrTcpOption#HEAD_START_MILLIS}, and for a minute connects to that host begin with TCP.
 * {@link RdmaOrTcpOption#POLICY} allows one of them only. A connect costs its peer one connection, whatever was tried.
 *
 * <p>This channel stands for one of the transport, {@link #current}, and behaves as that one does: options,
 * writability, promises, allocator, the order of events. On a machine without RDMA, a device or our native library it
 * is a TCP channel of the loop's own transport: NIO or epoll. {@link RdmaOrTcp#transport} and the log say
 * what was chosen, and why.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class RdmaOrTcpChannel extends StandInChannel {

    private final RdmaOrTcpChannelConfig config;
    /** Of TCP, until RDMA has connected. */
    private volatile SocketChannel current;
    /** An attempt, or the connection. {@code null} if there is none. */
    private volatile RdmaChannel rdma;
    private volatile boolean isActive;
    private volatile boolean isSettled;
    /** {@code null} until the channel connects, and after it has. */
    private Connecting connecting;
    /** {@code null} if the transport is known: nothing waits. */
    private WaitingWrites waiting;
    private boolean isClosing;

    /** Creates a channel that connects. */
    public RdmaOrTcpChannel() {
        config = new RdmaOrTcpChannelConfig(this);
        current = newTcp(TcpTransport.likely());
    }

    private SocketChannel newTcp(TcpTransport transport) {
        SocketChannel tcp = transport.newChannel();
        standFor(tcp);
        return tcp;
    }

    /** A channel for an attempt by RDMA. */
    RdmaChannel newRdmaChannel() {
        RdmaChannel attempt = new RdmaChannel();
        standFor(attempt);
        // First: an option that is set meanwhile is set by one thread or the other, or by both.
        rdma = attempt;
        config.chosen().applyTo(attempt);
        return attempt;
    }

    /** {@code null} if there is no attempt, and no connection, by RDMA. Any thread. */
    RdmaChannel rdma() {
        return rdma;
    }

    private void standFor(SocketChannel inner) {
        inner.pipeline().addLast(new InnerEvents(this) {
            @Override
            public void channelActive(ChannelHandlerContext context) {
                pipeline().fireChannelActive();
            }
        });
        inner.closeFuture().addListener(closed -> {
            if (inner == current) {
                outerUnsafe().close(voidPromise());
            }
        });
    }

    /**
     * {@return the channel of the transport: an {@link RdmaChannel} if the connection is by RDMA, and otherwise, also
     * before there is one, a channel of Netty's} For what only that one has, such as {@link RdmaChannel#expose}. Its
     * pipeline belongs to this channel: add handlers here. Any thread.
     */
    @Override
    public SocketChannel current() {
        return current;
    }

    @Override
    public RdmaOrTcpChannelConfig config() {
        return config;
    }

    @Override
    public boolean isOpen() {
        return current == null || current.isOpen();
    }

    @Override
    public boolean isActive() {
        return isActive;
    }

    /** As of any channel, the transport, the state and the device. */
    @Override
    public String toString() {
        SocketChannel by = current;
        String transport = !isSettled ? "RDMA or TCP" : by instanceof RdmaChannel ? "RDMA" : "TCP";
        String state = !isOpen() ? "CLOSED" : isActive ? "OPEN" : connecting != null ? "CONNECTING" : "NEW";
        return super.toString() + ' ' + transport + ' ' + state
                + (by instanceof RdmaChannel connection ? " on " + connection.device() : "");
    }

    // ---- the loop ----

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return TcpTransport.of(loop) != null;
    }

    /** Whether the event loop has RDMA. */
    boolean mayUseRdma() {
        return eventLoop() instanceof IoEventLoop loop && loop.isCompatible(RdmaIoHandle.class);
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        TcpTransport transport = TcpTransport.of(eventLoop());
        if (!transport.isOf(current) && !(current instanceof RdmaChannel)) {
            replaceTcp(transport);
        }
        if (!isActive && mayUseRdma() && config.settings().policy() != TransportPolicy.TCP_ONLY) {
            waiting = new WaitingWrites(this);
        }
        ChannelPromise registered = new DefaultChannelPromise(current, eventLoop());
        registered.addListener(done -> {
            if (done.isSuccess()) {
                promise.setSuccess();
            } else {
                promise.setFailure(done.cause());
            }
        });
        current.unsafe().register(eventLoop(), registered);
    }

    /** The loop has another transport than the likely one. */
    private void replaceTcp(TcpTransport transport) {
        SocketChannel unused = current;
        SocketChannel tcp = newTcp(transport);
        config.chosen().applyTo(tcp);
        current = tcp;
        unused.unsafe().closeForcibly();
    }

    // ---- connecting ----

    /** An attempt by RDMA has ended, and TCP follows. */
    SocketChannel useTcp() {
        rdma = null;
        return current;
    }

    /**
     * A connection exists.
     *
     * @param fallback {@code null} if it is by RDMA.
     */
    void connected(SocketChannel by, SocketAddress remote, Fallback fallback, ChannelPromise promise) {
        isActive = true;
        isSettled = true;
        SocketChannel before = current;
        current = by;
        if (by != before) {
            before.unsafe().close(before.voidPromise());
        }
        RdmaOrTcp.connected(by, (InetSocketAddress) remote, fallback);
        if (waiting != null) {
            // What a listener of the connect writes comes behind it.
            waiting.moveTo(by.unsafe());
            waiting = null;
        }
        connecting = null;
        promise.trySuccess();
    }

    void connectFailed() {
        connecting = null;
        rdma = null;
    }

    /** Whether there is, or was, a connection. Any thread. */
    boolean isSettled() {
        return isSettled;
    }

    boolean isClosing() {
        return isClosing;
    }

    // ---- of Netty ----

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new OuterUnsafe();
    }

    private OuterUnsafe outerUnsafe() {
        return (OuterUnsafe) super.unsafe();
    }

    @Override
    public Unsafe unsafe() {
        return outerUnsafe().visible;
    }

    /** Also if the registration has failed: then the transport's channel is open. */
    @Override
    protected void doClose() {
        isActive = false;
        if (current.isOpen()) {
            current.unsafe().closeForcibly();
        }
    }

    /** Netty's part of this channel: its registration, its events, its end. */
    private final class OuterUnsafe extends AbstractUnsafe {

        private final InnerUnsafe visible = new InnerUnsafe(this);

        @Override
        public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
            visible.connect(remote, local, promise);
        }
    }

    /** The entry points of the pipeline, which lead to those of the transport's channel. */
    private final class InnerUnsafe implements Unsafe {

        private final OuterUnsafe outer;

        InnerUnsafe(OuterUnsafe outer) {
            this.outer = outer;
        }

        @Override
        @SuppressWarnings("deprecation")
        public RecvByteBufAllocator.Handle recvBufAllocHandle() {
            return current.unsafe().recvBufAllocHandle();
        }

        @Override
        public SocketAddress localAddress() {
            return current.localAddress();
        }

        @Override
        public SocketAddress remoteAddress() {
            return current.remoteAddress();
        }

        @Override
        public void register(EventLoop loop, ChannelPromise promise) {
            outer.register(loop, promise);
        }

        @Override
        public void bind(SocketAddress local, ChannelPromise promise) {
            current.unsafe().bind(local, promise);
        }

        @Override
        public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
            if (promise.isDone()) {
                return;
            }
            if (isActive || !isOpen()) {
                current.unsafe().connect(remote, local, promise);
            } else if (connecting != null) {
                promise.tryFailure(new ConnectionPendingException());
            } else {
                connecting = new Connecting(RdmaOrTcpChannel.this, remote, local, promise);
                connecting.begin();
            }
        }

        @Override
        public void disconnect(ChannelPromise promise) {
            beforeClose();
            current.unsafe().disconnect(promise);
            failWaiting();
        }

        @Override
        public void close(ChannelPromise promise) {
            beforeClose();
            current.unsafe().close(promise);
            failWaiting();
        }

        @Override
        public void closeForcibly() {
            beforeClose();
            outer.closeForcibly();
            failWaiting();
        }

        private void beforeClose() {
            isClosing = true;
            if (connecting != null) {
                connecting.close();
            }
        }

        private void failWaiting() {
            if (waiting != null) {
                waiting.fail();
            }
        }

        @Override
        public void deregister(ChannelPromise promise) {
            if (connecting != null && isOpen()) {
                promise.tryFailure(new UnsupportedOperationException(RdmaOrTcpChannel.this
                        + " stays on its event loop while it connects"));
                return;
            }
            ChannelPromise deregistered = new DefaultChannelPromise(current, eventLoop());
            if (!(current instanceof RdmaChannel)) {
                // Netty does each in a task of its own. Without another between the two no write meets a channel by TCP
                // that has left its loop.
                current.unsafe().deregister(deregistered);
                outer.deregister(promise);
                return;
            }
            // It may refuse.
            deregistered.addListener(done -> {
                if (done.isSuccess()) {
                    outer.deregister(promise);
                } else {
                    promise.tryFailure(done.cause());
                }
            });
            current.unsafe().deregister(deregistered);
        }

        @Override
        public void beginRead() {
            current.unsafe().beginRead();
        }

        @Override
        public void write(Object message, ChannelPromise promise) {
            if (waiting == null || isClosing) {
                current.unsafe().write(message, promise);
            } else {
                waiting.add(message, promise);
            }
        }

        @Override
        public void flush() {
            if (waiting != null && connecting != null) {
                waiting.flush();
                return;
            }
            if (waiting != null) {
                // Without a connect they fail, as they do by TCP.
                waiting.flush();
                waiting.moveTo(current.unsafe());
                return;
            }
            current.unsafe().flush();
        }

        @Override
        public ChannelPromise voidPromise() {
            return outer.voidPromise();
        }

        @Override
        public ChannelOutboundBuffer outboundBuffer() {
            return current.unsafe().outboundBuffer();
        }
    }
}
