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
package io.nettyrdma.stream;

import io.nettyrdma.memory.SlotPool;

import java.io.IOException;

/**
 * The slots in which a stream assembles its frames. The stream keeps one slot back for the case that there is no more
 * memory: with it the stream continues, one frame at a time, however many other streams there are.
 */
final class StagingSlots {

    static final int NONE = SlotPool.NONE;

    private final SlotPool pool;
    private int kept = NONE;
    private boolean closed;

    StagingSlots(SlotPool pool) {
        this.pool = pool;
    }

    /** @throws IOException if there is no memory even for the slot that is kept back. */
    void open() throws IOException {
        kept = pool.take();
    }

    /** Returns a slot; {@link #NONE} if there is no more memory and the slot kept back is in use. */
    int take() {
        int slot = pool.takeIfAny();
        if (slot == NONE) {
            slot = kept;
            kept = NONE;
        }
        return slot;
    }

    void give(int slot) {
        if (kept == NONE && !closed) {
            kept = slot;
        } else {
            pool.give(slot);
        }
    }

    /** Gives back the slot kept back. Slots given later go to the pool. A second call does nothing. */
    void close() {
        closed = true;
        if (kept != NONE) {
            pool.give(kept);
            kept = NONE;
        }
    }
}
