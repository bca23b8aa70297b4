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

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Takes the memory of a burst back from a connection on which nothing arrives any more. Runs while there is some, until
 * it is stopped. Belongs to the event loop.
 */
final class SilenceTimer {

    /** A connection is silent if no data has arrived for this time. Its next burst begins with small frames again. */
    private static final int MILLIS = 1_000;

    private final EventLoop loop;
    private final CmConnection connection;
    private final Consumer<IOException> onFailure;
    /** The next check; {@code null} if there is none. */
    private Future<?> next;

    SilenceTimer(EventLoop loop, CmConnection connection, Consumer<IOException> onFailure) {
        this.loop = loop;
        this.connection = connection;
        this.onFailure = onFailure;
    }

    /** Starts it, unless it runs. */
    void start() {
        if (next == null) {
            schedule();
        }
    }

    private void schedule() {
        next = loop.schedule(this::check, MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Cancels the timer, because its objects would stay reachable until it expires. */
    void stop() {
        if (next != null) {
            next.cancel(false);
            next = null;
        }
    }

    private void check() {
        next = null;
        try {
            if (connection.stream().calmDown()) {
                schedule();
            }
        } catch (IOException e) {
            connection.stream().close();
            onFailure.accept(e);
        }
    }
}
