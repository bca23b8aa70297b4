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

import java.time.Duration;
import java.util.Objects;

/** Configuration of loops. Immutable: begin with {@link #DEFAULT}, and change it with the {@code with} methods. */
public final class RdmaIoHandlerConfig {

    public static final int DEFAULT_SPIN_MICROS = 50;
    public static final int DEFAULT_POLLS_PER_SELECT = 128;
    public static final int DEFAULT_SELECT_INTERVAL_MICROS = 100;
    public static final int DEFAULT_COMPLETION_QUEUE_ENTRIES = 4096;
    public static final int DEFAULT_COMPLETION_BATCH = 64;
    public static final int DEFAULT_SLAB_BYTES = 256 << 10;

    private static final Duration LONGEST = Duration.ofDays(1);

    /**
     * Adaptive; spins for {@value #DEFAULT_SPIN_MICROS} us; selects after {@value #DEFAULT_POLLS_PER_SELECT} polls or
     * {@value #DEFAULT_SELECT_INTERVAL_MICROS} us; completion queues of {@value #DEFAULT_COMPLETION_QUEUE_ENTRIES}
     * entries or more, polled for {@value #DEFAULT_COMPLETION_BATCH} at a time; slabs of {@value #DEFAULT_SLAB_BYTES}
     * bytes.
     */
    public static final RdmaIoHandlerConfig DEFAULT = new RdmaIoHandlerConfig(PollMode.ADAPTIVE,
            micros(DEFAULT_SPIN_MICROS), DEFAULT_POLLS_PER_SELECT, micros(DEFAULT_SELECT_INTERVAL_MICROS),
            DEFAULT_COMPLETION_QUEUE_ENTRIES, DEFAULT_COMPLETION_BATCH, DEFAULT_SLAB_BYTES);

    private final PollMode mode;
    private final Duration spin;
    private final int pollsPerSelect;
    private final Duration selectInterval;
    private final int completionQueueEntries;
    private final int completionBatch;
    private final int slabBytes;

    private RdmaIoHandlerConfig(PollMode mode, Duration spin, int pollsPerSelect, Duration selectInterval,
                                int completionQueueEntries, int completionBatch, int slabBytes) {
        this.mode = Objects.requireNonNull(mode, "mode");
        this.spin = time("spin", spin);
        this.pollsPerSelect = positive("pollsPerSelect", pollsPerSelect);
        this.selectInterval = time("selectInterval", selectInterval);
        this.completionQueueEntries = positive("completionQueueEntries", completionQueueEntries);
        this.completionBatch = positive("completionBatch", completionBatch);
        this.slabBytes = positive("slabBytes", slabBytes);
    }

    /** What a loop does when there is nothing to do. */
    public PollMode mode() {
        return mode;
    }

    /**
     * How long an {@link PollMode#ADAPTIVE} loop polls before it waits, counted from the last completion or the last
     * wakeup. An {@link PollMode#EVENT} loop polls for 10 us, or for this if it is less.
     */
    public Duration spin() {
        return spin;
    }

    /**
     * Polls of the completion queues after which the loop checks everything else, which takes a system call: TCP
     * channels, connection manager, devices.
     */
    public int pollsPerSelect() {
        return pollsPerSelect;
    }

    /** Time after which it does so even after fewer polls. */
    public Duration selectInterval() {
        return selectInterval;
    }

    /**
     * Size of a loop's first completion queue on a device. Queues are added when queue pairs need more, each twice as
     * large as the last, as far as the device allows.
     */
    public int completionQueueEntries() {
        return completionQueueEntries;
    }

    /** Completions that are taken off a queue at a time. */
    public int completionBatch() {
        return completionBatch;
    }

    /** Bytes of registered memory by which pools of slots grow. */
    public int slabBytes() {
        return slabBytes;
    }

    public RdmaIoHandlerConfig withMode(PollMode newMode) {
        return new RdmaIoHandlerConfig(newMode, spin, pollsPerSelect, selectInterval, completionQueueEntries,
                completionBatch, slabBytes);
    }

    public RdmaIoHandlerConfig withSpin(Duration newSpin) {
        return new RdmaIoHandlerConfig(mode, newSpin, pollsPerSelect, selectInterval, completionQueueEntries,
                completionBatch, slabBytes);
    }

    public RdmaIoHandlerConfig withSelect(int polls, Duration interval) {
        return new RdmaIoHandlerConfig(mode, spin, polls, interval, completionQueueEntries, completionBatch,
                slabBytes);
    }

    public RdmaIoHandlerConfig withCompletionQueue(int entries, int batch) {
        return new RdmaIoHandlerConfig(mode, spin, pollsPerSelect, selectInterval, entries, batch, slabBytes);
    }

    public RdmaIoHandlerConfig withSlabBytes(int bytes) {
        return new RdmaIoHandlerConfig(mode, spin, pollsPerSelect, selectInterval, completionQueueEntries,
                completionBatch, bytes);
    }

    private static Duration micros(long count) {
        return Duration.ofNanos(count * 1000);
    }

    @Override
    public String toString() {
        return mode + ", spin " + spin + ", select after " + pollsPerSelect + " polls or " + selectInterval
                + ", completion queues of " + completionQueueEntries + ", " + completionBatch + " at a time, slabs of "
                + slabBytes + " bytes";
    }

    private static int positive(String name, int value) {
        if (value <= 0) {
            throw new IllegalArgumentException(name + " must be positive, not " + value);
        }
        return value;
    }

    private static Duration time(String name, Duration value) {
        if (value.isNegative() || value.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(name + " must be from 0 to " + LONGEST + ", not " + value);
        }
        return value;
    }
}
