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
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/**
 * A thread gives slots while the loop ends and closes the pool. Nothing runs after that, so each slot must come back on
 * one of the two threads. Both may accept slots at the same time, each under the lock.
 */
@JCStressTest
@Outcome(id = "1, 1, 1, 3", expect = Expect.ACCEPTABLE, desc = "each slot came back once")
@Outcome(expect = Expect.FORBIDDEN, desc = "a slot is lost, came back twice, or was counted without the lock")
@State
public class EndOfLoopStress {

    private final TestLoop loop = new TestLoop();
    private final SlowSlots slots = new SlowSlots(loop);

    @Actor
    public void giver() {
        slots.give(0);
        slots.give(1);
    }

    @Actor
    public void loop() {
        loop.begin();
        loop.end();
        slots.close();
        // As a pool does for a slot that its loop gives.
        synchronized (slots) {
            slots.accept(2, true);
        }
    }

    @Arbiter
    public void rest(IIII_Result result) {
        result.r1 = slots.accepted(0);
        result.r2 = slots.accepted(1);
        result.r3 = slots.accepted(2);
        result.r4 = slots.counted;
    }

    /** Accepting takes time, as the release of a slab does: so the other thread gives a slot meanwhile. */
    private static final class SlowSlots extends ArraySlots {

        private static final int PAUSES = 10;

        private int counted;

        SlowSlots(ThreadAwareExecutor loop) {
            super(loop);
        }

        @Override
        void accept(int slot, boolean notifies) {
            int before = counted;
            super.accept(slot, notifies);
            for (int pause = 0; pause < PAUSES; pause++) {
                Thread.onSpinWait();
            }
            counted = before + 1;
        }
    }
}
