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
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * The loop takes a stack of two slots. Another thread gets the upper one as soon as it is accepted, and gives it again,
 * before the loop comes to the lower one.
 */
@JCStressTest
@Outcome(id = "1, [12]", expect = Expect.ACCEPTABLE, desc = "the lower slot came back once, the upper one each time")
@Outcome(expect = Expect.FORBIDDEN, desc = "a slot is lost or came back too often")
@State
public class GivenAgainStress {

    private static final int LOWER = 0;
    private static final int UPPER = 1;
    /** Of the thread that waits for the slot; the loop may begin later than that. */
    private static final int LOOKS = 200;

    private final TestLoop loop = new TestLoop();
    private final UsedSlots slots = new UsedSlots(loop);
    private int given;

    public GivenAgainStress() {
        slots.give(LOWER);
        slots.give(UPPER);
        given = 1;
    }

    @Actor
    public void loop() {
        loop.begin();
        loop.runAll();
    }

    @Actor
    public void user() {
        for (int look = 0; look < LOOKS; look++) {
            if (slots.isUpperFree) {
                slots.give(UPPER);
                given++;
                return;
            }
        }
    }

    @Arbiter
    public void rest(II_Result result) {
        loop.runAll();
        result.r1 = slots.accepted(LOWER);
        result.r2 = slots.accepted(UPPER) == given ? given : 0;
    }

    private static final class UsedSlots extends ArraySlots {

        /** Brings the slot to its next user, as a queue between threads does. */
        private volatile boolean isUpperFree;

        UsedSlots(ThreadAwareExecutor loop) {
            super(loop);
        }

        @Override
        void accept(int slot, boolean notifies) {
            super.accept(slot, notifies);
            if (slot == UPPER) {
                isUpperFree = true;
            }
        }
    }
}
