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
package io.nettyrdma.microbench.operations;

import io.nettyrdma.microbench.echo.Samples;

/**
 * Measures a rate as the median of short slices of equally many operations. Other programs take the processor away in
 * between, which the median of short slices does not show, but the mean of a long time would.
 */
final class Slices {

    private final Samples samples = Samples.take();
    private final long end;
    private long start = System.nanoTime();

    Slices(long nanos) {
        end = start + nanos;
    }

    /** Ends a slice. Returns whether there is time for another. */
    boolean next() {
        long now = System.nanoTime();
        samples.add(now - start);
        start = now;
        return now - end < 0 && !samples.isFull();
    }

    /** The time of a slice. Call it once, at the end. */
    double micros() {
        double micros = samples.figure().main();
        samples.give();
        return micros;
    }
}
