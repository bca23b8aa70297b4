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

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/**
 * A thread gives slots while the loop runs its tasks. Nothing but the tasks accepts slots here, so a slot without a
 * task would stay on the stack.
 */
@JCStressTest
@Outcome(id = "[12], 1, 1, 2", expect = Expect.ACCEPTABLE, desc = "a task for each stack; both slots came back once")
@Outcome(expect = Expect.FORBIDDEN, desc = "a slot is lost, stayed on the stack, or came back twice")
@State
public class GiverAndLoopStress {

    private final TestLoop loop = new TestLoop();
    private final ArraySlots slots = new ArraySlots(loop);

    @Actor
    public void giver() {
        slots.give(0);
        slots.give(1);
    }

    @Actor
    public void loop() {
        loop.begin();
        loop.runAll();
    }

    @Arbiter
    public void rest(IIII_Result result) {
        loop.runAll();
        result.r1 = loop.submitted();
        result.r2 = slots.accepted(0);
        result.r3 = slots.accepted(1);
        result.r4 = slots.all();
    }
}
