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

import io.netty.channel.AbstractServerChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.PromiseCombiner;
import io.netty.util.concurrent.PromiseNotifier;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.io.RdmaIoHandle;
import io.nettyrdma.pipeline.ForwardingUnsafe;
import io.nettyrdma.recorder.Recorder;
import io.nettyrdma.verbs.RdmaDeviceInfo;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * Listens for RDMA and for plain TCP at one address and port:
 *
 * <pre>
 *   new ServerBootstrap().group(new MultiThreadIoEventLoopGroup(RdmaOrTcp.newIoHandlerFactory()))
 *           .channel(RdmaOrTcpServerChannel.class)
 * </pre>
 *
 * Children are {@link RdmaChannel}s and Netty's own TCP channels of the loop's transport; all of them come through this
 * channel's pipeline, and {@link RdmaOrTcp#transport} distinguishes them. The parent of a child by TCP is the listener,
 * from which {@link RdmaOrTcp#server} finds this channel. Each transport has a queue of {@code SO_BACKLOG} requests. An
 * option of {@code RdmaChannelOption} that is set here is one of the children by RDMA, so that it needs not be set for
 * those by TCP, which do not have it.
 *
 * <p>A bind binds both, or none. Where there is no RDMA device, at this address or at all, it binds TCP, and the log
 * says so. If the device goes later, the listener for TCP stays. With {@link TransportPolicy#RDMA_REQUIRED} there is no
 * listener for TCP.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class RdmaOrTcpServerChannel extends AbstractServerChannel implements ServerSocketChannel {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(RdmaOrTcpServerChannel.class);
    private static final AttributeKey<RdmaOrTcpServerChannel> STANDS_FOR =
            AttributeKey.valueOf(RdmaOrTcpServerChannel.class, "standsFor");
    /** To find a port that is free in both transports. */
    private static final int ATTEMPTS = 16;

    private final RdmaOrTcpServerChannelConfig config;
    private volatile ServerSocketChannel tcp;
    /** {@code null} if there is none. */
    private volatile RdmaServerChannel rdma;
    private volatile boolean isBound;
    private volatile boolean isClosed;

    /** Creates a channel that listens when it is bound. */
    public RdmaOrTcpServerChannel() {
        config = new RdmaOrTcpServerChannelConfig(this);
        tcp = TcpTransport.likely().newServer();
        standFor(tcp);
    }

    /** The one whose listener a channel is; {@code null} if it is none. */
    static RdmaOrTcpServerChannel of(Channel listener) {
        return listener.hasAttr(STANDS_FOR) ? listener.attr(STANDS_FOR).get() : null;
    }

    private void standFor(ServerSocketChannel inner) {
        inner.attr(STANDS_FOR).set(this);
        inner.pipeline().addLast(new InnerEvents(this) {
            @Override
            public void channelActive(ChannelHandlerContext context) {
                // The bind of both is over later.
            }

            /** The parent of a child by TCP, which the program closes. */
            @Override
            public void close(ChannelHandlerContext context, ChannelPromise promise) {
                PromiseNotifier.cascade(RdmaOrTcpServerChannel.this.close(), promise);
            }

            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                if (message instanceof RdmaChannel child) {
                    config.chosen().applyRdmaTo(child);
                }
                super.channelRead(context, message);
            }
        });
        inner.closeFuture().addListener(closed -> ended(inner));
    }

    /** Bound unless the policy requires RDMA. Its options are those of this channel. */
    ServerSocketChannel tcp() {
        return tcp;
    }

    /** {@code null} unless this channel may listen by RDMA. */
    RdmaServerChannel rdma() {
        return rdma;
    }

    @Override
    public RdmaOrTcpServerChannelConfig config() {
        return config;
    }

    @Override
    public boolean isOpen() {
        return !isClosed;
    }

    @Override
    public boolean isActive() {
        return isBound && !isClosed;
    }

    /** {@return whether peers can connect by RDMA} Any thread. */
    public boolean listensByRdma() {
        RdmaServerChannel current = rdma;
        return isActive() && current != null && current.isActive();
    }

    @Override
    public InetSocketAddress localAddress() {
        return (InetSocketAddress) super.localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return null;
    }

    @Override
    protected SocketAddress localAddress0() {
        if (tcp.localAddress() != null) {
            return tcp.localAddress();
        }
        RdmaServerChannel current = rdma;
        return current == null || current.localAddress() == null ? null
                : FallbackSettings.forRdma(current.localAddress(), -config.settings().portOffset());
    }

    /** As of any channel, the transport, the state and the device. */
    @Override
    public String toString() {
        String transport = !isActive() ? "RDMA or TCP" : !listensByRdma() ? "TCP"
                : tcp.isActive() ? "RDMA and TCP" : "RDMA";
        RdmaServerChannel current = rdma;
        RdmaDeviceInfo device = current == null ? null : current.device();
        return super.toString() + ' ' + transport + ' ' + (isClosed ? "CLOSED" : isBound ? "LISTENING" : "NEW")
                + (device == null ? "" : " on " + device);
    }

    // ---- the loop ----

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return TcpTransport.of(loop) != null;
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        TcpTransport transport = TcpTransport.of(eventLoop());
        if (!transport.isOf(tcp)) {
            replaceTcp(transport);
        }
        if (rdma == null && !isBound && mayUseRdma()) {
            rdma = new RdmaServerChannel();
            rdma.standFor(this);
            config.chosen().applyTo(rdma);
            standFor(rdma);
        }
        all(promise, (inner, done) -> inner.unsafe().register(eventLoop(), done));
    }

    private boolean mayUseRdma() {
        return config.settings().policy() != TransportPolicy.TCP_ONLY
                && eventLoop() instanceof IoEventLoop loop && loop.isCompatible(RdmaIoHandle.class);
    }

    /** One call of each listener. */
    private interface Call {

        void on(ServerSocketChannel inner, ChannelPromise done);
    }

    private void all(ChannelPromise promise, Call call) {
        PromiseCombiner combiner = new PromiseCombiner(eventLoop());
        for (ServerSocketChannel each : listeners()) {
            ChannelPromise done = new DefaultChannelPromise(each, eventLoop());
            call.on(each, done);
            combiner.add((Future<?>) done);
        }
        combiner.finish(promise);
    }

    private List<ServerSocketChannel> listeners() {
        List<ServerSocketChannel> listeners = new ArrayList<>();
        listeners.add(tcp);
        if (rdma != null) {
            listeners.add(rdma);
        }
        return listeners;
    }

    /** Gives up a listener that may be bound. */
    private void replaceTcp(TcpTransport transport) {
        ServerSocketChannel unused = tcp;
        ServerSocketChannel next = transport.newServer();
        standFor(next);
        config.chosen().applyTo(next);
        tcp = next;
        if (unused.isRegistered()) {
            unused.unsafe().close(unused.voidPromise());
        } else {
            unused.unsafe().closeForcibly();
        }
    }

    // ---- the address ----

    @Override
    protected void doBind(SocketAddress local) throws Exception {
        if (rdma != null && config.settings().policy() != TransportPolicy.TCP_ONLY) {
            bindWithRdma(local);
        } else if (config.settings().policy() == TransportPolicy.RDMA_REQUIRED) {
            Fallback fallback = withoutRdma();
            throw (BindException) new BindException("RDMA is required to listen at " + local + ", and "
                    + fallback.textAndCause()).initCause(fallback.cause());
        } else {
            bind(tcp, local);
            if (config.settings().policy() == TransportPolicy.RDMA_PREFERRED) {
                Fallback fallback = withoutRdma();
                // The log has the cause, since these loops were made.
                listensByTcpAlone(fallback.text(), fallback.textAndCause());
            }
        }
        isBound = true;
    }

    private static Fallback withoutRdma() {
        return new Fallback(FallbackReason.EVENT_LOOP, Fallbacks.unavailable());
    }

    private void listensByTcpAlone(String logged, String recorded) {
        LOGGER.info("{} listens by TCP alone: {}", this, logged);
        Recorder.fellBack(tcp.localAddress(), null, recorded);
    }

    private void bindWithRdma(SocketAddress local) throws Exception {
        if (config.settings().policy() == TransportPolicy.RDMA_REQUIRED) {
            bind(rdma, forRdma(local));
            return;
        }
        boolean isAnyPort = local instanceof InetSocketAddress address && address.getPort() == 0;
        for (int attempt = 1; ; attempt++) {
            bind(tcp, local);
            try {
                bind(rdma, forRdma(tcp.localAddress()));
                return;
            } catch (Exception e) {
                if (!RdmaPorts.isTaken(e, config.settings().portOffset())) {
                    listensByTcpAlone(e.getMessage(), e.getMessage());
                    return;
                }
                release();
                if (!isAnyPort || attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private SocketAddress forRdma(SocketAddress address) {
        return address instanceof InetSocketAddress local
                ? FallbackSettings.forRdma(local, config.settings().portOffset()) : address;
    }

    private void bind(Channel inner, SocketAddress address) throws Exception {
        ChannelPromise done = new DefaultChannelPromise(inner, eventLoop());
        inner.unsafe().bind(address, done);
        if (done.cause() instanceof Exception failure) {
            throw failure;
        }
        if (!done.isSuccess()) {
            throw new IOException("the bind of " + inner + " did not end", done.cause());
        }
    }

    /** TCP has the port, and RDMA does not get it. */
    private void release() throws Exception {
        replaceTcp(TcpTransport.of(eventLoop()));
        ChannelPromise done = new DefaultChannelPromise(tcp, eventLoop());
        tcp.unsafe().register(eventLoop(), done);
        if (!done.isSuccess()) {
            throw new IOException("the listener for TCP cannot be registered again", done.cause());
        }
    }

    @Override
    protected void doBeginRead() {
        for (ServerSocketChannel each : listeners()) {
            if (each.isActive()) {
                each.unsafe().beginRead();
            }
        }
    }

    // ---- the end ----

    private void ended(ServerSocketChannel inner) {
        if (isClosed) {
            return;
        }
        if (inner == rdma && isBound && config.settings().policy() == TransportPolicy.RDMA_PREFERRED) {
            rdma = null;
            if (eventLoop().isShuttingDown()) {
                // The listener for TCP is next.
                return;
            }
            LOGGER.warn("{} listens by TCP alone: its listener for RDMA is closed", this);
            Recorder.fellBack(localAddress(), null, "its listener for RDMA is closed");
        } else if (inner == tcp || inner == rdma) {
            unsafe().close(voidPromise());
        }
    }

    @Override
    protected void doClose() {
        isClosed = true;
        for (ServerSocketChannel each : listeners()) {
            if (each.isRegistered()) {
                each.unsafe().close(each.voidPromise());
            } else {
                each.unsafe().closeForcibly();
            }
        }
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new ServerUnsafe();
    }

    @Override
    public Unsafe unsafe() {
        return ((ServerUnsafe) super.unsafe()).visible;
    }

    private final class ServerUnsafe extends AbstractUnsafe {

        private final LeavingUnsafe visible = new LeavingUnsafe(this);

        @Override
        public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
            promise.tryFailure(new UnsupportedOperationException(RdmaOrTcpServerChannel.this
                    + " listens, and cannot connect"));
        }
    }

    /** Both listeners leave the loop before this channel does. */
    private final class LeavingUnsafe extends ForwardingUnsafe {

        LeavingUnsafe(ServerUnsafe own) {
            super(own);
        }

        @Override
        public void deregister(ChannelPromise promise) {
            ChannelPromise left = new DefaultChannelPromise(RdmaOrTcpServerChannel.this, eventLoop());
            left.addListener(done -> {
                if (done.isSuccess()) {
                    super.deregister(promise);
                } else {
                    promise.tryFailure(done.cause());
                }
            });
            all(left, (inner, done) -> inner.unsafe().deregister(done));
        }
    }
}
