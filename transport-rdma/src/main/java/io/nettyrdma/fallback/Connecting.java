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

import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.RdmaChannel;

import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;

/**
 * One connect: first by RDMA, if that is possible, then by TCP.
 *
 * <pre>
 *             connected
 *   RDMA ------------------&gt; OVER
 *    |                        ^
 *    | refused, no route,     | connected, failed
 *    | head start over        |
 *    +--------------------&gt; TCP
 * </pre>
 *
 * The attempt by RDMA has ended before that by TCP begins, so no peer sees two connections. If the first one reaches
 * the peer's machine and ends before it is confirmed, the peer's program does not learn of it, except on iWARP
 * (decision 45). Belongs to the event loop.
 */
final class Connecting {

    private enum State { RDMA, TCP, OVER }

    /**
     * How many head starts a connect has until a peer has answered: the first ones load classes and open the device, at
     * both ends of a service that starts. With two busy processors and gRPC in one JVM that took 1 to 2 s.
     */
    private static final int FIRST = 10;

    private final RdmaOrTcpChannel channel;
    private final SocketAddress remote;
    /** {@code null} leaves it to the transport. */
    private final SocketAddress local;
    private final ChannelPromise promise;
    private State state = State.TCP;
    /** {@code null} unless RDMA is not used. */
    private Fallback fallback;
    /** {@code null} if RDMA is not tried. */
    private RdmaChannel rdma;
    /** {@code null} if there is none, as the next. */
    private Future<?> headStart;
    private Future<?> timeLimit;

    Connecting(RdmaOrTcpChannel channel, SocketAddress remote, SocketAddress local, ChannelPromise promise) {
        this.channel = channel;
        this.remote = remote;
        this.local = local;
        this.promise = promise;
        promise.addListener(done -> {
            if (done.isCancelled()) {
                channel.unsafe().close(channel.voidPromise());
            }
        });
    }

    void begin() {
        FallbackReason reason = whyNotRdma();
        if (reason == null) {
            byRdma((InetSocketAddress) remote);
            return;
        }
        fallback = new Fallback(reason, reason == FallbackReason.EVENT_LOOP ? Fallbacks.unavailable() : null);
        if (settings().policy() == TransportPolicy.RDMA_REQUIRED) {
            failed(new ConnectException("RDMA is required to connect to " + remote + ", and "
                    + fallback.textAndCause()).initCause(fallback.cause()));
        } else {
            byTcp();
        }
    }

    /** {@code null} if RDMA is to be tried. */
    private FallbackReason whyNotRdma() {
        if (settings().policy() == TransportPolicy.TCP_ONLY) {
            return FallbackReason.POLICY;
        }
        if (!channel.mayUseRdma()) {
            return FallbackReason.EVENT_LOOP;
        }
        InetAddress host = host();
        if (host == null) {
            return FallbackReason.NO_ROUTE;
        }
        return remembersSilence() && Fallbacks.SILENT_HOSTS.contains(host, System.nanoTime())
                ? FallbackReason.REMEMBERED : null;
    }

    private boolean remembersSilence() {
        return settings().policy() == TransportPolicy.RDMA_PREFERRED && settings().silentHostMillis() > 0;
    }

    /** {@code null} if the address is not that of one host. */
    private InetAddress host() {
        return remote instanceof InetSocketAddress to ? to.getAddress() : null;
    }

    private FallbackSettings settings() {
        return channel.config().settings();
    }

    // ---- by RDMA ----

    private void byRdma(InetSocketAddress to) {
        state = State.RDMA;
        startTimers();
        rdma = channel.newRdmaChannel();
        ChannelPromise answer = new DefaultChannelPromise(rdma, channel.eventLoop());
        answer.addListener(this::answered);
        ChannelPromise registered = new DefaultChannelPromise(rdma, channel.eventLoop());
        registered.addListener(done -> {
            if (done.isSuccess()) {
                rdma.unsafe().connect(FallbackSettings.forRdma(to, settings().portOffset()), localForRdma(), answer);
            } else {
                answer.tryFailure(done.cause());
            }
        });
        rdma.unsafe().register(channel.eventLoop(), registered);
    }

    /** The address that the application has bound, or named now. */
    private SocketAddress localForRdma() {
        return local == null ? channel.localAddress() : local;
    }

    /** The transports' own limits are as long, but this is the one of both together. */
    private void startTimers() {
        int limit = channel.config().getConnectTimeoutMillis();
        if (limit > 0) {
            timeLimit = channel.eventLoop().schedule(() -> {
                if (promise.tryFailure(new ConnectTimeoutException("connection timed out after " + limit + " ms: "
                        + remote))) {
                    channel.unsafe().close(channel.voidPromise());
                }
            }, limit, TimeUnit.MILLISECONDS);
        }
        if (settings().policy() == TransportPolicy.RDMA_PREFERRED) {
            int millis = settings().headStartMillis() * (Fallbacks.answered ? 1 : FIRST);
            headStart = channel.eventLoop().schedule(this::headStartOver, millis, TimeUnit.MILLISECONDS);
        }
    }

    private void headStartOver() {
        if (state == State.RDMA) {
            fallback = new Fallback(FallbackReason.SILENT, null);
            Fallbacks.SILENT_HOSTS.add(host(), System.nanoTime(), settings().silentHostMillis());
            // The promise of its connect fails, and TCP follows.
            closeRdma();
        }
    }

    private void answered(Future<?> answer) {
        if (answer.isSuccess()) {
            Fallbacks.answered = true;
            Fallbacks.SILENT_HOSTS.remove(host());
            over();
            channel.connected(rdma, remote, null, promise);
        } else if (mayFallBack()) {
            if (fallback == null) {
                fallback = new Fallback(reason(answer.cause()), answer.cause());
            }
            byTcp();
        } else {
            failed(answer.cause());
        }
    }

    private static FallbackReason reason(Throwable cause) {
        if (cause instanceof ConnectException) {
            return FallbackReason.REFUSED;
        }
        return cause instanceof NoRouteToHostException || cause instanceof BindException ? FallbackReason.NO_ROUTE
                : FallbackReason.FAILED;
    }

    private boolean mayFallBack() {
        // A loop that ends closes the channel of the attempt, maybe before this one.
        return !promise.isDone() && !channel.isClosing() && !channel.eventLoop().isShuttingDown()
                && settings().policy() == TransportPolicy.RDMA_PREFERRED;
    }

    private void closeRdma() {
        rdma.unsafe().close(rdma.voidPromise());
    }

    // ---- by TCP ----

    private void byTcp() {
        state = State.TCP;
        cancel(headStart);
        SocketChannel tcp = channel.useTcp();
        ChannelPromise answer = new DefaultChannelPromise(tcp, channel.eventLoop());
        answer.addListener(done -> {
            if (done.isSuccess()) {
                over();
                channel.connected(tcp, remote, fallback, promise);
            } else {
                failed(done.cause());
            }
        });
        promise.addListener(done -> {
            if (done.isCancelled()) {
                answer.cancel(false);
            }
        });
        tcp.unsafe().connect(remote, local, answer);
    }

    // ---- the end ----

    /** The channel is closed. The attempt by TCP is the channel's own, and ends with it. */
    void close() {
        if (state == State.RDMA) {
            closeRdma();
        }
    }

    private void failed(Throwable cause) {
        over();
        channel.connectFailed();
        promise.tryFailure(cause);
    }

    private void over() {
        state = State.OVER;
        cancel(headStart);
        cancel(timeLimit);
    }

    private static void cancel(Future<?> timer) {
        if (timer != null) {
            timer.cancel(false);
        }
    }
}
