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

/**
 * Configuration of loops. Immutable: begin with {@link #DEFAULT}, and change it with the {@code with} methods.
 *
 * @since 0.1.0
 */
public final class RdmaIoHandlerConfig {

    /** Of {@link #spin}. */
    public static final int DEFAULT_SPIN_MICROS = 50;
    /** Of {@link #pollsPerSelect}. */
    public static final int DEFAULT_POLLS_PER_SELECT = 128;
    /** Of {@link #selectInterval}. */
    public static final int DEFAULT_SELECT_INTERVAL_MICROS = 100;
    /** Of {@link #completionQueueEntries}. */
    public static final int DEFAULT_COMPLETION_QUEUE_ENTRIES = 4096;
    /** Of {@link #completionBatch}. */
    public static final int DEFAULT_COMPLETION_BATCH = 64;
    /** Of {@link #slabBytes}. */
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

    /**
     * {@return what a loop does when there is nothing to do}
     *
     * @option.default ADAPTIVE
     * @option.range ADAPTIVE, BUSY, EVENT
     * @option.change when the event loop group is created
     * @option.advice BUSY, if each loop has a core of its own and latency matters most; EVENT, if loops share cores
     *         with other work
     */
    public PollMode mode() {
        return mode;
    }

    /**
     * {@return how long an {@link PollMode#ADAPTIVE} loop polls before it waits, counted from the last completion or
     * the last wakeup} An {@link PollMode#EVENT} loop polls for 10 us, or for this if it is less.
     *
     * @option.default PT0.00005S
     * @option.range PT0S to PT24H
     * @option.change when the event loop group is created
     * @option.advice more, if answers come later than this and cores are free; 0, if they are not
     */
    public Duration spin() {
        return spin;
    }

    /**
     * {@return polls of the completion queues after which the loop checks everything else, which takes a system call:
     * TCP channels, connection manager, devices}
     *
     * @option.default 128
     * @option.range 1 to 2147483647 polls
     * @option.change when the event loop group is created
     * @option.advice less, if TCP channels or new connections on a busy loop must not wait
     */
    public int pollsPerSelect() {
        return pollsPerSelect;
    }

    /**
     * {@return time after which a loop checks everything else even after fewer polls}
     *
     * @option.default PT0.0001S
     * @option.range PT0S to PT24H
     * @option.change when the event loop group is created
     * @option.advice as pollsPerSelect
     */
    public Duration selectInterval() {
        return selectInterval;
    }

    /**
     * {@return size of a loop's first completion queue on a device} Queues are added when queue pairs need more, each
     * twice as large as the last, as far as the device allows.
     *
     * @option.default 4096
     * @option.range 1 to 2147483647 entries
     * @option.change when the event loop group is created
     * @option.advice more, if one loop has thousands of connections: one large queue is cheaper to poll than several
     */
    public int completionQueueEntries() {
        return completionQueueEntries;
    }

    /**
     * {@return completions that are taken off a queue at a time}
     *
     * @option.default 64
     * @option.range 1 to 2147483647 completions
     * @option.change when the event loop group is created
     * @option.advice less, if handlers take long and other channels of the loop wait
     */
    public int completionBatch() {
        return completionBatch;
    }

    /**
     * {@return the bytes of registered memory by which pools of slots grow}
     *
     * @option.default 262144
     * @option.range 1 to 2147483647 bytes
     * @option.change when the event loop group is created
     * @option.advice less, if a process with few connections must commit little memory
     */
    public int slabBytes() {
        return slabBytes;
    }

    /**
     * Changes {@link #mode}.
     *
     * @param newMode the mode.
     * @return a copy with the change.
     */
    public RdmaIoHandlerConfig withMode(PollMode newMode) {
        return new RdmaIoHandlerConfig(newMode, spin, pollsPerSelect, selectInterval, completionQueueEntries,
                completionBatch, slabBytes);
    }

    /**
     * Changes {@link #spin}.
     *
     * @param newSpin 0 to one day.
     * @return a copy with the change.
     * @throws IllegalArgumentException if it is out of range.
     */
    public RdmaIoHandlerConfig withSpin(Duration newSpin) {
        return new RdmaIoHandlerConfig(mode, newSpin, pollsPerSelect, selectInterval, completionQueueEntries,
                completionBatch, slabBytes);
    }

    /**
     * Changes {@link #pollsPerSelect} and {@link #selectInterval}.
     *
     * @param polls more than 0.
     * @param interval 0 to one day.
     * @return a copy with the change.
     * @throws IllegalArgumentException if one is out of range.
     */
    public RdmaIoHandlerConfig withSelect(int polls, Duration interval) {
        return new RdmaIoHandlerConfig(mode, spin, polls, interval, completionQueueEntries, completionBatch,
                slabBytes);
    }

    /**
     * Changes {@link #completionQueueEntries} and {@link #completionBatch}.
     *
     * @param entries more than 0.
     * @param batch more than 0.
     * @return a copy with the change.
     * @throws IllegalArgumentException if one is out of range.
     */
    public RdmaIoHandlerConfig withCompletionQueue(int entries, int batch) {
        return new RdmaIoHandlerConfig(mode, spin, pollsPerSelect, selectInterval, entries, batch, slabBytes);
    }

    /**
     * Changes {@link #slabBytes}.
     *
     * @param bytes more than 0.
     * @return a copy with the change.
     * @throws IllegalArgumentException if it is out of range.
     */
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
            throw outOfRange(name, value, 1, Integer.MAX_VALUE);
        }
        return value;
    }

    private static Duration time(String name, Duration value) {
        if (value.isNegative() || value.compareTo(LONGEST) > 0) {
            throw outOfRange(name, value, Duration.ZERO, LONGEST);
        }
        return value;
    }

    private static IllegalArgumentException outOfRange(String name, Object value, Object min, Object max) {
        return new IllegalArgumentException(name + " is " + value + ", not within " + min + " to " + max);
    }
}
