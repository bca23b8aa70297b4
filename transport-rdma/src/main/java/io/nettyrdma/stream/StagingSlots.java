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
 * The slots in which a stream assembles its frames. One of the smallest is the stream's own, which it uses first: with
 * it the stream continues if there is no more memory, one frame at a time, however many other streams there are. And
 * small frames that are sent one by one need no other slot.
 */
final class StagingSlots {

    static final int NONE = SlotPool.NONE;

    private final SlotPool pool;
    /** The stream's own slot; {@link #NONE} while a frame has it. */
    private int own = NONE;
    private boolean closed;

    StagingSlots(SlotPool pool) {
        this.pool = pool;
    }

    /** @throws IOException if there is no memory even for one slot. */
    void open() throws IOException {
        own = pool.take(0);
    }

    /**
     * Returns a slot; {@link #NONE} if the stream's own is in use and there is no more memory.
     *
     * @param bytes that it should have. It has fewer if there is no memory, or are no such slots.
     */
    int take(int bytes) {
        int size = pool.sizeFor(bytes);
        int large = size == 0 ? NONE : pool.takeIfAny(size);
        return large == NONE ? takeSmall() : large;
    }

    private int takeSmall() {
        if (own == NONE) {
            return pool.takeIfAny(0);
        }
        int slot = own;
        own = NONE;
        return slot;
    }

    void give(int slot) {
        if (own == NONE && !closed && pool.isSmallest(slot)) {
            own = slot;
        } else {
            pool.give(slot);
        }
    }

    /** Gives back the stream's own slot. Slots given later go to the pool. A second call does nothing. */
    void close() {
        closed = true;
        if (own != NONE) {
            pool.give(own);
            own = NONE;
        }
    }
}
