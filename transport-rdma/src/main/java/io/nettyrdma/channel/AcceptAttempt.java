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
import java.util.function.Consumer;

/**
 * A child's way to an open connection, and what ends it: the peer's confirmation, a failure, or the time limit.
 * Until then the child is one of its server's {@link AcceptingChildren}. Belongs to the event loop, except the
 * method that says otherwise.
 */
final class AcceptAttempt {

    private final RdmaServerChannel server;
    private final AcceptingChildren.Ticket ticket;
    private Future<?> timeout;

    AcceptAttempt(RdmaServerChannel server, AcceptingChildren.Ticket ticket) {
        this.server = server;
        this.ticket = ticket;
    }

    /**
     * Starts the time limit of the peer's confirmation.
     *
     * @param timeoutMillis 0 waits for as long as the connection manager does.
     * @param onTimeout not called once it is {@link #over}.
     */
    void start(EventLoop loop, int timeoutMillis, Object peer, Consumer<IOException> onTimeout) {
        if (timeoutMillis > 0) {
            timeout = loop.schedule(() -> onTimeout.accept(new ConnectTimeoutException("connection timed out after "
                    + timeoutMillis + " ms: " + peer + " has asked for it and never confirmed")),
                    timeoutMillis, TimeUnit.MILLISECONDS);
        }
    }

    /**
     * There will be no connection: the peer has left or does not confirm, or this side has no memory or no queue pair
     * for it. That is counted and logged, and not reported to the application, as with a TCP connection that was never
     * established.
     */
    void failed(Throwable cause, RdmaCounters counters) {
        if (cause instanceof ConnectException) {
            counters.increment(RdmaCounter.CHILDREN_UNCONFIRMED);
            server.warnings().warn(server, "a child was not confirmed: " + cause.getMessage());
        } else {
            counters.increment(RdmaCounter.CHILDREN_REFUSED);
            server.warnings().warn(server, "a connection cannot be accepted: " + cause.getMessage());
        }
    }

    /** The connection is open, or there will be none. More than once; any thread, if it was not started. */
    void over() {
        if (timeout != null) {
            timeout.cancel(false);
            timeout = null;
        }
        ticket.end();
    }
}
