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
package io.nettyrdma.example.echo;

import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The result of a run: filled by the client's event loop, read by the thread that waits for it. */
final class EchoResult {

    private static final int SECONDS_BETWEEN_LINES = 1;
    private static final double MEGA = 1e6;

    private final String what;
    private final int size;
    private final long[] nanos;
    private final CountDownLatch done = new CountDownLatch(1);
    private int sent;
    private volatile int received;
    private volatile Throwable failure;
    private final long start = System.nanoTime();
    private volatile long end;
    private String path;

    EchoResult(String what, EchoOptions options) {
        this.what = what;
        size = options.size();
        nanos = new long[options.count()];
    }

    /** The number of the next message, or -1 if there is none. Event loop only. */
    int nextMessage() {
        return sent == nanos.length ? -1 : sent++;
    }

    /** A message has come back, and every byte was right. Event loop only. */
    @SuppressWarnings("NonAtomicOperationOnVolatileField")
    void returned(long tookNanos) {
        nanos[received] = tookNanos;
        received++;
        if (received == nanos.length) {
            end = System.nanoTime();
            done.countDown();
        }
    }

    void failed(Throwable cause) {
        failure = cause;
        done.countDown();
    }

    void await() throws Exception {
        while (!done.await(SECONDS_BETWEEN_LINES, TimeUnit.SECONDS)) {
            System.out.printf(Locale.ROOT, "  %s: %,d of %,d messages%n", what, received, nanos.length);
        }
        if (failure != null) {
            String message = what + " failed after " + received + " of " + nanos.length + " messages";
            throw failure instanceof IOException ? new IOException(message + ": " + failure.getMessage(), failure)
                    : new IllegalStateException(message, failure);
        }
        Arrays.sort(nanos);
    }

    /** Sets the description of how the bytes were sent. */
    void path(String words) {
        path = words;
    }

    String path() {
        return path;
    }

    /** The microseconds that this part of all round trips did not exceed. */
    double micros(double part) {
        return nanos[(int) Math.min(nanos.length - 1L, (long) (nanos.length * part))] / 1e3;
    }

    double messagesPerSecond() {
        return nanos.length / seconds();
    }

    /** The throughput in one direction. */
    double megabytesPerSecond() {
        return messagesPerSecond() * size / MEGA;
    }

    private double seconds() {
        return (end - start) / 1e9;
    }
}
