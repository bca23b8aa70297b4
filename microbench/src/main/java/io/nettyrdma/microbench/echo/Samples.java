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
package io.nettyrdma.microbench.echo;

import io.nettyrdma.microbench.RawResults;
import org.HdrHistogram.Histogram;

import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** The times of one measurement in nanoseconds, such as round trips. The objects are large, and so reused. */
public final class Samples {

    private static final Queue<Samples> FREE = new ConcurrentLinkedQueue<>();

    /** In a second. */
    private static final double MICROS = 1e6;

    private final long[] nanos = new long[1 << 20];
    private int count;

    private Samples() {
    }

    /** Returns an empty object. */
    public static Samples take() {
        Samples free = FREE.poll();
        return free == null ? new Samples() : free;
    }

    public void give() {
        count = 0;
        FREE.add(this);
    }

    public boolean isEmpty() {
        return count == 0;
    }

    public boolean isFull() {
        return count == nanos.length;
    }

    public void add(long value) {
        nanos[count++] = value;
    }

    /** Needs at least one sample. Sorts the samples. */
    public Figure figure() {
        Arrays.sort(nanos, 0, count);
        double mean = micros(Arrays.stream(nanos, 0, count).average().orElseThrow());
        return new Figure(MICROS / mean, RawResults.isWanted() ? histogram() : null, micros(nanos[count / 2]),
                micros(nanos[(int) (count * 0.99)]), mean);
    }

    /** Two digits: curves show no more, and the log is short. */
    private Histogram histogram() {
        Histogram histogram = new Histogram(TimeUnit.MINUTES.toNanos(1), 2);
        histogram.setEndTimeStamp(System.currentTimeMillis());
        histogram.setStartTimeStamp(histogram.getEndTimeStamp()
                - TimeUnit.NANOSECONDS.toMillis(Arrays.stream(nanos, 0, count).sum()));
        for (int i = 0; i < count; i++) {
            histogram.recordValue(Math.min(nanos[i], histogram.getHighestTrackableValue()));
        }
        return histogram;
    }

    private static double micros(double value) {
        return value / 1000;
    }
}
