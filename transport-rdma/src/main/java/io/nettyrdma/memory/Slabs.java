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

import java.util.Arrays;

/**
 * The slabs of a {@link SlotPool} by their numbers, with holes where slabs have gone. Belongs to the loop, except
 * {@link #get}: a thread that has the number of a slot got it after its slab was stored here.
 */
final class Slabs {

    private static final int FIRST = 4;

    /** Replaced when it grows. A thread that reads the old array meanwhile finds the slabs of its slots there. */
    private Slab[] slabs = new Slab[0];
    /** Numbers without a slab. */
    private final NumberSet vacant = new NumberSet();

    /** {@code null} if there is none. */
    Slab get(int number) {
        return slabs[number];
    }

    /** One more than the highest number. */
    int end() {
        return slabs.length;
    }

    /** Returns the number of the slab, the lowest that is vacant. */
    int add(Slab slab) {
        if (vacant.lowest() == NumberSet.NONE) {
            widen();
        }
        int number = vacant.lowest();
        vacant.remove(number);
        slabs[number] = slab;
        return number;
    }

    void remove(int number) {
        slabs[number] = null;
        vacant.add(number);
    }

    private void widen() {
        int length = slabs.length;
        Slab[] wider = Arrays.copyOf(slabs, Math.max(FIRST, 2 * length));
        for (int number = length; number < wider.length; number++) {
            vacant.add(number);
        }
        slabs = wider;
    }
}
