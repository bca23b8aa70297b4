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

import java.util.Arrays;
import java.util.concurrent.CompletableFuture;

/** One request at a time on one connection, and how long its answers take. */
abstract class RateConnection {

    /** Bytes of a request and of its answer. */
    static final int SIZE = 64;

    private final CompletableFuture<RateConnection> end = new CompletableFuture<>();
    private long[] nanos = new long[1 << 16];
    private int count;
    private long measureFrom;
    private long measureTo;
    private long sentAt;
    private long answeredAt;

    /** Sends the next request on any thread. Its end is {@link #answered} or {@link #failed}. */
    abstract void request();

    /** Completes with this object when the measurement has ended. */
    final CompletableFuture<RateConnection> run(long from, long to) {
        measureFrom = from;
        measureTo = to;
        next(System.nanoTime());
        return end;
    }

    final void answered(int size) {
        if (size != SIZE) {
            failed(new IllegalStateException("an answer of " + size + " bytes"));
            return;
        }
        long now = System.nanoTime();
        if (sentAt - measureFrom >= 0) {
            add(now - sentAt);
            answeredAt = now;
        }
        if (count == 0 || now - measureTo < 0) {
            next(now);
        } else {
            end.complete(this);
        }
    }

    final void failed(Throwable cause) {
        end.completeExceptionally(cause);
    }

    /** Nanoseconds from each request to its answer. */
    final long[] nanos() {
        return Arrays.copyOf(nanos, count);
    }

    /** The last answer may come late: then it lowers the rate. */
    final double requestsPerSecond() {
        return count * 1e9 / (answeredAt - measureFrom);
    }

    private void next(long now) {
        sentAt = now;
        request();
    }

    private void add(long value) {
        if (count == nanos.length) {
            nanos = Arrays.copyOf(nanos, 2 * count);
        }
        nanos[count++] = value;
    }
}
