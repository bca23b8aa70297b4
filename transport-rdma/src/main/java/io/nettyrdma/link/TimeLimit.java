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

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * A task that runs once, when its time is over. An event loop that ends drops its timers, and asks by {@link #check}
 * instead. Belongs to the event loop.
 */
final class TimeLimit {

    private final long end;
    /** {@code null} when it has run, or was cancelled. */
    private Runnable task;
    private Future<?> timer;

    TimeLimit(EventLoop loop, long millis, Runnable task) {
        long nanos = TimeUnit.MILLISECONDS.toNanos(millis);
        this.task = task;
        end = System.nanoTime() + nanos;
        try {
            timer = loop.schedule(this::run, nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            timer = null;
        }
    }

    /** Whether the task is still to run. */
    boolean isPending() {
        return task != null;
    }

    /** Checks a limit, if there is one. */
    static void check(TimeLimit limit) {
        if (limit != null) {
            limit.check();
        }
    }

    /** Cancels a limit, if there is one. */
    static void cancel(TimeLimit limit) {
        if (limit != null) {
            limit.cancel();
        }
    }

    /** Runs the task if its time is over. */
    void check() {
        if (isPending() && System.nanoTime() - end >= 0) {
            run();
        }
    }

    void cancel() {
        task = null;
        if (timer != null) {
            // Its objects would stay reachable until it expires.
            timer.cancel(false);
        }
    }

    private void run() {
        Runnable expired = task;
        cancel();
        if (expired != null) {
            expired.run();
        }
    }
}
