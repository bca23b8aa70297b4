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
package io.nettyrdma.memory;

import io.netty.util.concurrent.ThreadAwareExecutor;

/** Slots without memory: the test sees which of them came back, and how often. */
class ArraySlots extends ReturnedSlots {

    /** Below a slot that was never given. No test gives it, so it only comes back by a link that was read too early. */
    private static final int STALE = 3;

    private final int[] links = { STALE, STALE, STALE, SlotPool.NONE };
    /** As a pool's counters: plain, because the loop or the lock guards them. */
    private final int[] accepted = new int[links.length];
    private int all;

    ArraySlots(ThreadAwareExecutor loop) {
        super(loop);
    }

    @Override
    int below(int slot) {
        return links[slot];
    }

    @Override
    void setBelow(int slot, int below) {
        links[slot] = below;
    }

    @Override
    void accept(int slot, boolean notifies) {
        accepted[slot]++;
        all++;
    }

    /** How often this slot came back. */
    int accepted(int slot) {
        return accepted[slot];
    }

    /** How many slots came back. */
    int all() {
        return all;
    }
}
