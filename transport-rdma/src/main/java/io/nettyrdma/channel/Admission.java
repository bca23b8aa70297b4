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
 * The admission of a child, from the moment when its server reads the request until the connection is open or the child
 * is closed. A server limits the number of such children and the time that each may take: a peer that never confirms
 * gets a queue pair and its receives, but not for long.
 */
final class Admission {

    /** {@code null} for a channel that connects: it needs no admission. */
    private final RdmaServerChannel server;
    private final AtomicBoolean over = new AtomicBoolean();
    /** Belongs to the event loop. */
    private Future<?> timeout;

    Admission(RdmaServerChannel server) {
        this.server = server;
    }

    /**
     * Starts the time limit of the peer's confirmation. Event loop only.
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
     * There will be no connection. Event loop only.
     *
     * @return whether the peer caused that by leaving or by not confirming. That is counted and not reported to the
     *         application, as with a TCP connection that was never established.
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
