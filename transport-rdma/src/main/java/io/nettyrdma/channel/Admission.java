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

import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaCounters;

import java.io.IOException;
import java.net.ConnectException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * A child's way in: from the moment when its server reads the request until the connection is open or the child is
 * closed. It is one of the few that a server lets be under way at a time, and has a time to end by: a peer that asks
 * and never confirms gets a queue pair and its receives, but not for long.
 */
final class Admission {

    /** {@code null}: of a channel that connects, which asks nobody. */
    private final RdmaServerChannel server;
    private final AtomicBoolean over = new AtomicBoolean();
    /** Loop's thread. */
    private Future<?> timeout;

    Admission(RdmaServerChannel server) {
        this.server = server;
    }

    /**
     * The peer is asked to confirm. Loop's thread.
     *
     * @param millis 0 waits for as long as the connection manager does.
     * @param onTimeout not called once it is {@link #over}.
     */
    void expire(EventLoop loop, int millis, Object peer, Consumer<IOException> onTimeout) {
        if (millis > 0) {
            timeout = loop.schedule(() -> onTimeout.accept(new ConnectTimeoutException(
                    "connection timed out after " + millis + " ms: " + peer + " has asked for it and never confirmed")),
                    millis, TimeUnit.MILLISECONDS);
        }
    }

    /**
     * There will be no connection. Loop's thread.
     *
     * @return whether that is the peer's doing, who has left, or not confirmed: then it is counted, and nothing that
     *         the application has to know, as with a TCP connection that was never established.
     */
    boolean failed(Throwable cause, RdmaCounters counters) {
        boolean peers = server != null && cause instanceof ConnectException;
        if (peers) {
            counters.increment(RdmaCounter.CHILDREN_UNCONFIRMED);
            server.warnings().warn(server, "a child was not confirmed: " + cause.getMessage());
        }
        return peers;
    }

    /** The connection is open, or there will be none. Any thread, more than once. */
    void over() {
        if (server == null || !over.compareAndSet(false, true)) {
            return;
        }
        if (timeout != null) {
            timeout.cancel(false);
        }
        server.admitted();
    }
}
