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

import java.util.function.LongSupplier;

/**
 * When to poll on and when to wait, and how often to look at what is not polled. Arithmetic only.
 *
 * <pre>
 *   work            selectDue       selectDue        spin is over
 *     |--- poll poll ... poll --- poll poll ... poll ---|  arm, wait
 *     |&lt;------------------- spin ----------------------&gt;|
 * </pre>
 */
final class PollPolicy {

    /** Reading the clock takes as long as half a poll. */
    private static final int POLLS_PER_CLOCK = 4;

    private final PollMode mode;
    private final long spinNanos;
    private final int pollsPerSelect;
    private final long selectNanos;
    private final LongSupplier clock;

    /** For this time. */
    private long budgetNanos;
    private boolean idle;
    private long idleSince;
    private int polls;
    private long lastSelect;

    /** @param clock nanoseconds that never go back. */
    PollPolicy(RdmaIoHandlerConfig config, LongSupplier clock) {
        mode = config.mode();
        spinNanos = config.spin().toNanos();
        budgetNanos = spinNanos;
        pollsPerSelect = config.pollsPerSelect();
        selectNanos = config.selectInterval().toNanos();
        this.clock = clock;
        lastSelect = clock.getAsLong();
    }

    /** There will be something to do: spinning begins anew. */
    void worked() {
        worked(spinNanos);
    }

    /** There was something to do: spinning begins anew, for as long as those want for whom it was. */
    void worked(long nanos) {
        idle = false;
        budgetNanos = nanos;
    }

    /** Nothing was found: whether to poll on, rather than to wait. */
    boolean maySpin() {
        switch (mode) {
        case BUSY:
            return true;
        case EVENT:
            return false;
        default:
            long now = clock.getAsLong();
            if (!idle) {
                idle = true;
                idleSince = now;
            }
            return now - idleSince < budgetNanos;
        }
    }

    /** Counts a poll: whether it is time for a select. */
    boolean isSelectDue() {
        polls++;
        return polls >= pollsPerSelect
                || polls % POLLS_PER_CLOCK == 0 && clock.getAsLong() - lastSelect >= selectNanos;
    }

    void selected() {
        polls = 0;
        lastSelect = clock.getAsLong();
    }
}
