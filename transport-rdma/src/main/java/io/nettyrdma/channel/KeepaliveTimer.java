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

import io.netty.util.concurrent.Future;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Checks once in each interval whether the peer is alive, until it is stopped: a channel that is closing waits for its
 * peer, too. Belongs to the event loop.
 */
final class KeepaliveTimer {

    private final RdmaChannel channel;
    private final RdmaConnection connection;
    private final int millis;
    private Consumer<IOException> onDeath;
    /** The next check; {@code null} if there is none. */
    private Future<?> next;

    /** Checks begin with {@link #start}. */
    KeepaliveTimer(RdmaChannel channel, RdmaConnection connection, Consumer<IOException> onDeath) {
        this.channel = channel;
        this.connection = connection;
        this.onDeath = onDeath;
        millis = channel.config().keepAliveMillis();
    }

    /** Changes who is notified of a dead peer. */
    void onDeath(Consumer<IOException> another) {
        onDeath = another;
    }

    /** Does nothing if the channel's configuration disables the keepalive. */
    void start() {
        if (millis > 0) {
            connection.watch();
            schedule();
        }
    }

    /** Cancels the timer, because its objects would stay reachable until it expires. */
    void stop() {
        if (next != null) {
            next.cancel(false);
            next = null;
        }
    }

    private void schedule() {
        next = channel.eventLoop().schedule(this::look, millis, TimeUnit.MILLISECONDS);
    }

    private void look() {
        next = null;
        try {
            if (connection.isAlive()) {
                schedule();
            } else {
                onDeath.accept(new IOException("Connection timed out: nothing was heard of " + channel.remoteAddress()
                        + " though it was asked"));
            }
        } catch (IOException e) {
            onDeath.accept(e);
        }
    }
}
