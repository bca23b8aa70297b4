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
package io.nettyrdma.example.efa;

import io.netty.util.concurrent.Future;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** How long a check of one adapter may take: all of it, and each of its waits. */
final class CheckTime {

    private static final int ALL_SECONDS = 60;
    private static final int ONE_MILLIS = 10_000;

    private final long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(ALL_SECONDS);

    /** Milliseconds that the next wait may take. */
    int millis() throws IOException {
        long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
        if (left <= 0) {
            throw new IOException("the " + ALL_SECONDS + " s for this adapter are over");
        }
        return (int) Math.min(left, ONE_MILLIS);
    }

    /** Waits for the end of something, whatever it is. */
    <T, F extends Future<T>> F end(F future) throws Exception {
        int millis = millis();
        if (!future.await(millis)) {
            throw new IOException("it has not ended after " + millis + " ms");
        }
        return future;
    }

    /** Waits for success. */
    <T> T await(Future<T> future) throws Exception {
        Throwable cause = end(future).cause();
        if (cause != null) {
            throw cause instanceof Exception failure ? failure : new IOException(cause);
        }
        return future.getNow();
    }
}
