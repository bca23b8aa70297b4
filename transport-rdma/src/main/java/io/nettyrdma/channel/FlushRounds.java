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
package io.nettyrdma.channel;

import io.nettyrdma.memory.LoopTasks;

/**
 * Flushes, and flushes again if that was requested meanwhile. A promise's listener, or a handler of
 * {@code channelWritabilityChanged}, runs within a flush, and Netty ignores a flush within a flush: what it wrote would
 * wait for an event that need not come.
 *
 * <pre>
 *   IDLE --run()--> FLUSHING --run() within--> ASKED --the flush has ended--> FLUSHING
 *    ^                 |                         |
 *    +--all is done----+    +--too many rounds---+
 *    +------ a task -------+
 * </pre>
 *
 * Endless requests get {@code WRITE_SPIN_COUNT} rounds at a time, as with TCP, and then other work of the loop has its
 * turn. Belongs to the event loop.
 */
final class FlushRounds implements Runnable {

    private enum State { IDLE, FLUSHING, ASKED }

    private final RdmaChannel channel;
    private final Runnable flush;
    private State state = State.IDLE;

    /** @param flush performs a single flush. */
    FlushRounds(RdmaChannel channel, Runnable flush) {
        this.channel = channel;
        this.flush = flush;
    }

    @Override
    public void run() {
        if (state != State.IDLE) {
            state = State.ASKED;
            return;
        }
        int roundsLeft = channel.config().getWriteSpinCount();
        try {
            do {
                state = State.FLUSHING;
                flush.run();
            } while (state == State.ASKED && --roundsLeft > 0);
            if (state == State.ASKED) {
                LoopTasks.execute(channel.eventLoop(), this);
            }
        } finally {
            state = State.IDLE;
        }
    }
}
