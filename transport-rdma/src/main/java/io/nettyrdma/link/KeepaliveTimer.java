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

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.nettyrdma.protocol.AbortReason;
import io.nettyrdma.stream.Keepalive;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Checks once in each interval whether the peer is alive, until it is stopped, and aborts the connection to a dead one.
 * Belongs to the event loop.
 */
final class KeepaliveTimer {

    /** Silent intervals in a row after which a peer is considered dead. */
    private static final int SILENCES = 3;

    private final EventLoop loop;
    private final CmConnection connection;
    private final int millis;
    private final Consumer<IOException> onDeath;
    /** The next check; {@code null} if there is none. */
    private Future<?> next;

    KeepaliveTimer(EventLoop loop, CmConnection connection, int millis, Consumer<IOException> onDeath) {
        this.loop = loop;
        this.connection = connection;
        this.millis = millis;
        this.onDeath = onDeath;
    }

    void start() {
        connection.stream().startKeepalive(new Keepalive(SILENCES, connection.rounds()));
        schedule();
    }

    /** Cancels the timer, because its objects would stay reachable until it expires. */
    void stop() {
        if (next != null) {
            next.cancel(false);
            next = null;
        }
    }

    private void schedule() {
        next = loop.schedule(this::check, millis, TimeUnit.MILLISECONDS);
    }

    private void check() {
        next = null;
        try {
            if (connection.stream().keepalive(connection.rounds()) != Keepalive.Step.DEAD) {
                schedule();
            } else {
                dead(LinkErrors.peerIsDead(connection.id().peerAddress()));
            }
        } catch (IOException e) {
            dead(e);
        }
    }

    private void dead(IOException cause) {
        connection.stream().abort(AbortReason.TIMEOUT, "");
        onDeath.accept(cause);
    }
}
