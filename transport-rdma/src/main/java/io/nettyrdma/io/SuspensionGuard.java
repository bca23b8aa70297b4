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
package io.nettyrdma.io;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ThreadAwareExecutor;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A timer that keeps a loop from being suspended while a cancelled handle has work outstanding. Netty suspends a loop
 * that has no valid registration, no task and no timer, and then no thread would see the work end. A task does not
 * help, because it would have run before Netty checks.
 *
 * <p>Belongs to the event loop.
 */
final class SuspensionGuard implements Runnable {

    private static final int MILLIS = 1;

    private final ThreadAwareExecutor executor;
    private final BooleanSupplier isNeeded;
    private boolean running;

    /** @param isNeeded checked periodically after {@link #begin}. */
    SuspensionGuard(ThreadAwareExecutor executor, BooleanSupplier isNeeded) {
        this.executor = executor;
        this.isNeeded = isNeeded;
    }

    /** Starts the timer unless it runs. */
    void begin() {
        if (!running) {
            running = true;
            run();
        }
    }

    @Override
    public void run() {
        running = isNeeded.getAsBoolean() && schedule();
    }

    /** Returns false for a loop that ends or has no timers: neither is suspended. */
    private boolean schedule() {
        if (!(executor instanceof EventExecutor timers)) {
            return false;
        }
        try {
            timers.schedule(this, MILLIS, TimeUnit.MILLISECONDS);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }
}
