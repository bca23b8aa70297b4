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

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Limits the lines about a failure that may come back in every turn of a loop, or for every connection. Any thread. */
final class LogLimit {

    static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final LongSupplier clock;
    private long last;

    /** @param clock nanoseconds that never go back. */
    LogLimit(LongSupplier clock) {
        this.clock = clock;
        last = clock.getAsLong() - PERIOD_NANOS;
    }

    /** Whether a line may be written now, as the only one of its period. */
    synchronized boolean allows() {
        long now = clock.getAsLong();
        if (now - last < PERIOD_NANOS) {
            return false;
        }
        last = now;
        return true;
    }
}
