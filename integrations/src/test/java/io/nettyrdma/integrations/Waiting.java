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
package io.nettyrdma.integrations;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import static org.assertj.core.api.Assertions.assertThat;

/** Waits for what must happen, however long a busy machine takes. */
final class Waiting {

    static final int SECONDS = 60;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private Waiting() {
    }

    static <T> T get(Future<T> future) throws Exception {
        return after(0, future);
    }

    /** For what takes {@code nanos} on any machine, and then what a busy machine needs. */
    static <T> T after(long nanos, Future<T> future) throws Exception {
        return future.get(nanos + TimeUnit.SECONDS.toNanos(SECONDS), TimeUnit.NANOSECONDS);
    }

    static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
        T next = queue.poll(SECONDS, TimeUnit.SECONDS);
        assertThat(next).as("what comes next").isNotNull();
        return next;
    }

    static void until(String awaited, BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - end).as("waited in vain for " + awaited).isNegative();
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }
}
